"""The smallest text that fails, among small ones made of the hazards of a given text: a search that tries few."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from qfuzz.shrink.payload_probes import QUOTING, frames, hazards, pairs, triples
from qfuzz.shrink.repair import OutOfTrials

T = TypeVar("T")

MAX_CORES = 12
"""Small texts that are tried before parts of the original are left out."""


def smallest(
    original: str, letter: str, needed: int, trial_of: Callable[[str], T | None], fails: Callable[[T], bool]
) -> T | None:
    """The trial of the first text that fails, or None if none was found. OutOfTrials from `fails` ends the search.

    Tried are texts of one hazardous character of `original`, then of two, of three, then `original` itself with parts
    left out. `trial_of` makes a trial of a text, None where that is not possible; `letter` is a plain text, and
    `needed` how many characters every text needs beside its core.
    """
    best: T | None = None

    def framed(core: str) -> tuple[str, T] | None:
        for text in frames(core, letter):
            trial = trial_of(text)
            if trial is not None:
                return text, trial
        return None

    def core_fails(core: str) -> bool:
        found = framed(core)
        return found is not None and fails(found[1])

    try:
        small = _by_length(_cores(original, letter, core_fails), framed, needed)
        for _, trial in itertools.islice(small, MAX_CORES):
            if fails(trial):
                return trial
        text, size = original, len(original) // 2
        while size:
            at = 0
            while at < len(text):
                shorter = text[:at] + text[at + size :]
                smaller = trial_of(shorter)
                if smaller is not None and fails(smaller):
                    text, best = shorter, smaller
                else:
                    at += size
            size //= 2
    except OutOfTrials:
        pass
    return best


def _cores(original: str, letter: str, fails: Callable[[str], bool]) -> Iterator[str]:
    """Small texts in the order in which they are tried.

    Characters that quote nothing are tried all together before each by itself: where that does not fail, most likely
    none of them does, and their turn comes last.
    """
    found = hazards(original)
    quoting = [char for char in found if char in QUOTING]
    others = [char for char in found if char not in QUOTING]
    yield from quoting
    if len(others) == 1 or (others and fails(letter.join(["", *others, ""]))):
        yield from others
        yield from pairs(original, found, letter)
    else:
        yield from pairs(original, quoting, letter)
        yield from others
        yield from pairs(original, others, letter)
    yield from triples(original, found, letter)


def _by_length(
    cores: Iterable[str], framed: Callable[[str], tuple[str, T] | None], needed: int
) -> Iterator[tuple[str, T]]:
    """The framed cores; one that needs more around it than the rest waits for cores of its length."""
    waiting: list[tuple[int, int, tuple[str, T]]] = []
    for at, core in enumerate(cores):
        due = len(core) + needed
        while waiting and waiting[0][0] < due:
            yield heapq.heappop(waiting)[2]
        found = framed(core)
        if found is not None and len(found[0]) > due:
            heapq.heappush(waiting, (len(found[0]), at, found))
        elif found is not None:
            yield found
    while waiting:
        yield heapq.heappop(waiting)[2]
