"""The spans of a program's commands: what a parser answers, and what the text alone gives where none can."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from qfuzz.bash.parse_outline import Operator, Outline, Range

STATEMENT_ENDS = (b";", b"\n", b"&", b"&&", b"||", b";;", b";&", b";;&")
STAGE_ENDS = (b"|", b"|&")


class Part(enum.Enum):
    """Kinds of spans, the widest first."""

    COMPOUND = "compound"
    """A loop, a condition, a group, a function."""
    STATEMENT = "statement"
    """A member of a list of commands."""
    STAGE = "stage"
    """A member of a pipeline."""


@dataclass(frozen=True, slots=True)
class Span:
    """Start and end in bytes; the end is not in it. What joins it to its neighbours is not in it either."""

    start: int
    end: int
    part: Part

    def __post_init__(self) -> None:
        assert 0 <= self.start < self.end, f"span from {self.start} to {self.end}"


class NoParse(enum.Enum):
    """Why there is no parse."""

    SYNTAX = "syntax"
    """The parser does not accept the program, or failed on it."""
    TIME = "time"
    """The parser did not come to an end, or the program is too long to begin with."""
    MEMORY = "memory"
    MISSING = "missing"
    """No parser is installed."""


def text_spans(found: Outline, length: int) -> tuple[Span, ...]:
    """The spans of a program of `length` bytes as its outline shows them.

    Inside a compound they cut at its reserved words' separators, where a parser would know better.
    """
    spans = [Span(pair.opening[0], pair.closing[1], Part.COMPOUND) for pair in found.compounds]
    for part, ends in ((Part.STATEMENT, STATEMENT_ENDS), (Part.STAGE, (*STATEMENT_ENDS, *STAGE_ENDS))):
        between = _between([each for each in found.operators if each.text in ends], _bodies(found), length)
        if len(between) > 1:
            spans += [Span(start, end, part) for start, end in between]
    return tuple(spans)


def _between(separators: list[Operator], bodies: dict[int, int], length: int) -> list[Range]:
    """What lies between the separators; the bodies of here-documents follow a newline, and lie in none of it."""
    ranges: list[Range] = []
    at = 0
    for separator in sorted(separators, key=lambda each: each.start):
        if separator.start > at:
            ranges.append((at, separator.start))
        at = max(at, separator.end)
        while at in bodies:
            at = bodies[at]
    if at < length:
        ranges.append((at, length))
    return ranges


def _bodies(found: Outline) -> dict[int, int]:
    """Where bodies of here-documents begin and end; empty ones are left out."""
    bodies = (each.body for each in found.redirections)
    return {body[0]: body[1] for body in bodies if body is not None and body[0] < body[1]}
