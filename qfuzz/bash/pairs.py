"""Matched quotes: which two quotes of a program belong together."""

from __future__ import annotations

from collections.abc import Collection

_QUOTES = b"\"'`"


def matched_pairs(program: bytes, among: Collection[int]) -> list[tuple[int, int]]:
    """The quotes at the offsets `among` two by two, each with the next one of its kind, in order of the first.

    A quote after a backslash is left out: it ends or begins nothing for the author.
    """
    pairs: list[tuple[int, int]] = []
    for quote in _QUOTES:
        offsets = [offset for offset in sorted(among) if program[offset] == quote and not _escaped(program, offset)]
        pairs += zip(offsets[::2], offsets[1::2], strict=False)
    return sorted(pairs)


def _escaped(program: bytes, offset: int) -> bool:
    before = program[:offset]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1
