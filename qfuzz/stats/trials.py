"""What repeated trials of a task say beyond their mean."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np

from qfuzz.stats.bootstrap import Ints
from qfuzz.stats.decompose import TaskCounts


def pass_hat(counts: TaskCounts, k: int) -> Fraction | None:
    """pass^k: the chance that k trials of a task, drawn without replacement, all pass; mean over tasks.

    C(c, k) / C(n, k) for c of n trials: Yao et al., tau-bench (2024), section 4. Over the tasks that have k trials or
    more; None where none has.
    """
    enough = counts.trials >= max(k, 1)
    total, tasks = Fraction(0), int(enough.sum())
    for trials in set(counts.trials[enough].tolist()):
        ways = sum(comb(passed, k) for passed in counts.passed[counts.trials == trials].tolist())
        total += Fraction(ways, comb(trials, k))
    return total / tasks if tasks else None


def all_pass(counts: TaskCounts) -> tuple[int, int]:
    """How many tasks pass in every trial, and of how many tasks."""
    there = counts.trials > 0
    return int((counts.passed[there] == counts.trials[there]).sum()), int(there.sum())


@dataclass(frozen=True, slots=True)
class Spread:
    """Pass rates of single trials: `rates` by trial number, and their sample standard deviation (None for one)."""

    rates: tuple[float, ...]
    deviation: float | None
    unsteady: int
    """Tasks that pass in one trial and fail in another."""


def spread(tasks: Ints, trials: Ints, passed: Ints) -> Spread | None:
    """Over replies: each with its task, its trial number and whether it passes; None without data."""
    if not len(tasks):
        return None
    numbers, place = np.unique(trials, return_inverse=True)
    rates = np.bincount(place, passed) / np.bincount(place)
    names, member = np.unique(tasks, return_inverse=True)
    passes = np.bincount(member, passed, len(names))
    unsteady = int(((passes > 0) & (passes < np.bincount(member))).sum())
    deviation = float(np.std(rates, ddof=1)) if len(numbers) > 1 else None
    return Spread(tuple(rates.tolist()), deviation, unsteady)
