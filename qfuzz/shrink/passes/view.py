"""What a pass looks at: a program, its outline and its spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from qfuzz.bash.parse import Part, Span, text_spans
from qfuzz.bash.parse_outline import Outline, Range
from qfuzz.bash.parse_reader import outline

BLANKS = (b" ", b"\t")


Parser = Callable[[bytes], Sequence[Span] | None]
"""The spans of a program, or None where it can't read the program."""


class View:
    """A program, what its text shows, and its spans: the parser's, or those of its text where the parser has none.

    The parser may be slow to fail, so it is asked only when spans are.
    """

    def __init__(self, program: bytes, parser: Parser) -> None:
        self.program = program
        self._parser = parser

    @cached_property
    def found(self) -> Outline:
        return outline(self.program)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        parsed = self._parser(self.program)
        return text_spans(self.found, self.program) if parsed is None else tuple(parsed)

    def spans_of(self, part: Part) -> list[Span]:
        return [span for span in self.spans if span.part is part]

    def data(self) -> list[Range]:
        """Insides of quotes and bodies of here-documents, from left to right, the outermost ones only.

        What is quoted in the delimiter of a here-document is none.
        """
        redirections = self.found.redirections
        delimiters = {(each.start, each.end) for each in redirections if each.operator in (b"<<", b"<<-")}
        inside = {(pair.opening[1], pair.closing[0]) for pair in self.found.quotes}
        inside |= {each.body for each in redirections if each.body is not None}
        outermost: list[Range] = []
        at = 0
        for start, end in sorted(inside | delimiters, key=lambda each: (each[0], -each[1])):
            if at <= start < end:
                at = end
                if (start, end) not in delimiters:
                    outermost.append((start, end))
        return outermost

    def blanks_before(self, at: int) -> int:
        """Where the blanks that end at `at` begin."""
        while at > 0 and self.program[at - 1 : at] in BLANKS:
            at -= 1
        return at

    def blanks_after(self, at: int) -> int:
        """Where the blanks that begin at `at` end."""
        while self.program[at : at + 1] in BLANKS:
            at += 1
        return at
