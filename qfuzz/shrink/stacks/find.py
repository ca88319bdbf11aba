"""Every place in a program where a text stands, under every stack of layers that reads it there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qfuzz.shrink.stacks.arguments import split_texts
from qfuzz.shrink.stacks.layers import ELSEWHERE, INNER_LAYERS, LAYERS, SHELL, SHELL_TOOLS, UNLIKELY, Layer, Place
from qfuzz.shrink.stacks.shell import Field, Kind, fields
from qfuzz.shrink.stacks.units import OPAQUE, Spelling, View, Writer, find_all

MAX_SHELLS = 4
"""How deep shell programs inside shell programs are read."""

MAX_COST = 8
"""Stacks that nothing suggests are not read deeper than this."""

MAX_OCCURRENCES = 2000
"""More are too many to tell apart by trying."""

MAX_READ = 16_000
"""Bytes of a word up to which it is read in other languages than the shell's, where its command does not suggest it."""

MAX_WORDS = 64
"""Words of a command that are looked at to guess what it reads."""

_PARTIAL, _LITERAL_INSTEAD, _ADDED_NEWLINE = 1, 2, 1
_NUMBER_ESCAPE = re.compile(rb"\\[xuU0-7]")
_WRITTEN_BY_NAME = {7, 8, 9, 10, 11, 12, 13, 27}
_RUN_OF_LETTERS = re.compile(rb"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """`source[start:end]` spells the text under `stack`, outermost layer first; `write` spells another one there.

    `exact` if `write` gives the author's own bytes for the original. `cost` orders guesses, the likely one first.
    """

    start: int
    end: int
    stack: tuple[str, ...]
    write: Writer
    exact: bool
    cost: int


def occurrences(program: bytes, text: bytes) -> tuple[Occurrence, ...] | None:
    """The occurrences of `text` (not empty, no NUL) in a Bash program, by cost, then place, then depth of the stack.

    None where there are more than MAX_OCCURRENCES.
    """
    assert text, "an empty text stands everywhere"
    assert OPAQUE not in text, "a program can't hold NUL"
    best: dict[tuple[int, int, tuple[str, ...]], Occurrence] = {}
    for found in _Search(program, text).in_program(program, 0, 0):
        key = (found.start, found.end, found.stack)
        if key not in best or found.cost < best[key].cost:
            best[key] = found
        if len(best) > MAX_OCCURRENCES:
            return None
    return tuple(sorted(best.values(), key=lambda each: (each.cost, each.start, each.end, len(each.stack), each.stack)))


class _Search:
    def __init__(self, program: bytes, text: bytes) -> None:
        self._program = program
        self._text = text
        self._cost_of_shell = ELSEWHERE if any(tool in program for tool in SHELL_TOOLS) else UNLIKELY
        self._longest = max(_RUN_OF_LETTERS.findall(text), key=len, default=b"")
        self._bytes = set(text) - _WRITTEN_BY_NAME

    def _possible(self, source: bytes) -> bool:
        """A quick look: in every layer a letter stands for itself and an escape holds its byte, or gives a number."""
        if self._longest in source and self._bytes <= set(source):
            return True
        return _NUMBER_ESCAPE.search(source) is not None

    def in_program(self, source: bytes, shells: int, spent: int) -> Iterator[Occurrence]:
        """Occurrences in a shell program inside `shells` others, `spent` being the cost of what is around it."""
        if shells > MAX_SHELLS or spent > MAX_COST:
            return
        found = fields(source)
        for field in found:
            if not self._possible(field.view.text):
                continue
            for inner in self._in_field(field, shells, spent):
                lifted = _lift(source, field.view, inner)
                if lifted is not None:
                    yield replace(lifted, stack=field.around + lifted.stack)
        for command in {id(field.command): field.command for field in found}.values():
            for split in split_texts(source, command, self._text):
                yield Occurrence(split.start, split.end, split.stack, split.write, split.exact, spent)

    def _in_field(self, field: Field, shells: int, spent: int) -> Iterator[Occurrence]:
        source = field.view.text
        if field.kind is Kind.PROGRAM:
            yield from self.in_program(source, shells + 1, spent)
            return
        place = _place(field)
        suggested = False
        for layer in LAYERS if len(source) <= MAX_READ else ():
            suggested |= layer.fits(place, source)
            yield from self._in_layer(layer, source, place, shells, spent)
        yield from self._as_literal(source, spent + _LITERAL_INSTEAD * suggested, _PARTIAL)
        if place.runs_shell_text:
            yield from self.in_program(source, shells + 1, spent)
        elif len(source) <= MAX_READ and len(source.split(None, 1)) > 1:
            yield from self.in_program(source, shells + 1, spent + self._cost_of_shell)

    def _in_layer(self, layer: Layer, source: bytes, place: Place, shells: int, spent: int) -> Iterator[Occurrence]:
        spent += layer.cost(place, source, self._program)
        if spent > MAX_COST:
            return
        for view in layer.views(source):
            if not self._possible(view.text):
                continue
            for inner in self._in_literal(layer, view.text, place, shells, spent):
                lifted = _lift(source, view, inner)
                if lifted is not None:
                    yield lifted

    def _in_literal(self, layer: Layer, source: bytes, place: Place, shells: int, spent: int) -> Iterator[Occurrence]:
        yield from self._as_literal(source, spent, 0)
        for deeper in INNER_LAYERS:
            if deeper.name in layer.inside:
                yield from self._in_layer(deeper, source, place, shells, spent)
        if SHELL in layer.inside:
            yield from self.in_program(source, shells + 1, spent + self._cost_of_shell)

    def _as_literal(self, source: bytes, spent: int, partial: int) -> Iterator[Occurrence]:
        """The text as it is; `partial` is what it costs to be a part of `source` only.

        Its last newline may be one that the command adds (echo, printf '%s\\n').
        """
        text = self._text
        for at in find_all(source, text):
            cost = spent + (partial if len(text) < len(source) else 0)
            yield Occurrence(at, at + len(text), (), _verbatim, True, cost)
        shorter = text[:-1]
        if text.endswith(b"\n") and shorter and source.endswith(shorter):
            start = len(source) - len(shorter)
            cost = spent + _ADDED_NEWLINE + (partial if start else 0)
            yield Occurrence(start, len(source), ("added-newline",), _without_newline, True, cost)


def _place(field: Field) -> Place:
    words = field.command.words[:MAX_WORDS]
    index = next((at for at, word in enumerate(words) if word is field), len(words))
    return Place([word.view.text for word in words], index if field.kind is Kind.WORD else None)


def _verbatim(text: bytes) -> bytes:
    return text


def _without_newline(text: bytes) -> bytes | None:
    return text[:-1] if text.endswith(b"\n") else None


def _lift(source: bytes, view: View, inner: Occurrence) -> Occurrence | None:
    """The occurrence as `source` has it; None where it ends inside an escape or no spelling can hold it."""
    units = view.slice(inner.start, inner.end)
    if units is None:
        return None
    start, end = units[0].start, units[-1].end
    chosen: Spelling | None = None
    for spelling in view.spell(units):
        written = spelling.write(view.text[inner.start : inner.end])
        if written == source[start:end]:
            return _composed(start, end, spelling, inner, exact=inner.exact)
        if chosen is None and written is not None:
            chosen = spelling
    return None if chosen is None else _composed(start, end, chosen, inner, exact=False)


def _composed(start: int, end: int, spelling: Spelling, inner: Occurrence, *, exact: bool) -> Occurrence:
    def write(text: bytes) -> bytes | None:
        within = inner.write(text)
        return None if within is None else spelling.write(within)

    return Occurrence(start, end, (spelling.layer, *inner.stack), write, exact, inner.cost)
