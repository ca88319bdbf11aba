"""Asks pnpm how it writes the arguments of a script for the shell; its shell is the recorder."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.models import get, sandbox
from tests.models.vectors import Outcome, Vectors, is_text

_APART = b"--apart-6b1f--"
_ALONE = 20
"""How many texts are arguments alone; of the others, many share one run, for pnpm takes half a second to start."""
_TOGETHER = 60


def package_script(texts: Sequence[bytes]) -> Vectors:
    package = get.get("pnpm") / "node_modules" / "pnpm"
    asked = [text for text in texts if is_text(text)]
    rows = []
    with sandbox.folder() as folder:
        (folder / "package.json").write_text(json.dumps({"name": "reply", "scripts": {"reply": "bash -c"}}))
        for some in _groups(asked):
            command = _command(folder, package, [text for each in some for text in (_APART, each)][1:])
            assert command.startswith(b"bash -c ")
            pieces = command.removeprefix(b"bash -c ").split(b' "%s" ' % _APART)
            rows += [(text, Outcome(argv=(b"-c", b"bash -c " + each))) for text, each in zip(some, pieces, strict=True)]
    return Vectors(f"pnpm {get.PNPM}, run", tuple(rows))


def _groups(texts: list[bytes]) -> Iterator[list[bytes]]:
    for text in texts[:_ALONE]:
        yield [text]
    for begin in range(_ALONE, len(texts), _TOGETHER):
        yield texts[begin : begin + _TOGETHER]


def _command(folder: Path, package: Path, arguments: list[bytes]) -> bytes:
    """The command that pnpm gives its shell."""
    binds = [
        ("/usr/lib", "/usr/lib"), ("/lib", "/lib"), ("/lib64", "/lib64"), ("/usr/bin/node", "/usr/bin/node"),
        (package, "/pnpm"), (folder / "package.json", "/work/package.json"),
    ]  # fmt: skip
    options = ("--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/bin:/bin", "--chdir", "/work")
    line = sandbox.words(folder / "out", binds, *options)
    line += ["/usr/bin/node", "/pnpm/bin/pnpm.cjs", "--silent", "run", "reply"]
    sandbox.empty(folder / "out")
    subprocess.run(
        [*map(str.encode, line), *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    (record,) = sandbox.records(folder / "out")
    assert record.words[0] == b"-c"
    (command,) = record.words[1:]
    return command
