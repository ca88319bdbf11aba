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


def text_spans(found: Outline, program: bytes) -> tuple[Span, ...]:
    """The spans of a program as its outline shows them.

    Inside a compound they cut at its reserved words' separators, where a parser would know better.
    """
    spans = [Span(pair.opening[0], pair.closing[1], Part.COMPOUND) for pair in found.compounds]
    for part, ends in ((Part.STATEMENT, STATEMENT_ENDS), (Part.STAGE, (*STATEMENT_ENDS, *STAGE_ENDS))):
        separators = [each for each in found.operators if each.text in ends]
        between = [_trimmed(program, each) for each in _between(separators, _bodies(found), len(program))]
        members = [(start, end) for start, end in between if start < end]
        if len(members) > 1:
            spans += [Span(start, end, part) for start, end in members]
    return tuple(spans)


def _between(separators: list[Operator], bodies: dict[int, int], length: int) -> list[Range]:
    """What lies between the separators; the bodies of here-documents follow a newline, and lie in none of it."""
    ranges: list[Range] = []
    at = 0
    for separator in sorted(separators, key=lambda each: each.start):
        ranges.append((at, separator.start))
        at = max(at, separator.end)
        while at in bodies:
            at = bodies[at]
    return [*ranges, (at, length)]


def _trimmed(program: bytes, within: Range) -> Range:
    """The range without the blanks at its ends."""
    start, end = within
    inside = program[start:end]
    return start + len(inside) - len(inside.lstrip(b" \t")), end - len(inside) + len(inside.rstrip(b" \t"))


def _bodies(found: Outline) -> dict[int, int]:
    """Where bodies of here-documents begin and end; empty ones are left out."""
    bodies = (each.body for each in found.redirections)
    return {body[0]: body[1] for body in bodies if body is not None and body[0] < body[1]}
