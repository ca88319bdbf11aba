"""Cuts: what may be taken out of a program at once."""

from __future__ import annotations

from collections.abc import Iterable

from qfuzz.bash.parse_outline import Range

Cut = tuple[Range, ...]
"""Ranges of bytes that go together; they may touch and overlap."""


def without(program: bytes, cuts: Iterable[Cut]) -> bytes:
    """The program with all these cuts taken out."""
    kept: list[bytes] = []
    at = 0
    for start, end in sorted(each for cut in cuts for each in cut):
        if start > at:
            kept.append(program[at:start])
        at = max(at, end)
    kept.append(program[at:])
    return b"".join(kept)


def last_first(ranges: Iterable[Range]) -> list[Cut]:
    """A cut for each range, from the end of the program to its start: what comes later needs what came before."""
    return [(each,) for each in sorted(ranges, reverse=True)]


def characters(program: bytes) -> list[Range]:
    """The ranges of its characters: those of UTF-8, and single bytes where it is none."""
    ranges: list[Range] = []
    at = 0
    for character in program.decode("utf-8", "surrogateescape"):
        end = at + len(character.encode("utf-8", "surrogateescape"))
        ranges.append((at, end))
        at = end
    return ranges
