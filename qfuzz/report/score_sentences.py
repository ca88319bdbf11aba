"""What a reader takes away, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from qfuzz.report.score_words import count_words, effect_words, percent, share_words, signed, value_words
from qfuzz.score.result import ConfigurationScore, Report
from qfuzz.stats.bootstrap import COVERAGE_OF_14


def sentences(score: ConfigurationScore) -> Iterator[str]:
    """Generation, damage, compensation: one sentence each."""
    base, other = score.pair.base, score.pair.other
    rr = score.cells.get("rr")
    if rr is None:
        yield f"Generation: no data, for there are no replies under {base.contract}."
    else:
        yield (
            f"Generation: asked under {base.contract}, {score.title} gives replies that pass {percent(rr.rate)} over "
            f"{base.transport} ({rr.passed} of {rr.total})."
        )
    if score.damage is None:
        yield "Damage: no data."
    else:
        kept = score.retention
        lost = count_words(kept.whole - kept.parts, kept.whole, kept.units, " of ")
        yield (
            f"Damage by the path: {other.transport} changes the score of the same replies by "
            f"{effect_words(score.damage)} points; "
            f"{lost} that were right no longer pass"
            + (f", and of all that fail {share_words(score.exit0, 'end with status 0')}." if score.exit0.whole else ".")
        )
    if score.compensation is None:
        yield f"Compensation: no data, for it takes replies under {base.contract} and under {other.contract}."
    else:
        yield (
            f"Compensation: replies that were told of {other.transport} change that by "
            f"{effect_words(score.compensation)} points, and the matched gap {value_words(score.matched_gap)} is "
            f"{value_words(score.damage)} and {value_words(score.compensation)}."
        )


def summary(scores: Sequence[ConfigurationScore]) -> Iterator[str]:
    """The same three for several configurations, as ranges."""
    pair = scores[0].pair
    rates = [cell.rate for score in scores if (cell := score.cells.get("rr")) is not None and cell.rate is not None]
    yield f"Generation: {len(rates)} configurations pass {_range(rates, percent)} over {pair.base.transport}."
    damages = [score.damage.value for score in scores if score.damage is not None]
    lost = sum(score.retention.whole - score.retention.parts for score in scores)
    right = sum(score.retention.whole for score in scores)
    yield (
        f"Damage by the path: {pair.other.transport} changes the scores of the same replies by "
        f"{_range(damages, signed)} points; "
        f"{lost} of {right} that were right no longer pass."
    )
    told = [score.compensation.value for score in scores if score.compensation is not None]
    gaps = [score.matched_gap.value for score in scores if score.matched_gap is not None]
    yield (
        f"Compensation: replies that were told of {pair.other.transport} change that by {_range(told, signed)} points "
        f"({len(told)} configurations), and the matched gap is {_range(gaps, signed)}."
    )


def _range(values: Sequence[Fraction], words: Callable[[Fraction], str]) -> str:
    if not values:
        return "no data"
    low, high = words(min(values)), words(max(values))
    return low if low == high else f"{low} to {high}"


def advice(score: ConfigurationScore) -> Iterator[str]:
    """Families by what disclosure does there. Four tasks a family decide little, and the line says so."""
    helps: list[tuple[Fraction, str]] = []
    little: list[tuple[Fraction, str]] = []
    hurts: list[tuple[Fraction, str]] = []
    for group in score.by["family"]:
        if group.compensation is None:
            continue
        value = group.compensation.value
        place = helps if value > 0 else hurts if value < 0 else little
        place.append((value, f"{group.name} {signed(value)}"))
    for words, found in (("helps", helps), ("changes nothing", little), ("hurts", hurts)):
        if found:
            listed = ", ".join(text for _, text in sorted(found, key=lambda each: (-abs(each[0]), each[1])))
            yield f"Disclosure {words} in: {listed}."


def caveat(report: Report) -> str:
    """What the intervals are, and how far to trust them."""
    counts = sorted({len({score.ledger.tasks[place].family for place in score.tasks}) for score in report.scores})
    families = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    low, high = COVERAGE_OF_14
    return (
        f"Points are rounded once, from counts. Intervals are 95 % percentile intervals of {report.draws} draws (seed "
        f"{report.seed}) that resample families, here {families}; where that has no width they are exact or Wilson's "
        f"bounds over tasks. With 14 families they are too short: in simulation they hold the truth in {100 * low:.0f} "
        f"to {100 * high:.0f} % of cases, and with fewer families in fewer. (≤5.2) beside none of 56 tasks: with 95 % "
        "confidence it is at most 5.2 %."
    )
