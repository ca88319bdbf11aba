"""Every place in a program where a text stands, under every stack of layers that reads it there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qfuzz.shrink.stacks.arguments import split_texts
from qfuzz.shrink.stacks.layers import INNER_LAYERS, LAYERS, SHELL, UNLIKELY, Layer, Place
from qfuzz.shrink.stacks.shell import Field, Kind, fields
from qfuzz.shrink.stacks.units import OPAQUE, Spelling, View, Writer, find_all

MAX_SHELLS = 4
"""How deep shell programs inside shell programs are read."""

_PARTIAL, _LITERAL_INSTEAD, _ADDED_NEWLINE = 1, 2, 1
_ESCAPE_OF_A_LETTER = re.compile(rb"\\[xuU0-7]")
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


def occurrences(program: bytes, text: bytes) -> tuple[Occurrence, ...]:
    """The occurrences of `text` (not empty, no NUL) in a Bash program, by cost, then place, then depth of the stack."""
    assert text, "an empty text stands everywhere"
    assert OPAQUE not in text, "a program can't hold NUL"
    best: dict[tuple[int, int, tuple[str, ...]], Occurrence] = {}
    for found in _Search(text).in_program(program, 0):
        key = (found.start, found.end, found.stack)
        if key not in best or found.cost < best[key].cost:
            best[key] = found
    return tuple(sorted(best.values(), key=lambda each: (each.cost, each.start, each.end, len(each.stack), each.stack)))


class _Search:
    def __init__(self, text: bytes) -> None:
        self._text = text
        # Letters and digits stand for themselves in every layer, unless they are written by number.
        self._letters = max(_RUN_OF_LETTERS.findall(text), key=len, default=b"")

    def _possible(self, source: bytes) -> bool:
        return self._letters in source or _ESCAPE_OF_A_LETTER.search(source) is not None

    def in_program(self, source: bytes, shells: int) -> Iterator[Occurrence]:
        """Occurrences in a shell program inside `shells` others."""
        found = fields(source)
        indexes = {id(word): at for field in found for at, word in enumerate(field.command.words)}
        for field in found:
            if not self._possible(field.view.text):
                continue
            words = [word.view.text for word in field.command.words]
            place = Place(words, indexes.get(id(field)) if field.kind is Kind.WORD else None)
            for inner in self._in_field(field, place, shells):
                lifted = _lift(source, field.view, inner)
                if lifted is not None:
                    yield replace(lifted, stack=field.around + lifted.stack)
        for command in {id(field.command): field.command for field in found}.values():
            for split in split_texts(source, command, self._text):
                yield Occurrence(split.start, split.end, split.stack, split.write, split.exact, 0)

    def _in_field(self, field: Field, place: Place, shells: int) -> Iterator[Occurrence]:
        source = field.view.text
        if field.kind is not Kind.PROGRAM:
            suggested = False
            for layer in LAYERS:
                suggested |= layer.fits(place, source)
                yield from self._in_layer(layer, source, place, shells)
            yield from self._as_literal(source, _LITERAL_INSTEAD * suggested + _PARTIAL)
        if shells < MAX_SHELLS:
            likely = field.kind is Kind.PROGRAM or place.runs_shell_text
            yield from _dearer(self.in_program(source, shells + 1), 0 if likely else UNLIKELY)

    def _in_layer(self, layer: Layer, source: bytes, place: Place, shells: int) -> Iterator[Occurrence]:
        cost = 0 if layer.fits(place, source) else UNLIKELY
        for view in layer.views(source):
            if not self._possible(view.text):
                continue
            for inner in self._in_literal(layer, view.text, place, shells):
                lifted = _lift(source, view, inner)
                if lifted is not None:
                    yield replace(lifted, cost=lifted.cost + cost)

    def _in_literal(self, layer: Layer, source: bytes, place: Place, shells: int) -> Iterator[Occurrence]:
        yield from self._as_literal(source, 0)
        for deeper in INNER_LAYERS:
            if deeper.name in layer.inside:
                yield from self._in_layer(deeper, source, place, shells)
        if SHELL in layer.inside and shells < MAX_SHELLS:
            yield from _dearer(self.in_program(source, shells + 1), UNLIKELY)

    def _as_literal(self, source: bytes, cost_of_part: int) -> Iterator[Occurrence]:
        """The text as it is. Its last newline may be one that the command adds (echo, printf '%s\\n')."""
        text = self._text
        for at in find_all(source, text):
            partial = len(text) != len(source)
            yield Occurrence(at, at + len(text), (), _verbatim, True, cost_of_part - (not partial and cost_of_part > 0))
        shorter = text[:-1]
        if text.endswith(b"\n") and shorter and source.endswith(shorter):
            start = len(source) - len(shorter)
            cost = cost_of_part + _ADDED_NEWLINE
            yield Occurrence(start, len(source), ("added-newline",), _without_newline, True, cost)


def _dearer(found: Iterator[Occurrence], cost: int) -> Iterator[Occurrence]:
    return (replace(each, cost=each.cost + cost) for each in found)


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
