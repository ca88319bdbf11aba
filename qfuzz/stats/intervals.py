"""Intervals of a share from counts alone, for where resampling has nothing to resample: closed forms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betaincinv, ndtri

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` to `high` in the unit of what it belongs to (a share: 0 to 1). `method` says how it was made."""

    low: float
    high: float
    method: str


def clopper_pearson(passed: int, total: int, confidence: float = CONFIDENCE) -> Interval | None:
    """The exact two-sided interval of a share; None without data. Clopper and Pearson, Biometrika 26 (1934) 404."""
    if not total:
        return None
    tail = (1 - confidence) / 2
    low = 0.0 if passed == 0 else float(betaincinv(passed, total - passed + 1, tail))
    high = 1.0 if passed == total else float(betaincinv(passed + 1, total - passed, 1 - tail))
    return Interval(low, high, "clopper-pearson")


def wilson(passed: int, total: int, confidence: float = CONFIDENCE) -> Interval | None:
    """The score interval of a share; None without data. Wilson, JASA 22 (1927) 209."""
    if not total:
        return None
    z = float(ndtri(1 - (1 - confidence) / 2))
    share = passed / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    low = 0.0 if passed == 0 else (middle - half) / scale
    high = 1.0 if passed == total else (middle + half) / scale
    return Interval(low, high, "wilson")


def upper_bound_of_none(total: int, confidence: float = CONFIDENCE) -> float | None:
    """How large a share may be of which none was seen in `total`: the one-sided exact bound, 1 - (1 - c)^(1/n).

    None without data. The "rule of three" (3/n) is its approximation: Hanley and Lippman-Hand, JAMA 249 (1983) 1743.
    """
    return 1 - (1 - confidence) ** (1 / total) if total else None


def paired_bounds(losses: int, gains: int, total: int, *, whole: bool) -> Interval | None:
    """Conservative bounds of a mean of differences between -1 and 1, of which `losses` are below 0, `gains` above.

    The share of losses and the share of gains each get a Clopper-Pearson interval at half the risk (Bonferroni), so
    that together they cover. `whole`: every difference is -1, 0 or 1, as of single trials; otherwise one that was seen
    may be as small as it likes. None without data.
    """
    each = 1 - (1 - CONFIDENCE) / 2
    lost, gained = clopper_pearson(losses, total, each), clopper_pearson(gains, total, each)
    if lost is None or gained is None:
        return None
    least = (lost.low, gained.low) if whole else (0.0, 0.0)
    return Interval(max(-1.0, least[1] - lost.high), min(1.0, gained.high - least[0]), "exact")


def difference_of_independent(first: float, of_first: Interval, second: float, of_second: Interval) -> Interval:
    """The interval of second - first from the interval of each, for samples that share nothing.

    Newcombe, Statistics in Medicine 17 (1998) 873, method 10: the distances to the bounds add as squares.
    """
    difference = second - first
    low = difference - math.hypot(second - of_second.low, of_first.high - first)
    high = difference + math.hypot(of_second.high - second, first - of_first.low)
    return Interval(low, high, "newcombe")
