"""A line of a crontab, by the rules of cron: a model, for a daemon would have to wait for the next minute."""

from __future__ import annotations

import re
from types import MappingProxyType

from qfuzz.bash.quote import any_shell
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import refuse_for_argument

_IDLE = re.compile(rb"[ \t]*(#.*)?\Z")
_NAME = rb"""("[^"]*"|'[^']*'|(?!["'])[^\s=]*)"""
_VALUE = rb"""("[^"]*"\s*|'[^']*'\s*|(?!["']).*)"""
_VARIABLE = re.compile(rb"[ \t]*" + _NAME + rb"\s*+=\s*+" + _VALUE + rb"\Z", re.DOTALL)
_ENTRY = re.compile(
    rb"[ \t]*(-?[0-9*~][-0-9*~,/]*([ \t]+[-0-9A-Za-z*~,/]+){4}[ \t]+\S"
    rb"|@(reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)\b)"
)
"""What a further line of a crontab may be: blank or a comment, a variable, an entry of its own."""
_OPTION = re.compile(rb"-n[ \t]+(?=[^- \t])")
"""What may stand before a command: cronie's wish to hear of failures only."""


class CrontabModel(Boundary):
    """A model of `* * * * * R` in a crontab. The first percent sign that no backslash escapes ends the command;
    what follows is its standard input, with each further one a newline; `\\%` is a percent sign, inside quotes
    as well. A newline ends the line, and the next must be blank, a comment or a variable; what could be an entry
    of its own is not modelled. A command can't begin with an asterisk, nor with a hyphen but for `-n`, which is
    cronie's. The shell is `sh`. It owns these, and can't carry a NUL. Not modelled are cron's own environment and
    home directory. Source: crontab(5); compared with cronie 1.7.2. Debian's cron 3.0pl1-197, which was asked the
    same, makes one backslash of two, takes no command of more than 998 bytes, and begins one with a hyphen or with
    nothing at all."""

    name = "crontab-model"
    summary = "* * * * * R in a crontab, run by sh (model)"
    owns = "percent sign, newline, * or - at the beginning; Bash extensions, as sh reads it"
    cannot_carry = "NUL; further entries; more than 131,071 bytes"
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
        place = len(line) + 1
        for number, other in enumerate(further, 2):
            if _ENTRY.match(other) and not _VARIABLE.match(other):
                return Refusal(self.name, place, "a further entry of the crontab is not modelled")
            if not (_IDLE.match(other) or _VARIABLE.match(other)):
                return Rejection(self.name, f"line {number}: bad minute; errors in crontab file, can't install")
            place += len(other) + 1
        line = line.lstrip(b" \t")
        if not line or line.startswith(b"*"):
            return Rejection(self.name, "bad command")
        option = _OPTION.match(line)
        if line.startswith(b"-") and option is None:
            return Rejection(self.name, "bad option")
        command, given = _split(line[option.end() :] if option else line)
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
    """A percent sign is a newline unless escaped, and a last newline is added, unless nothing but backslashes needs
    it."""
    parts = re.split(rb"(\\%|%)", rest)
    given = b"".join({b"\\%": b"%", b"%": b"\n"}.get(part, part) for part in parts)
    closed = given.rstrip(b"\\")
    return given if not closed or closed.endswith(b"\n") else given + b"\n"


BOUNDARIES: tuple[Boundary, ...] = (CrontabModel(),)
