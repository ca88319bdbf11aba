"""Texts that a payload matches when it is read as a pattern instead of as itself.

A decoy is promised to match, so constructs whose meaning is not certain (back references, character classes, GNU
extensions other than a few) give none. A decoy never holds the payload itself.

One construct has two meanings: `$` before `)` or `|` stands for itself in POSIX and is an anchor to GNU programs. The
decoy follows POSIX. With GNU neither it nor the payload matches then, so what every use relies on still holds: a
pattern never matches its own text without matching the decoy.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

_FILL = "Q"
_OUTSIDERS = "QzV0_"
"""Candidates for a character outside a negated set."""


class Dialect(enum.Enum):
    """Who reads the pattern. `SED` and `GREP` are GNU basic regular expressions, which differ in their escapes."""

    GREP = "grep"
    SED = "sed"
    GLOB = "glob"


_ESCAPED_LETTERS = {
    Dialect.GREP: {letter: letter for letter in "acdefghijklmnopqrtuvxyz"} | {"w": "w", "W": "-", "s": " ", "S": "s"},
    Dialect.SED: {letter: letter for letter in "eghijklmpquyz"} | {"t": "\t", "w": "w", "W": "-", "s": " ", "S": "s"},
}
_SPECIAL_ESCAPES = "+?|(){}<>`'123456789\n"


class _Uncertain(Exception):
    pass


def decoy(payload: bytes, dialect: Dialect) -> bytes | None:
    """A text that `payload`, read as a whole pattern, matches from end to end; None if there is none to promise."""
    try:
        text = "".join(_match(payload.decode("utf-8"), dialect)).encode("utf-8")
    except _Uncertain:
        return None
    return text if text and payload not in text else None


def shell_readings(name: bytes) -> list[bytes]:
    """What a shell may make of this file name unquoted: its words, and a text that the whole or a word matches."""
    words = name.split()
    read = [decoy(text, Dialect.GLOB) for text in (name, *words)]
    return [*words, *(text for text in read if text is not None)]


def _match(pattern: str, dialect: Dialect) -> Iterator[str]:
    basic = dialect is not Dialect.GLOB
    place = 0
    start = True
    while place < len(pattern):
        char = pattern[place]
        if basic and char == "^" and place == 0:
            place += 1
            continue
        if basic and char == "$" and place == len(pattern) - 1:
            return
        atom, place = _atom(pattern, place, dialect, start)
        start = False
        if basic and pattern[place : place + 1] == "*":
            if dialect is Dialect.SED and pattern[place : place + 2] == "**":
                # GNU sed calls this invalid, GNU grep does not.
                raise _Uncertain
            while pattern[place : place + 1] == "*":
                place += 1
            atom *= 2
        yield atom


def _atom(pattern: str, place: int, dialect: Dialect, start: bool) -> tuple[str, int]:
    """What matches the atom at `place`, and where the next one starts."""
    char = pattern[place]
    if char == "\\":
        return _escaped(pattern[place + 1 : place + 2], dialect), place + 2
    if char == "[":
        return _set(pattern, place, dialect)
    if char == "*" and (dialect is Dialect.GLOB or not start):
        return _FILL, place + 1
    wildcard = "?" if dialect is Dialect.GLOB else "."
    return (_FILL if char == wildcard else char), place + 1


def _escaped(char: str, dialect: Dialect) -> str:
    if not char:
        raise _Uncertain
    if dialect is Dialect.GLOB:
        return char
    if char in _SPECIAL_ESCAPES or (char.isalnum() and char not in _ESCAPED_LETTERS[dialect]):
        raise _Uncertain
    return _ESCAPED_LETTERS[dialect].get(char, char)


def _set(pattern: str, place: int, dialect: Dialect) -> tuple[str, int]:
    negations = "!^" if dialect is Dialect.GLOB else "^"
    first = place + 1
    negated = pattern[first : first + 1] in tuple(negations)
    first += negated
    # A bracket that comes first is a member, not the end.
    end = pattern.find("]", first + 1)
    if end < 0 and dialect is Dialect.GLOB:
        return "[", place + 1
    members = pattern[first:end]
    if end < 0 or not members.isascii() or any(char in members for char in "[\\/'\n"):
        raise _Uncertain
    ranges = list(_ranges(members))
    if not negated:
        return members[0], end + 1
    outside = [char for char in _OUTSIDERS if not any(low <= char <= high for low, high in ranges)]
    if not outside:
        raise _Uncertain
    return outside[0], end + 1


def _ranges(members: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(members):
        low = high = members[place]
        if members[place + 1 : place + 2] == "-" and place + 2 < len(members):
            high = members[place + 2]
            place += 2
        if low > high:
            raise _Uncertain
        yield low, high
        place += 1
