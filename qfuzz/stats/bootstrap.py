"""The family bootstrap: families are resampled whole, because the tasks of one go right and wrong together."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from qfuzz.stats.intervals import CONFIDENCE, Interval, paired_bounds, wilson

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWS = 10_000
MIN_FAMILIES = 2

COVERAGE_OF_14 = (0.91, 0.93)
"""What nominal 95 % intervals of 14 families cover, simulated over weak to strong likeness of the tasks of a family:
`python -m bench.coverage` measures it (0.915, 0.917, 0.925), and docs/experiment.md has the table."""


@functools.lru_cache(maxsize=64)
def resampling_weights(clusters: int, draws: int, seed: int) -> Floats:
    """How often each cluster is in each draw: (draws, clusters), each row sums to `clusters`.

    Efron, Annals of Statistics 7 (1979) 1, of whole clusters: Davison and Hinkley, Bootstrap Methods (1997), 3.8. The
    choices come from the raw stream of PCG64, which numpy promises to keep, and not from its distributions.
    """
    stream = np.random.PCG64(seed)
    high_halves = stream.random_raw(draws * clusters) >> np.uint64(32)
    chosen = ((high_halves * np.uint64(clusters)) >> np.uint64(32)).astype(np.int64).reshape(draws, clusters)
    places = chosen + np.arange(draws, dtype=np.int64)[:, None] * clusters
    weights = np.bincount(places.ravel(), minlength=draws * clusters).reshape(draws, clusters).astype(np.float64)
    weights.flags.writeable = False
    return weights


class FamilyBootstrap:
    """`draws` resamplings of families from `seed`: the same arguments give the same intervals everywhere."""

    def __init__(self, draws: int = DRAWS, seed: int = 0) -> None:
        self.draws = draws
        self.seed = seed

    def ratios(self, parts: Floats, wholes: Floats, families: Ints) -> tuple[Floats, Floats]:
        """Percentile bounds of sum(parts) / sum(wholes): two arrays, one item a row.

        `parts` and `wholes` are (rows, tasks), `families` numbers the family of each task, from 0. NaN where nothing is
        to divide by, or where fewer than MIN_FAMILIES have anything. Percentile method: Efron and Tibshirani (1993),
        chapter 13.
        """
        low, high = np.full(len(parts), np.nan), np.full(len(parts), np.nan)
        if not len(families):
            return low, high
        belongs = np.zeros((len(families), int(families.max()) + 1))
        belongs[np.arange(len(families)), families] = 1.0
        numerators, denominators = parts @ belongs, wholes @ belongs
        # Rows with the same families share their draws; most often that is all of them.
        alike: dict[bytes, list[int]] = {}
        for row, has in enumerate(denominators > 0):
            alike.setdefault(has.tobytes(), []).append(row)
        for pattern, rows in alike.items():
            there = np.flatnonzero(np.frombuffer(pattern, np.bool_))
            if len(there) < MIN_FAMILIES:
                continue
            weights = resampling_weights(len(there), self.draws, self.seed)
            chosen = np.ix_(np.array(rows), there)
            low[rows], high[rows] = percentiles((numerators[chosen] @ weights.T) / (denominators[chosen] @ weights.T))
        return low, high

    def means(self, values: Floats, families: Ints) -> tuple[Floats, Floats]:
        """Percentile bounds of the mean over tasks of each row; NaN in `values` is a task that the row has not."""
        there = ~np.isnan(values)
        return self.ratios(np.where(there, values, 0.0), there.astype(np.float64), families)

    def difference_of_means(self, first: Floats, families: Ints, second: Floats, others: Ints) -> Interval | None:
        """mean(second) - mean(first) of two task sets that have the same families, which are resampled together."""
        names = np.intersect1d(families, others)
        if len(names) < MIN_FAMILIES or not np.isin(families, names).all() or not np.isin(others, names).all():
            return None
        weights = resampling_weights(len(names), self.draws, self.seed)
        drawn = _weighted_means(weights, second, np.searchsorted(names, others)) - _weighted_means(
            weights, first, np.searchsorted(names, families)
        )
        low, high = percentiles(drawn[None, :])
        return Interval(float(low[0]), float(high[0]), "family-bootstrap")


def _weighted_means(weights: Floats, values: Floats, member: Ints) -> Floats:
    clusters = weights.shape[1]
    sums = np.bincount(member, values, clusters)
    counts = np.bincount(member, minlength=clusters)
    means: Floats = (weights @ sums) / (weights @ counts)
    return means


def percentiles(drawn: Floats) -> tuple[Floats, Floats]:
    """The bounds of each row of draws: type 7 of Hyndman and Fan (1996), as numpy.percentile has it.

    Sorting only what the four neighbouring ranks need is several times faster than two percentiles of whole rows.
    """
    last = drawn.shape[-1] - 1
    tail = (1 - CONFIDENCE) / 2
    places = [tail * last, (1 - tail) * last]
    floors = [int(np.floor(place)) for place in places]
    ranks = sorted({*floors, *(min(floor + 1, last) for floor in floors)})
    parted = np.partition(drawn, ranks, axis=-1)
    low, high = (
        parted[..., floor] + (place - floor) * (parted[..., min(floor + 1, last)] - parted[..., floor])
        for place, floor in zip(places, floors, strict=True)
    )
    return low, high


def difference_interval(low: float, high: float, values: Floats) -> Interval | None:
    """The interval of a mean of differences: the bootstrap's `low` and `high`, or bounds where it has no width.

    All families alike make a bootstrap that knows no doubt, and one family makes none; then `paired_bounds` speaks.
    """
    there = values[~np.isnan(values)]
    if not np.isnan(low) and high - low > 1e-12:
        return Interval(low, high, "family-bootstrap")
    whole = bool(np.isin(there, (-1.0, 0.0, 1.0)).all())
    return paired_bounds(int((there < 0).sum()), int((there > 0).sum()), len(there), whole=whole)


def rate_interval(low: float, high: float, rate: float, units: int) -> Interval | None:
    """The interval of a share over `units`: the bootstrap's, or Wilson's where the share is 0 or 1 or it has no width.

    There it takes the units for independent, which the units of a family are not.
    """
    if not units:
        return None
    if 0.0 < rate < 1.0 and not np.isnan(low) and high - low > 1e-12:
        return Interval(low, high, "family-bootstrap")
    return wilson(round(rate * units), units)
