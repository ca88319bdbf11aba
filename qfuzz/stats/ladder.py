"""Efforts of one model as rungs of a ladder, and the rung that looks most like leaving the effort unset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

KNOWN_EFFORTS = ("none", "off", "minimal", "min", "low", "medium", "high", "xhigh", "max")

Rates = Mapping[str, Fraction | None]
"""Cell name (rr, rn, nn, ...) to its rate."""


def rungs(efforts: Sequence[str]) -> list[str]:
    """Efforts from least to most: numbers by value, then the names that providers use, then others by spelling."""

    def place(effort: str) -> tuple[int, float, str]:
        if effort in KNOWN_EFFORTS:
            return 1, KNOWN_EFFORTS.index(effort), effort
        try:
            return 0, float(effort), effort
        except ValueError:
            return 2, 0.0, effort

    return sorted(efforts, key=place)


def movement(rates: Sequence[Fraction | None]) -> Fraction | None:
    """The most that a rate moves within a ladder; None for fewer than two rungs with data."""
    there = [rate for rate in rates if rate is not None]
    return max(there) - min(there) if len(there) > 1 else None


def nearest(unset: Rates, ladder: Mapping[str, Rates]) -> tuple[tuple[str, ...], Fraction] | None:
    """The rungs whose cells are nearest to those of the unset effort, and how far: the mean absolute difference.

    More than one where they are equally near. None where no rung shares a cell with it.
    """
    distances: dict[str, Fraction] = {}
    for rung, rates in ladder.items():
        shared = [
            abs(mine - theirs)
            for cell, mine in unset.items()
            if mine is not None and (theirs := rates.get(cell)) is not None
        ]
        if shared:
            distances[rung] = sum(shared, Fraction(0)) / len(shared)
    if not distances:
        return None
    least = min(distances.values())
    return tuple(rung for rung, distance in distances.items() if distance == least), least
