"""Transcripts in Markdown, run and compared.

A fenced block whose info string is `console` is a transcript. A line that begins with `$ ` is a command for bash, lines
that begin with `> ` after it continue it. What follows is what it prints, stdout and stderr as a terminal shows them:

    ```console
    $ qfuzz transports show nested
    nested: ...
    ...
    $ qfuzz diff replies.jsonl
    breakers: 12
    [1]
    ```

In expected output `...` stands for anything within a line, and alone on a line for any number of lines. A last line
`[N]` is the exit status where it is not 0. The commands of one document run in order in one folder, which holds nothing
but links to the corpus and to docs. A transcript that cannot be run says why in its info string: `console not-run:
needs root`.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_SECONDS = 60

FENCE = re.compile(r"^```console *([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATUS = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a transcript; `line` is where its document shows it."""

    command: str
    output: tuple[str, ...]
    status: int
    line: int


def read_steps(document: str) -> list[Step]:
    """The commands to run, in order. Raises ValueError for a block that is no transcript."""
    steps = []
    for block in FENCE.finditer(document):
        info, text = block.groups()
        if re.fullmatch(r"not-run: \S.*", info):
            continue
        first_line = document.count("\n", 0, block.start(2)) + 1
        if info:
            raise ValueError(f"line {first_line - 1}: `console {info}`: say `console` or `console not-run: why`")
        if not text.startswith("$ "):
            raise ValueError(f"line {first_line}: a transcript begins with a command: `$ ...`")
        steps += _steps_of_block(text.splitlines(), first_line)
    return steps


def _steps_of_block(lines: list[str], first_line: int) -> list[Step]:
    starts = [index for index, line in enumerate(lines) if line.startswith("$ ")]
    steps = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        command, output = [lines[start][2:]], lines[start + 1 : end]
        while output and output[0].startswith("> "):
            command.append(output.pop(0)[2:])
        status = 0
        if output and (found := STATUS.fullmatch(output[-1])):
            status = int(found[1])
            output.pop()
        steps.append(Step("\n".join(command), tuple(output), status, first_line + start))
    return steps


def run_step(step: Step, folder: Path, programs: Path) -> str:
    """Runs a command in a folder, with these programs first in PATH. Returns what is wrong, or nothing."""
    environment = {
        "PATH": f"{programs}:{os.defpath}",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "COLUMNS": "120",
    }
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_SECONDS,
    )
    printed = done.stdout.decode("utf-8", "backslashreplace")
    faults = []
    if done.returncode != step.status:
        faults.append(f"exit status {done.returncode}, not {step.status}")
    if not matches(step.output, printed):
        faults.append("it printed something else")
    return f"line {step.line}: $ {step.command}\n{'; '.join(faults)}:\n{printed}" if faults else ""


def matches(expected: tuple[str, ...], printed: str) -> bool:
    parts = []
    for line in expected:
        if line == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append("[^\n]*".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ \t]*\n")
    # The last line of a program may lack its newline, and a document cannot show that.
    text = printed if printed.endswith("\n") or not printed else printed + "\n"
    return re.fullmatch("".join(parts), text) is not None
