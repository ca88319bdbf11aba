"""A line of a crontab, by the rules of cron: a model, for a daemon would have to wait for the next minute."""

from __future__ import annotations

import re
from types import MappingProxyType

from qfuzz.bash.quote import any_shell
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import refuse_for_argument

_ENTRY = re.compile(rb"[ \t]*(#.*|[A-Za-z_]\w*[ \t]*=.*|(\S+[ \t]+){5}\S.*)?\Z")
"""What a further line of a crontab may be: blank, a comment, a variable, an entry of its own."""


class CrontabModel(Boundary):
    """A model of `* * * * * R` in a crontab. The first percent sign that no backslash escapes ends the command;
    what follows is its standard input, with each further one a newline; `\\%` is a percent sign, inside quotes
    as well. A newline ends the line, and the next must be an entry again. The shell is `sh`. It owns these, and
    can't carry a NUL. Not modelled are cron's own environment, its home directory, and the limit of 998 bytes
    that some crons have. Source: crontab(5); the reading of a command in cronie's do_command.c."""

    name = "crontab-model"
    summary = "* * * * * R in a crontab, run by sh (model)"
    owns = "percent sign, newline; Bash extensions, as sh reads it"
    cannot_carry = "NUL; more than 131,071 bytes"
    witness = b"date -u -d @0 +%Y > year.txt"
    faithful = False
    starts_shell = True
    shell = "sh"
    tool = True
    arrival_note = "another shell reads the text, by other rules"
    rules = MappingProxyType({ord("%"): "ends the command of a crontab line, or is a newline of its input"})

    def embed(self, text: bytes) -> Launch | Refusal | Rejection:
        refusal = refuse_for_argument(self.name, text)
        if refusal is not None:
            return refusal
        line, *further = text.split(b"\n")
        for number, other in enumerate(further, 2):
            if not _ENTRY.match(other):
                return Rejection(self.name, f"line {number}: bad minute; errors in crontab file, can't install")
        if not line.strip(b" \t"):
            return Rejection(self.name, "bad command")
        command, given = _split(line.lstrip(b" \t"))
        return Launch(b"/bin/sh", (b"sh", b"-c", command), command, stdin=given, shell=self.shell)

    def shield(self, one: bytes) -> bytes:
        return b"\\" + one

    def armor(self, program: bytes) -> bytes:
        return any_shell(program)

    def disclosure(self) -> str:
        return (
            "R is the command of a crontab line: the first unescaped % ends it, what follows is its standard "
            "input with each % "
            "a newline, and `sh -c` runs it."
        )


def _split(line: bytes) -> tuple[bytes, bytes | None]:
    """The command and the input that the rest of the line gives it; None without a percent sign."""
    command = bytearray()
    escaped = False
    for place, byte in enumerate(line):
        if escaped:
            if byte == ord("%"):
                command.pop()
            escaped = False
        elif byte == ord("\\"):
            escaped = True
        elif byte == ord("%"):
            return bytes(command), _input(line[place + 1 :])
        command.append(byte)
    return bytes(command), None


def _input(rest: bytes) -> bytes | None:
    """A percent sign is a newline unless escaped, and a last newline is added."""
    parts = re.split(rb"(\\%|%)", rest)
    given = b"".join({b"\\%": b"%", b"%": b"\n"}.get(part, part) for part in parts)
    return given if not given or given.endswith(b"\n") else given + b"\n"


BOUNDARIES: tuple[Boundary, ...] = (CrontabModel(),)
