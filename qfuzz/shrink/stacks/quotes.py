"""How a text is spelled in each quoting context of the shell, in place of one that the author spelled there.

The author's text may run through several contexts (`'can'\\''t'`). Another one is written in the context that held most
of it, and the quotes at both ends are closed and opened so that what stands around keeps its own.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator

from qfuzz.bash.quote import backslash
from qfuzz.shrink.stacks.escapes import control_escapes, escape_with
from qfuzz.shrink.stacks.units import Spelling, Unit, Writer

SINGLE, DOUBLE, ANSI_C, UNQUOTED = "single", "double", "ansi-c", "unquoted"
_OPENING = {SINGLE: b"'", DOUBLE: b'"', ANSI_C: b"$'", UNQUOTED: b""}
_CLOSING = {SINGLE: b"'", DOUBLE: b'"', ANSI_C: b"'", UNQUOTED: b""}

_DOUBLE_SPECIAL = re.compile(rb'[\\$`"]')
# A backslash between double quotes is itself, unless one of five follows. What follows the text is not known.
_DOUBLE_NEEDED = re.compile(rb'[$`"]|\\(?=[\\$`"\n]|\Z)')
_BODY_SPECIAL = re.compile(rb"[\\$`]")
_BODY_NEEDED = re.compile(rb"[$`]|\\(?=[\\$`\n]|\Z)")
_ANSI_SPECIAL = re.compile(rb"[\\']")
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")


def spell_word(units: tuple[Unit, ...]) -> Iterator[Spelling]:
    """Spellings in place of these units of a word."""
    weights: Counter[str] = Counter()
    for unit in units:
        weights[unit.context] += len(unit.value)
    for context, _ in weights.most_common():
        for body in _BODIES[context]:
            yield Spelling(context, _between(units[0].context, units[-1].context, context, body))


@functools.cache
def whole_word(context: str) -> tuple[Spelling, ...]:
    """Spellings of a whole word in this context, the usual one first; the same objects each time."""
    return tuple(Spelling(context, _between(UNQUOTED, UNQUOTED, context, body)) for body in _BODIES[context])


def _between(before: str, after: str, context: str, body: Writer) -> Writer:
    opening = b"" if before == context else _CLOSING[before] + _OPENING[context]
    closing = b"" if after == context else _CLOSING[context] + _OPENING[after]

    def write(text: bytes) -> bytes | None:
        middle = body(text)
        if middle is None:
            return None
        written = opening + middle + closing
        if context != SINGLE or not text:
            return written
        # Quotes with nothing between them, at an end that is not inside quotes.
        if before == UNQUOTED and written.startswith(b"''"):
            written = written[2:]
        if after == UNQUOTED and written.endswith(b"\\'''"):
            written = written[:-2]
        return written

    return write


def _ansi_c(text: bytes, keep: bytes, high: bool) -> bytes:
    written = control_escapes(escape_with(_ANSI_SPECIAL, text), keep=keep)
    written = _UNPRINTABLE.sub(_hexadecimal, written)
    return _HIGH.sub(_hexadecimal, written) if high else written


def _hexadecimal(match: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % match.group()[0]


_BODIES: dict[str, tuple[Writer, ...]] = {
    SINGLE: (
        lambda text: text.replace(b"'", b"'\\''"),
        lambda text: text.replace(b"'", b"'\"'\"'"),
    ),
    DOUBLE: (
        lambda text: escape_with(_DOUBLE_SPECIAL, text),
        lambda text: escape_with(_DOUBLE_NEEDED, text),
    ),
    ANSI_C: (
        lambda text: _ansi_c(text, b"", False),
        lambda text: _ansi_c(text, b"\t", False),
        lambda text: _ansi_c(text, b"\n\t", False),
        lambda text: _ansi_c(text, b"", True),
    ),
    UNQUOTED: (backslash,),
}
"""Context to the ways in which people write inside it; all of them are right."""


def spell_backquoted(units: tuple[Unit, ...]) -> Iterator[Spelling]:
    """Spellings inside backquotes, where a backslash is read once more than usual (Bash manual, 3.5.4)."""
    special = re.compile(rb'[\\`"]' if units[0].context == "backquote-in-double" else rb"[\\`]")
    yield Spelling("backquote", lambda text: escape_with(special, text))


class HeredocSpeller:
    """Spellings inside the body of a here-document that ends at `delimiter`.

    `strips_tabs` is `<<-`, which can't hold a line that begins with a tab.
    """

    def __init__(self, delimiter: bytes, *, quoted: bool, strips_tabs: bool) -> None:
        self._delimiter = delimiter
        self._quoted = quoted
        self._strips_tabs = strips_tabs

    def __call__(self, _units: tuple[Unit, ...]) -> Iterator[Spelling]:
        if self._quoted:
            yield Spelling("heredoc-quoted", lambda text: self._fitting(text))
            return
        for special in (_BODY_SPECIAL, _BODY_NEEDED):
            yield Spelling("heredoc-unquoted", self._escaping(special))

    def _escaping(self, special: re.Pattern[bytes]) -> Writer:
        return lambda text: self._fitting(escape_with(special, text))

    def _fitting(self, text: bytes) -> bytes | None:
        lines = text.split(b"\n")
        if self._strips_tabs and any(line.startswith(b"\t") for line in lines):
            return None
        return None if self._delimiter in lines else text
