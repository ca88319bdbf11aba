"""What a layer reads in a text, with the place of each piece: enough to find a text and to put another one there."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

OPAQUE = b"\0"
"""Stands for what only running tells (an expansion, a wildcard). No payload holds it, so it never matches one."""

Writer = Callable[[bytes], bytes | None]
"""Spells a text so that the layers read it again; None where they can't carry it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """`source[start:end]` is read as `value`, under the rules of `context`."""

    start: int
    end: int
    value: bytes
    context: str

    @property
    def divisible(self) -> bool:
        """Whether each byte of the value is a byte of the source. An escape as long as its value does not occur."""
        return self.end - self.start == len(self.value)

    def part(self, low: int, high: int) -> Unit:
        """The piece that gives `value[low:high]`; only for a divisible unit."""
        return Unit(self.start + low, self.start + high, self.value[low:high], self.context)


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write any text in place of some units. `layer` names it in a stack."""

    layer: str
    write: Writer


Spell = Callable[[tuple[Unit, ...]], Iterable[Spelling]]
"""The spellings that can replace these neighbouring units, the author's most likely one first."""


def spelled(layer: str, *writers: Writer) -> Spell:
    """The same spellings in place of any units: those of a layer in which only one thing surrounds a text."""
    return lambda _: (Spelling(layer, write) for write in writers)


class View:
    """A part of a source text as one layer reads it: `text` is what it reads, `units` say where each piece stands."""

    def __init__(self, units: Iterable[Unit], spell: Spell) -> None:
        self.units = tuple(unit for unit in units if unit.value)
        self.text = b"".join(unit.value for unit in self.units)
        self.spell = spell
        self._offsets = list(itertools.accumulate((len(unit.value) for unit in self.units), initial=0))

    def slice(self, low: int, high: int) -> tuple[Unit, ...] | None:
        """The units that give `text[low:high]`, or None where an end of it lies inside an escape."""
        assert 0 <= low < high <= len(self.text), (low, high)
        found = []
        at = bisect_right(self._offsets, low) - 1
        while at < len(self.units) and self._offsets[at] < high:
            unit, offset = self.units[at], self._offsets[at]
            first, last = max(low - offset, 0), min(high - offset, len(unit.value))
            if (first, last) != (0, len(unit.value)):
                if not unit.divisible:
                    return None
                unit = unit.part(first, last)
            found.append(unit)
            at += 1
        return tuple(found)


def find_all(text: bytes, sought: bytes) -> Iterator[int]:
    """Every place where `sought` stands in `text`, overlapping ones too."""
    at = text.find(sought)
    while at >= 0:
        yield at
        at = text.find(sought, at + 1)
