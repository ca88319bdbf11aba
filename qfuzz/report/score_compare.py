"""Scores beside one another, as blocks: rankings, effort ladders, userlands, task sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from qfuzz.report.score_page import Block, Heading, Note, Table
from qfuzz.report.score_words import (
    NO_DATA,
    cell_words,
    count_words,
    effect_words,
    number,
    percent,
    signed,
    value_words,
)
from qfuzz.score.result import ConfigurationScore, Ladder, Ranking, SetContrast, UserlandContrast
from qfuzz.stats.ranks import Reversal


def ranking_blocks(ranking: Ranking) -> Iterator[Block]:
    scores, ranks = ranking.scores, ranking.ranks
    first = scores[0]
    yield Heading(f"Two rankings: {first.pair.name} on {first.validator.task_set.title}, {ranking.tasks} tasks")
    turned = {place for each in ranks.reversals for place in (each.first, each.second)}
    by_rr, by_nn = (sorted(range(len(scores)), key=_order(scores, cell)) for cell in ("rr", "nn"))
    rows = []
    for left, right in zip(by_rr, by_nn, strict=True):
        row: tuple[str, ...] = ()
        for place, cell in ((left, "rr"), (right, "nn")):
            mark = " *" if place in turned else ""
            row += (
                f"{_place(scores, place, cell)}. {scores[place].title}{mark}",
                cell_words(scores[place].cells[cell]),
            )
        rows.append(row)
    yield Table(("by RR", "RR", "by NN", "NN"), tuple(rows))
    if ranks.tau is None:
        yield Note("Kendall's tau-b: no data, for all are tied on one side.")
    else:
        interval = ranks.interval
        bounds = "" if interval is None else f" [{interval.low:+.2f}, {interval.high:+.2f}] by resampling tasks"
        yield Note(
            f"Kendall's tau-b {ranks.tau:+.2f}{bounds}; {ranks.comparable} of {ranks.pairs} pairs are comparable, "
            f"{len(ranks.reversals)} reversed (*), {sum(each.single_task for each in ranks.reversals)} of these by a "
            "single task."
        )
    if ranks.reversals:
        yield Table(
            ("better by RR, worse by NN", "RR margin", "NN margin", "again", ""),
            tuple(_reversal_row(scores, each) for each in ranks.reversals),
        )
        yield Note("Margins are in tasks; again: in how many of 100 draws of tasks both orders are the same.")
    regret = ranking.regret
    low, high = regret.regret
    chosen = ", ".join(scores[place].title for place in regret.chosen)
    lost = signed(-high) if low == high else f"{signed(-high)} to {signed(-low)}"
    yield Note(
        f"Choosing by RR ({chosen}) reaches {_between(regret.reached)} over {first.pair.other.transport}; the best "
        f"there is {percent(regret.best_rate)}: {lost} points."
    )


def _order(scores: tuple[ConfigurationScore, ...], cell: str) -> Callable[[int], tuple[float, str]]:
    def key(place: int) -> tuple[float, str]:
        rate = scores[place].cells[cell].rate
        return (-float(rate) if rate is not None else 0.0, scores[place].title)

    return key


def _place(scores: tuple[ConfigurationScore, ...], place: int, cell: str) -> int:
    """The rank of a configuration: equals share the smaller number."""
    own = scores[place].cells[cell].rate
    return 1 + sum(
        own is not None and rate is not None and rate > own for rate in (each.cells[cell].rate for each in scores)
    )


def _reversal_row(scores: tuple[ConfigurationScore, ...], each: Reversal) -> tuple[str, ...]:
    return (
        f"{scores[each.first].title} / {scores[each.second].title}",
        f"{float(each.rr_margin):g}",
        f"{float(each.nn_margin):g}",
        number(100 * each.probability),
        "single task" if each.single_task else "",
    )


def _between(rates: tuple[Fraction, Fraction]) -> str:
    low, high = map(percent, rates)
    return low if low == high else f"{low} to {high}"


def ladder_blocks(ladder: Ladder) -> Iterator[Block]:
    yield Heading(f"Effort ladder of {ladder.model or 'no model named'}: {ladder.pair.name}, {ladder.task_set.title}")
    rows = [(score.configuration[1] or "", score) for score in ladder.rungs]
    if ladder.unset is not None:
        rows.append(("unset", ladder.unset))
    yield Table(
        ("effort", "RR", "RN", "NN", "damage", "compensation", "matched gap"),
        tuple(
            (
                name,
                *(cell_words(score.cells.get(cell)) for cell in ("rr", "rn", "nn")),
                *(value_words(each) for each in (score.damage, score.compensation, score.matched_gap)),
            )
            for name, score in rows
        ),
    )
    moves = ", ".join(
        f"{cell.upper()} {number(100 * value)}" for cell, value in ladder.moves.items() if value is not None
    )
    if moves:
        yield Note(f"Within the ladder the rates move by at most, in points: {moves}.")
    if ladder.nearest is not None:
        rungs, distance = ladder.nearest
        yield Note(
            f"The unset effort is nearest to {' and '.join(rungs)}, {number(100 * distance)} points away in the mean "
            "over RR, RN and NN."
        )


def userland_blocks(contrast: UserlandContrast) -> Iterator[Block]:
    first, second = contrast.first, contrast.second
    yield Heading(f"{first.userland} beside {second.userland}: {first.title}, {first.pair.name}")
    yield Table(
        ("userland", "RR", "RN", "NR", "NN", "damage", "compensation"),
        tuple(
            (
                score.userland,
                *(cell_words(score.cells.get(cell)) for cell in ("rr", "rn", "nr", "nn")),
                effect_words(score.damage),
                effect_words(score.compensation),
            )
            for score in (first, second)
        ),
    )
    yield Note(
        f"Pass or fail differs in {_differing(contrast)} executions of the same replies; damage differs by "
        f"{effect_words(contrast.damage)} points."
    )
    for cell, tasks in contrast.differing.items():
        listed = ", ".join(tasks[:6]) + (f" and {len(tasks) - 6} more" if len(tasks) > 6 else "")
        yield Note(f"{cell.upper()} differs in: {listed}.")


def _differing(contrast: UserlandContrast) -> str:
    return count_words(contrast.compared - contrast.same, contrast.compared, len(contrast.first.tasks), " of ")


def set_blocks(contrast: SetContrast) -> Iterator[Block]:
    first, second = contrast.first, contrast.second
    titles = [score.validator.task_set.title for score in (first, second)]
    yield Heading(f"{titles[0]} beside {titles[1]}: {first.title}, {first.pair.name}")
    yield Table(
        ("task set", "tasks", "RR", "RN", "NN", "damage", "compensation"),
        tuple(
            (
                title,
                str(len(score.tasks)),
                *(percent(cell.rate) if (cell := score.cells.get(name)) else NO_DATA for name in ("rr", "rn", "nn")),
                effect_words(score.damage),
                effect_words(score.compensation),
            )
            for title, score in zip(titles, (first, second), strict=True)
        ),
    )
    yield Note(
        f"{titles[1]} minus {titles[0]}: RR {effect_words(contrast.rr)}, damage {effect_words(contrast.damage)}, "
        f"compensation {effect_words(contrast.compensation)} points. The two sets have other tasks and another mix of "
        "tiers, so a difference is of the sets as much as of anything learned from the public one."
    )
