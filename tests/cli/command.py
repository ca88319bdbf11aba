"""Calls `qfuzz` as a user does, in a directory of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

QFUZZ = (sys.executable, "-m", "qfuzz")


@dataclass(frozen=True)
class Said:
    """What a call left: exit status and both streams as text."""

    status: int
    out: str
    err: str

    def records(self) -> list[dict[str, object]]:
        """Standard output as JSON Lines; fails if anything else is in it."""
        return [json.loads(line) for line in self.out.splitlines()]


def call(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command line in `cwd` and returns status and output in bytes, whatever the status is."""
    return subprocess.run(
        [*QFUZZ, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=120,
        env={**os.environ, **(env or {})},
    )


def qfuzz(arguments: Sequence[str | Path], cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Said:
    """The same, with the output as text."""
    done = call(*arguments, cwd=cwd, stdin=stdin, env=env)
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def write_lines(path: Path, *records: Mapping[str, object] | bytes) -> Path:
    """A JSON Lines file of these records; bytes are a line as it is."""
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path
