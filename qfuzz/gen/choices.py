"""One interface for every free choice of a task, with a seeded implementation. Hypothesis has its own in strategies."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

WORDS = (
    *(
        "amber",
        "anchor",
        "aspen",
        "badger",
        "barley",
        "basin",
        "beacon",
        "birch",
        "bramble",
        "breeze",
        "bronze",
        "canyon",
    ),
    *(
        "cedar",
        "cinder",
        "clover",
        "cobalt",
        "copper",
        "coral",
        "cotton",
        "crater",
        "ember",
        "falcon",
        "fennel",
        "fjord",
    ),
    *("garnet", "ginger", "glacier", "granite", "hazel", "heron", "indigo", "ivory", "jasper", "juniper", "lantern"),
    *(
        "lavender",
        "lichen",
        "linden",
        "maple",
        "marble",
        "meadow",
        "mirror",
        "nettle",
        "nutmeg",
        "ochre",
        "olive",
        "orchid",
    ),
    *(
        "otter",
        "paper",
        "pebble",
        "pepper",
        "pewter",
        "quartz",
        "raven",
        "ribbon",
        "river",
        "saffron",
        "silver",
        "spruce",
    ),
    *(
        "sparrow",
        "summit",
        "thistle",
        "timber",
        "tulip",
        "umber",
        "velvet",
        "violet",
        "walnut",
        "willow",
        "winter",
        "yarrow",
    ),
)
"""Incidental names. Lower case ASCII; none is a command, a shell keyword or a variable of the fixed environment."""


class Choices(ABC):
    """A source of choices. Everything else is derived from `integer`, so an implementation is one method."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""

    def group(self, make: Callable[[], T]) -> T:
        """`make()`, whose choices belong together: an implementation that shrinks can take them out as one."""
        return make()

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`, which must not be empty."""
        return options[self.integer(0, len(options) - 1)]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different places of `options`, in random order."""
        left = list(options)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(count)]

    def word(self) -> str:
        return self.pick(WORDS)

    def words(self, count: int) -> list[str]:
        """`count` different words."""
        return self.sample(WORDS, count)


class SeededChoices(Choices):
    """Choices from SHA-256 of a seed, a position and a counter: the same on every machine and Python.

    The position is any sequence of texts; each part is length-prefixed, so that no two positions share a stream.
    """

    def __init__(self, seed: str, *position: str) -> None:
        parts = [part.encode("utf-8") for part in (seed, *position)]
        self._prefix = hashlib.sha256(b"".join(b"%d:%s" % (len(part), part) for part in parts)).digest()
        self._counter = 0

    def integer(self, low: int, high: int) -> int:
        assert low <= high, f"no whole number from {low} to {high}"
        block = hashlib.sha256(self._prefix + self._counter.to_bytes(8, "big")).digest()
        self._counter += 1
        # 256 bits against ranges below 2**64: the bias of the remainder is under 2**-192.
        return low + int.from_bytes(block, "big") % (high - low + 1)
