"""From counts to effects: exact fractions throughout, rounded once, at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import bdtr

from qfuzz.stats.bootstrap import Floats, Ints


@dataclass(frozen=True, slots=True)
class TaskCounts:
    """One cell by task: `passed` of `trials`, arrays of the same length; a task without trials has no part in it."""

    passed: Ints
    trials: Ints

    @property
    def tasks(self) -> int:
        return int((self.trials > 0).sum())

    def means(self) -> Floats:
        """The mean over trials of each task, NaN where there is none: the unit of everything that follows."""
        trials = np.where(self.trials > 0, self.trials, 1)
        return np.where(self.trials > 0, self.passed / trials, np.nan)

    def rate(self) -> Fraction | None:
        """The mean over tasks of the means over trials; None without data."""
        there = self.trials > 0
        total, tasks = Fraction(0), int(there.sum())
        for count in set(self.trials[there].tolist()):
            total += Fraction(int(self.passed[self.trials == count].sum()), count)
        return total / tasks if tasks else None


@dataclass(frozen=True, slots=True)
class Effects:
    """Damage RN - RR, compensation NN - RN, matched gap NN - RR, as fractions of 1; None where there is no data."""

    damage: Fraction | None
    compensation: Fraction | None
    matched_gap: Fraction | None


def effects(rr: Fraction | None, rn: Fraction | None, nn: Fraction | None) -> Effects:
    """The decomposition of the matched gap (QuoteBench): NN - RR = (RN - RR) + (NN - RN).

    It holds exactly, and only if all three are over the same tasks, which is the caller's to see to.
    """
    damage = None if rr is None or rn is None else rn - rr
    compensation = None if rn is None or nn is None else nn - rn
    gap = None if rr is None or nn is None else nn - rr
    assert damage is None or compensation is None or gap == damage + compensation
    return Effects(damage, compensation, gap)


def crossover(rr: Fraction | None, rn: Fraction | None, nr: Fraction | None, nn: Fraction | None) -> Fraction | None:
    """Diagonal minus anti-diagonal: (RR + NN) / 2 - (RN + NR) / 2, the interaction contrast of a 2 x 2 design.

    How much better replies do over the transport that they were written for; None unless all four are there.
    """
    if rr is None or rn is None or nr is None or nn is None:
        return None
    return (rr + nn) / 2 - (rn + nr) / 2


def points(share: Fraction | None) -> float | None:
    """A share in percentage points with one decimal: the one rounding there is. None stays None."""
    return None if share is None else float(round(100 * share, 1))


@dataclass(frozen=True, slots=True)
class Discordant:
    """Tasks that two cells judge differently. `p` is of exact McNemar, 1 where no task differs."""

    lost: int
    gained: int
    p: float


def mcnemar(before: Floats, after: Floats) -> Discordant | None:
    """Exact McNemar of two cells over the same tasks; None where no task is in both.

    A task counts as lost where its mean fell: with one trial a task that is McNemar's test (Psychometrika 12 (1947)
    153) with the exact binomial distribution, with more it is the sign test over tasks, and trials are not counted.
    """
    both = ~np.isnan(before) & ~np.isnan(after)
    if not both.any():
        return None
    lost = int((after[both] < before[both]).sum())
    gained = int((after[both] > before[both]).sum())
    return Discordant(lost, gained, mcnemar_p(lost, gained))


def mcnemar_p(lost: int, gained: int) -> float:
    """Two-sided exact p: twice the smaller tail of a fair coin thrown `lost + gained` times, at most 1."""
    if lost + gained == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(lost, gained), lost + gained, 0.5)))


def share(parts: int, whole: int) -> Fraction | None:
    """parts / whole; None without data, which is not 0."""
    return Fraction(parts, whole) if whole else None


def mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None
