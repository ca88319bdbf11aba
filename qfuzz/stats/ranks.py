"""Does the order by raw score hold where the path bites? Rank correlation, reversals, regret."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qfuzz.stats.bootstrap import Floats, resampling_weights
from qfuzz.stats.intervals import CONFIDENCE, Interval

_CHUNK = 1_000
"""Draws at a time, so that memory stays small with many configurations."""

Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Reversal:
    """`first` is better than `second` (indices of configurations) by RR, and worse by NN.

    Margins are in tasks, both positive. `probability`: the share of draws of tasks in which both orders are the same
    again. `single_task`: a margin of one task or less carries it.
    """

    first: int
    second: int
    rr_margin: Fraction
    nn_margin: Fraction
    probability: float
    single_task: bool


@dataclass(frozen=True, slots=True)
class Ranks:
    """`tau` None where all configurations are tied on one side. `comparable` pairs are tied on neither."""

    tau: float | None
    interval: Interval | None
    pairs: int
    comparable: int
    reversals: tuple[Reversal, ...]


def pair_signs(scores: Floats) -> Signs:
    """Which of each pair of columns is larger: (rows, pairs) of -1, 0, 1, in the order of numpy's triu_indices."""
    first, second = np.triu_indices(scores.shape[1], 1)
    return np.sign(scores[:, first] - scores[:, second]).astype(np.int8)


def tau_b(x: Signs, y: Signs) -> Floats:
    """Kendall's tau-b of each row of signs, NaN where a side is all ties. Kendall, Biometrika 33 (1945) 239.

    (concordant - discordant) / sqrt(pairs not tied in x * pairs not tied in y).
    """
    agreement = np.einsum("ij,ij->i", x, y, dtype=np.int64)
    untied = np.count_nonzero(x, axis=1).astype(np.float64) * np.count_nonzero(y, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(untied > 0, agreement / np.sqrt(untied), np.nan)
    return result


def ranks(rr: Floats, nn: Floats, scale: int, draws: int, seed: int) -> Ranks:
    """Compare the orders of configurations by RR and by NN.

    `rr` and `nn` are (configurations, tasks) without gaps: whole numbers, `scale` times the mean over trials of each
    task, so that sums are exact and ties are ties. The interval and the probabilities resample tasks whole, with all
    their trials and for all configurations alike (task-cluster bootstrap, percentile).
    """
    configurations, tasks = rr.shape
    raw, nested = rr.sum(axis=1), nn.sum(axis=1)
    x, y = pair_signs(raw[None, :]), pair_signs(nested[None, :])
    firsts, seconds = np.triu_indices(configurations, 1)
    turned = np.flatnonzero(x[0] * y[0] < 0)
    weights = resampling_weights(tasks, draws, seed)
    taus, again = [], np.zeros(len(turned))
    for start in range(0, draws, _CHUNK):
        drawn = weights[start : start + _CHUNK]
        sx, sy = pair_signs(drawn @ rr.T), pair_signs(drawn @ nn.T)
        taus.append(tau_b(sx, sy))
        again += ((sx[:, turned] == x[0, turned]) & (sy[:, turned] == y[0, turned])).sum(axis=0)
    reversals = []
    for place, pair in enumerate(turned):
        better, worse = int(firsts[pair]), int(seconds[pair])
        if x[0, pair] < 0:
            better, worse = worse, better
        rr_margin = Fraction(int(raw[better] - raw[worse]), scale)
        nn_margin = Fraction(int(nested[worse] - nested[better]), scale)
        single = min(rr_margin, nn_margin) <= 1
        reversals.append(Reversal(better, worse, rr_margin, nn_margin, float(again[place] / draws), single))
    tau = float(tau_b(x, y)[0]) if len(firsts) else math.nan
    interval = None if math.isnan(tau) else _tau_interval(np.concatenate(taus))
    comparable = int(np.count_nonzero(x[0] * y[0]))
    return Ranks(None if math.isnan(tau) else tau, interval, len(firsts), comparable, tuple(reversals))


def _tau_interval(drawn: Floats) -> Interval | None:
    # A draw in which one side is all ties has no tau; it says nothing for either end.
    there = drawn[~np.isnan(drawn)]
    if not len(there):
        return None
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(there, [tail, 100 - tail])
    return Interval(float(low), float(high), "task-bootstrap")


@dataclass(frozen=True, slots=True)
class Regret:
    """What choosing by RR costs where the path is the other one. Indices of configurations; shares of 1.

    `chosen` are all that are best by RR: a tie leaves open which is taken, so `reached` goes from the worst to the
    best of them by NN. `best` are those that are best by NN.
    """

    chosen: tuple[int, ...]
    reached: tuple[Fraction, Fraction]
    best: tuple[int, ...]
    best_rate: Fraction

    @property
    def regret(self) -> tuple[Fraction, Fraction]:
        """The least and the most that is lost, by how the tie falls."""
        return self.best_rate - self.reached[1], self.best_rate - self.reached[0]


def regret(rr: list[Fraction], nn: list[Fraction]) -> Regret | None:
    """Savage's regret (JASA 46 (1951) 55) of a choice by raw score; None without a configuration."""
    if not rr:
        return None
    chosen = tuple(index for index, rate in enumerate(rr) if rate == max(rr))
    best = tuple(index for index, rate in enumerate(nn) if rate == max(nn))
    reached = [nn[index] for index in chosen]
    return Regret(chosen, (min(reached), max(reached)), best, max(nn))
