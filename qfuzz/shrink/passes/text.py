"""Cuts along the text alone. They know quotes only as places where plain text and marks are likely to be data."""

from __future__ import annotations

import re

from qfuzz.bash.parse_outline import Range
from qfuzz.shrink.cuts import Cut, characters, last_first
from qfuzz.shrink.passes.view import View

_PLAIN = re.compile(rb"[A-Za-z0-9_.,/:=+@%^ \t-]+|[\x80-\xff]+")
"""Text that no shell treats as its own, wherever it stands between quotes."""
_MARK = re.compile(rb"[^A-Za-z0-9 \x80-\xff]")
_TOKEN = re.compile(rb"[A-Za-z0-9_]+")
_NAME = re.compile(rb"[A-Za-z0-9_.,/:+@%^-]{2,}")
_ESCAPE = re.compile(rb"\\[\x00-\x7f]", re.DOTALL)
_BLANK = re.compile(rb"[ \t\n]")


def lines(view: View) -> list[Cut]:
    """The lines of data that has several."""
    several = [data for data in view.data() if view.program.count(b"\n", *data) > 1]
    return last_first(line for data in several for line in _lines(view.program, *data))


def _lines(program: bytes, start: int, end: int) -> list[Range]:
    ranges: list[Range] = []
    while start < end:
        newline = program.find(b"\n", start, end)
        stop = end if newline < 0 else newline + 1
        ranges.append((start, stop))
        start = stop
    return ranges


def plain_everywhere(view: View) -> list[Cut]:
    """All plain text of all data at once: what breaks on the way is mostly what is left."""
    together = tuple(each for data in view.data() for each in _found(_PLAIN, view.program, data))
    return [together] if together else []


def plain_by_data(view: View) -> list[Cut]:
    """All plain text of one quoted text or body, the one with most of it first."""
    cuts = [tuple(_found(_PLAIN, view.program, data)) for data in view.data()]
    return sorted((cut for cut in cuts if cut), key=lambda cut: (-sum(end - start for start, end in cut), cut))


def plain_runs(view: View) -> list[Cut]:
    """Each run of plain text in data."""
    return last_first(each for data in view.data() for each in _found(_PLAIN, view.program, data))


def tokens(view: View) -> list[Cut]:
    """Each word of letters and digits in data."""
    return last_first(each for data in view.data() for each in _found(_TOKEN, view.program, data))


def all_of_a_kind(view: View) -> list[Cut]:
    """All occurrences of one mark in data at once, the most frequent first."""
    several = [tuple(ranges) for ranges in _kinds(view.program, view.data()) if len(ranges) > 1]
    return sorted(several, key=lambda cut: (-len(cut), cut))


def equal_pairs(view: View) -> list[Cut]:
    """Two occurrences of one mark that follow one another in data: quotes open and close."""
    cuts: list[Cut] = []
    for data in view.data():
        for ranges in _kinds(view.program, [data]):
            cuts += zip(ranges[0::2], ranges[1::2], strict=False)
    return sorted(cuts, reverse=True)


def single_marks(view: View) -> list[Cut]:
    """Each character of data that is neither a letter, a digit nor a blank."""
    return last_first(each for data in view.data() for each in _found(_MARK, view.program, data))


def escapes(view: View) -> list[Cut]:
    """A backslash with the character after it."""
    return last_first(each.span() for each in _ESCAPE.finditer(view.program))


def names(view: View) -> list[Cut]:
    """All of a run of plain characters but the first: a name can seldom go, and seldom has to be that long."""
    return last_first((each.start() + 1, each.end()) for each in _NAME.finditer(view.program))


def blanks(view: View) -> list[Cut]:
    """Each blank and newline."""
    return last_first(each.span() for each in _BLANK.finditer(view.program))


def each_character(view: View) -> list[Cut]:
    """Every character once. Blanks first, then marks, then letters and digits; in each class from the end.

    Those that are most likely to go come first, so that most of the others are tried on the final text only.
    """

    def rank(each: Range) -> tuple[int, int]:
        character = view.program[each[0] : each[1]]
        kind = 0 if character in (b" ", b"\t", b"\n") else 2 if character.isalnum() else 1
        return kind, -each[0]

    return [(each,) for each in sorted(characters(view.program), key=rank)]


def _found(pattern: re.Pattern[bytes], program: bytes, within: Range) -> list[Range]:
    return [each.span() for each in pattern.finditer(program, *within)]


def _kinds(program: bytes, within: list[Range]) -> list[list[Range]]:
    """The marks in these ranges, those that are the same character together."""
    kinds: dict[bytes, list[Range]] = {}
    for data in within:
        for start, end in _found(_MARK, program, data):
            kinds.setdefault(program[start:end], []).append((start, end))
    return list(kinds.values())
