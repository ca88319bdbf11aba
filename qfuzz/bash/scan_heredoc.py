"""Here-documents: the delimiter after the operator, and the bodies that follow the line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qfuzz.bash.scan_machine import Machine
from qfuzz.bash.scan_result import Context
from qfuzz.bash.scan_text import NEWLINE, heredoc_state

_BLANKS = re.compile(rb"(?:[ \t]|\\\n)*")
_PIECE = rb"""\\.|\$?'[^']*'|\$?"[^"\\]*(?:\\.[^"\\]*)*"|[^ \t\n;&|()<>"'\\]"""
_PIECES = re.compile(_PIECE, re.DOTALL)
_WORD = re.compile(rb"(?:" + _PIECE + rb")+", re.DOTALL)
_LOGICAL_LINE = re.compile(rb"[^\\\n]*(?:\\.[^\\\n]*)*\\?", re.DOTALL)
"""A line and those that backslashes join to it. A backslash protects whatever follows it, another one too."""
_LINE_COST = 16
"""A line that is looked at by itself, in bytes of text that is searched: about what it takes."""
_ESCAPED_IN_DOUBLE = re.compile(rb'\\([$`"\\])')


@dataclass(frozen=True, slots=True)
class Pending:
    """A here-document whose operator was read. `quoted`: a part of its delimiter is, so that the body is literal."""

    delimiter: bytes
    strips_tabs: bool
    quoted: bool


@dataclass(slots=True)
class Lines:
    """The here-documents that wait for the end of the line. The groups of one program share them.

    `in_substitution`: a parenthesis ends the program, and one after a delimiter ends the here-document with it.
    """

    in_substitution: bool
    pending: list[Pending] = field(default_factory=list)


def read_delimiter(machine: Machine, lines: Lines, index: int, *, strips_tabs: bool) -> int:
    """Read the word after `<<` or `<<-`, if there is one."""
    blanks = _BLANKS.match(machine.text, index, machine.end)
    assert blanks is not None
    machine.emit(index, blanks.end())
    word = _WORD.match(machine.text, blanks.end(), machine.end)
    if word is None:
        return blanks.end()
    spelled = word.group().replace(b"\\\n", b"")
    delimiter = b"".join(_unquoted(piece.group()) for piece in _PIECES.finditer(spelled))
    lines.pending.append(Pending(delimiter, strips_tabs, any(quote in spelled for quote in (b"\\", b"'", b'"'))))
    return machine.emit(word.start(), word.end(), Context.DELIMITER)


def _unquoted(piece: bytes) -> bytes:
    bare = piece.removeprefix(b"$") if len(piece) > 1 else piece
    if bare.startswith(b"'"):
        return bare[1:-1]
    if bare.startswith(b'"'):
        return _ESCAPED_IN_DOUBLE.sub(rb"\1", bare[1:-1])
    return bare[1:] if bare.startswith(b"\\") else bare


def read_bodies(machine: Machine, lines: Lines, index: int) -> int:
    """Read the bodies of all that wait, from the start of a line; returns the index after the last delimiter's line."""
    waiting, lines.pending = lines.pending, []
    for pending in waiting:
        found = _find_delimiter(machine, pending, index, lines.in_substitution)
        start, end = found or (machine.end, machine.end)
        _read_body(machine, pending, index, start, closed=found is not None)
        index = machine.emit(start, end, Context.DELIMITER)
        if machine.byte(index) == NEWLINE:
            index = machine.emit(index, index + 1)
    return index


def _read_body(machine: Machine, pending: Pending, start: int, end: int, *, closed: bool) -> None:
    context = Context.HEREDOC_QUOTED if pending.quoted else Context.HEREDOC
    frame = machine.open_frame(context, start)
    if closed:
        machine.close_frame(frame, end)
    if pending.quoted:
        machine.emit(start, end, context, frame)
    else:
        machine.add_job(machine.level, start, end, heredoc_state(frame))


def _find_delimiter(machine: Machine, pending: Pending, index: int, in_substitution: bool) -> tuple[int, int] | None:
    """Where the line with the delimiter starts, and where the delimiter on it ends."""
    if not machine.may_look_ahead():
        return None
    joins = not pending.quoted and machine.text.find(b"\\\n", index, machine.end) >= 0
    find = _find_in_joined_lines if joins else _find_in_lines
    return find(machine, pending, index, in_substitution)


def _find_in_lines(machine: Machine, pending: Pending, index: int, in_substitution: bool) -> tuple[int, int] | None:
    text, end = machine.text, machine.end
    position = index
    found = None
    while found is None and position <= end:
        hit = text.find(pending.delimiter, position, end)
        if hit < 0:
            position = end
            break
        line = max(text.rfind(b"\n", index, hit) + 1, index)
        after = hit + len(pending.delimiter)
        line_end = text.find(b"\n", after, end)
        line_end = end if line_end < 0 else line_end
        before = text[line:hit].lstrip(b"\t") if pending.strips_tabs else text[line:hit]
        # Bash 5.2 takes `EOF)` as the end within a substitution, with a warning.
        if not before and (after == line_end or (in_substitution and text.find(b")", after, line_end) >= 0)):
            found = (line, after)
        position = line_end + 1
    machine.looked_ahead(min(position, end) - index)
    return found


def _find_in_joined_lines(
    machine: Machine, pending: Pending, index: int, in_substitution: bool
) -> tuple[int, int] | None:
    """The same where continuations may join lines: Bash joins them before it looks for the delimiter."""
    text, end, delimiter = machine.text, machine.end, pending.delimiter
    position = index
    found = None
    while found is None and position <= end and machine.may_look_ahead():
        line = _LOGICAL_LINE.match(text, position, end)
        assert line is not None, "it matches nothing at all, too"
        joined = line.group().replace(b"\\\n", b"")
        bare = joined.lstrip(b"\t") if pending.strips_tabs else joined
        rest = bare.removeprefix(delimiter)
        if rest != bare and (not rest or (in_substitution and b")" in rest)):
            found = (position, _past(text, position, line.end(), len(joined) - len(rest)))
        machine.looked_ahead(line.end() - position + _LINE_COST)
        position = line.end() + 1
    return found


def _past(text: bytes, start: int, end: int, count: int) -> int:
    """The index past the first `count` bytes from `start`, continuations not counted, but passed over at the end."""
    index = start
    while index < end and (count or text[index : index + 2] == b"\\\n"):
        joins = text[index : index + 2] == b"\\\n"
        index += 2 if joins else 1
        count -= not joins
    return index
