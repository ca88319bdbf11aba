"""A line of a crontab, by the rules of cron: a model, for a daemon would have to wait for the next minute."""

from __future__ import annotations

import re
from types import MappingProxyType

from qfuzz.bash.quote import any_shell
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import refuse_for_argument
from qfuzz.transports.limits import refuse_long

_IDLE = re.compile(rb"[ \t]*(#.*)?\Z")
_NAME = rb"""("[^"]*"|'[^']*'|(?!["'])[^\s=]*)"""
_VALUE = rb"""("[^"]*"\s*|'[^']*'\s*|(?!["']).*)"""
_VARIABLE = re.compile(rb"[ \t]*" + _NAME + rb"\s*+=\s*+" + _VALUE + rb"\Z", re.DOTALL)
_ENTRY = re.compile(
    rb"[ \t]*(-?[0-9*~][-0-9*~,/]*([ \t]+[-0-9A-Za-z*~,/]+){4}([ \t]|\Z)"
    rb"|@(reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)\b)"
)
"""What a further line of a crontab may be: blank or a comment, a variable, an entry of its own."""
_OPTION = re.compile(rb"-n[ \t]+(?=[^- \t])")
"""What may stand before a command: cronie's wish to hear of failures only."""


MAX_COMMAND_BYTES = 998
"""What Debian's cron takes as a command."""
_KEPT = frozenset(range(ord(" "), 0x7F)) - set(b"\\%'\"$`!")
"""What an armored program does not write as numbers, for it must be short."""


class CrontabModel(Boundary):
    """A model of `* * * * * R` in a crontab. The first percent sign that no backslash escapes ends the command;
    what follows is its standard input, with each further one a newline; `\\%` is a percent sign, inside quotes
    as well. A newline ends the line, and the next must be blank, a comment or a variable; what could be an entry
    of its own is not modelled. A command can't begin with an asterisk, nor with a hyphen but for `-n`, which is
    cronie's. The shell is `sh`. It owns these, and can't carry a NUL. Not modelled are cron's own environment and
    home directory. Source: crontab(5); compared with cronie 1.7.2."""

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
        begun = self._begun(line.lstrip(b" \t"))
        if not isinstance(begun, bytes):
            return begun
        command, given = _split(begun, self._unescaped)
        return Launch(b"/bin/sh", (b"sh", b"-c", command), command, stdin=given, shell=self.shell)

    _unescaped = b"%"
    """What loses the backslash before it in a command."""

    def _begun(self, line: bytes) -> bytes | Refusal | Rejection:
        """The line as a command, without options."""
        if not line or line.startswith(b"*"):
            return Rejection(self.name, "bad command")
        option = _OPTION.match(line)
        if line.startswith(b"-") and option is None:
            return Rejection(self.name, "bad option")
        return line[option.end() :] if option else line

    def shield(self, one: bytes) -> bytes:
        return b"\\" + one

    def armor(self, program: bytes) -> bytes | None:
        return any_shell(program)

    def disclosure(self) -> str:
        return (
            "R is the command of a crontab line: the first unescaped % ends it, what follows is its standard "
            "input with each % "
            "a newline, and `sh -c` runs it."
        )


class DebianCrontabModel(CrontabModel):
    """A model of the same in Debian's and Ubuntu's cron, which makes one backslash of two in a command, in quotes as
    well, takes no command of more than 998 bytes, knows no options, and lets a command be empty. For the rest it
    does as `crontab-model` does, and owns two backslashes beside that. Source: crontab(5) of Debian; compared with
    Debian's cron 3.0pl1-197."""

    name = "crontab-debian-model"
    summary = "* * * * * R in a crontab of Debian's cron (model)"
    owns = "percent sign, newline, two backslashes, * at the beginning; Bash extensions, as sh reads it"
    cannot_carry = "NUL; further entries; more than 998 bytes"
    witness = b"printf 'a\\\\\\\\b\\n'"
    rules = MappingProxyType(
        {
            ord("%"): "ends the command of a crontab line, or is a newline of its input",
            ord("\\"): "takes the backslash behind it away",
        }
    )
    _unescaped = b"%\\"

    def inert(self, text: bytes, offset: int) -> bool:
        single = text[offset : offset + 1] == b"\\" != text[max(0, offset - 1) : offset]
        return single and text[offset + 1 : offset + 2] not in (b"\\", b"%")

    def _begun(self, line: bytes) -> bytes | Refusal | Rejection:
        if line.startswith(b"*"):
            return Rejection(self.name, "bad command")
        return refuse_long(self.name, line, MAX_COMMAND_BYTES, "a command of Debian's cron") or line

    def armor(self, program: bytes) -> bytes | None:
        armored = any_shell(program, _KEPT)
        return armored if len(armored) <= MAX_COMMAND_BYTES else None

    def disclosure(self) -> str:
        return (
            "R is the command of a line in a crontab of Debian's cron: two backslashes are one, the first unescaped % "
            "ends it, what follows is its standard input with each % a newline, and `sh -c` runs it."
        )


def _split(line: bytes, unescaped: bytes) -> tuple[bytes, bytes | None]:
    """The command and the input that the rest of the line gives it; None without a percent sign. A backslash before one
    of `unescaped` is taken away."""
    command = bytearray()
    escaped = False
    for place, byte in enumerate(line):
        if escaped:
            if byte in unescaped:
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


BOUNDARIES: tuple[Boundary, ...] = (CrontabModel(), DebianCrontabModel())
