"""Numbers of a score as people read them: signed points with their interval, counts, "no data"."""

from __future__ import annotations

from fractions import Fraction

from qfuzz.score.result import CellScore, ConfigurationScore, Effect, Share
from qfuzz.stats.decompose import points
from qfuzz.stats.intervals import upper_bound_of_none

NO_DATA = "no data"


def number(value: Fraction | float) -> str:
    """One decimal, rounded once."""
    rounded = round(value, 1) if isinstance(value, Fraction) else value
    return f"{float(rounded):.1f}"


def signed(share: Fraction | None) -> str:
    value = points(share)
    return NO_DATA if value is None else f"{value + 0.0:+.1f}"


def percent(rate: Fraction | None) -> str:
    return NO_DATA if rate is None else f"{number(100 * rate)} %"


def bound(value: float) -> str:
    return f"{100 * value + 0.0:+.1f}"


def effect_words(effect: Effect | None) -> str:
    """`-62.5 [-76.8, -48.2]`: points and the bounds of the 95 % interval."""
    if effect is None:
        return NO_DATA
    interval = effect.interval
    return signed(effect.value) + ("" if interval is None else f" [{bound(interval.low)}, {bound(interval.high)}]")


def count_words(passed: int, total: int, tasks: int, of: str = "/") -> str:
    """`42/112`; beside none of `tasks` tasks the share that there may be all the same, in percent."""
    most = upper_bound_of_none(tasks)
    return f"{passed}{of}{total}" + ("" if passed or most is None else f" (≤{number(100 * most)})")


def cell_words(cell: CellScore | None) -> str:
    return NO_DATA if cell is None else count_words(cell.passed, cell.total, cell.tasks)


def value_words(effect: Effect | None) -> str:
    """The points alone."""
    return signed(None if effect is None else effect.value)


def in_tasks(score: ConfigurationScore) -> str:
    """The identity as it was counted: damage and compensation make the matched gap, in tasks."""
    damage, compensation, gap = score.damage, score.compensation, score.matched_gap
    if damage is None or compensation is None or gap is None:
        return NO_DATA
    tasks = len(score.tasks)
    return f"{_tasks(damage, tasks)} {_tasks(compensation, tasks)} = {_tasks(gap, tasks)}"


def _tasks(effect: Effect, tasks: int) -> str:
    value = effect.value * tasks
    return f"{int(value):+d}" if value.denominator == 1 else f"{float(value):+.2f}".rstrip("0")


def share_words(share: Share, what: str) -> str:
    """`30 of 70 (42.9 %) <what>`; beside none the share that there may be all the same."""
    if not share.whole:
        return f"no data on how many {what}"
    most = upper_bound_of_none(share.units)
    if not share.parts and most is not None:
        return f"0 of {share.whole} {what} (≤{number(100 * most)})"
    return f"{share.parts} of {share.whole} ({percent(share.rate)}) {what}"
