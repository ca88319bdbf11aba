"""Counts what the words of a campaign covered, fast enough to be done for each of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from qfuzz.fuzz.escape.alphabet import ALL, COMMON
from qfuzz.fuzz.escape.events import Coverage

LENGTHS = ((0, "0"), (1, "1"), (2, "2"), (3, "3"), (7, "4-7"), (31, "8-31"), (10**9, "32 and more"))
"""The longest word of a class of lengths, and its name."""

_END = "\0"
_COMMON_PAIRS = frozenset((left, right) for left in COMMON for right in COMMON)


class Cover:
    """Counts words, class by class."""

    def __init__(self) -> None:
        self._words = 0
        self._lengths: Counter[int] = Counter()
        self._characters: Counter[str] = Counter()
        self._pairs: set[tuple[str, str]] = set()
        self._complete: list[str] = []

    def add(self, words: Sequence[str]) -> None:
        self._words += len(words)
        self._lengths.update(map(len, words))
        text = _END.join(words)
        self._characters.update(text)
        if len(self._pairs) < len(_COMMON_PAIRS):
            self._pairs |= set(itertools.pairwise(text)) & _COMMON_PAIRS

    def completed(self, what: str) -> None:
        """All words of a kind have been tried."""
        self._complete.append(what)

    def coverage(self) -> Coverage:
        lengths = dict.fromkeys((name for _, name in LENGTHS), 0)
        for length, count in self._lengths.items():
            lengths[next(name for most, name in LENGTHS if length <= most)] += count
        return Coverage(
            words=self._words,
            lengths=lengths,
            characters={character: self._characters[character] for character in ALL if self._characters[character]},
            alphabet=len(ALL),
            pairs=len(self._pairs),
            pairs_possible=len(_COMMON_PAIRS),
            complete=tuple(self._complete),
        )
