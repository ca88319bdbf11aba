"""Runs programs that would start a shell where there is none: a recorder stands at the places of all shells.

The root is made of what is named and nothing else, so that a text that a program took for a command would find no
program to run. No network, no other process is seen; what it wrote in /out is read back.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.models import get

_RIGHTS = ("CAP_SETUID", "CAP_SETGID", "CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE", "CAP_SYS_RESOURCE")
SHELLS = ("/bin/sh", "/bin/bash")


@dataclass(frozen=True, slots=True)
class Record:
    """One start of a shell: the variable RECORD that it got, its words without its name, its input."""

    mark: bytes
    words: tuple[bytes, ...]
    stdin: bytes | None


def recorder() -> Path:
    """The program that stands for a shell, compiled without needing any library."""
    source = get.SOURCES / "recorder.c"
    made = get.PROGRAMS / "recorder"
    made.parent.mkdir(parents=True, exist_ok=True)
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["cc", "-static", "-Os", "-o", made, source], check=True)
    return made


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for what a program reads and for /out, gone afterwards."""
    made = Path(tempfile.mkdtemp(prefix="qfuzz-models-"))
    try:
        (made / "out").mkdir(mode=0o777)
        (made / "out").chmod(0o777)
        yield made
    finally:
        shutil.rmtree(made)


def words(out: Path, binds: Sequence[tuple[Path | str, str]], *options: str, users: bool = False) -> list[str]:
    """The start of a bubblewrap command line: what `binds` names read-only at its places, and the recorder.

    With `users` the program keeps the rights to change users, which takes root to start.
    """
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"] if users else ["--unshare-all"]
    line = ["bwrap", *spaces, "--die-with-parent", "--new-session", "--clearenv", "--tmpfs", "/"]
    for right in _RIGHTS if users else ():
        line += ["--cap-add", right]
    for source, place in binds:
        line += ["--ro-bind", str(source), place]
    for place in SHELLS:
        line += ["--ro-bind", str(recorder()), place]
    line += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", str(out), "/out"]
    return [*line, *options]


def records(out: Path) -> list[Record]:
    """What the recorder noted, in no order."""
    found = []
    for path in out.iterdir():
        if path.name.startswith("."):
            continue
        mark, count, *rest = _netstrings(path.read_bytes())
        found.append(Record(mark, tuple(rest[1 : int(count)]), rest[int(count)] or None))
    return found


def empty(out: Path) -> None:
    for path in out.iterdir():
        os.unlink(path)


def _netstrings(data: bytes) -> Iterator[bytes]:
    while data:
        length, _, rest = data.partition(b":")
        yield rest[: int(length)]
        data = rest[int(length) + 1 :]
