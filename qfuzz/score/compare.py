"""Scores beside one another: two rankings, effort ladders, two userlands, two task sets."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from math import lcm

import numpy as np

from qfuzz.model.errors import InputError
from qfuzz.score.cells import counts_of
from qfuzz.score.ledger import PASS
from qfuzz.score.measure import mean_interval
from qfuzz.score.result import (
    ConfigurationScore,
    Effect,
    Ladder,
    Ranking,
    SetContrast,
    UserlandContrast,
)
from qfuzz.stats.bootstrap import FamilyBootstrap, Floats, Ints
from qfuzz.stats.decompose import TaskCounts
from qfuzz.stats.intervals import difference_of_independent
from qfuzz.stats.ladder import movement, nearest, rungs
from qfuzz.stats.ranks import ranks, regret

_MAX_SCALE = 1 << 40
"""Above that, sums of scaled means would no longer be exact in a double."""


def _grouped(
    scores: Iterable[ConfigurationScore], key: Callable[[ConfigurationScore], Hashable]
) -> Iterator[list[ConfigurationScore]]:
    groups: dict[Hashable, list[ConfigurationScore]] = {}
    for score in scores:
        groups.setdefault(key(score), []).append(score)
    yield from groups.values()


def rankings(scores: Iterable[ConfigurationScore], bootstrap: FamilyBootstrap, *, restrict: bool) -> list[Ranking]:
    """One for each pair, set and userland that has two configurations or more with both cells.

    Raises InputError where they were not measured on the same tasks, unless `restrict`: then on the common ones.
    """
    found = []
    comparable = (score for score in scores if score.matched_gap is not None)
    for group in _grouped(comparable, lambda score: (score.pair, score.validator.task_set.digest, score.userland)):
        if len(group) > 1:
            found.append(_ranking(group, bootstrap, restrict))
    return [each for each in found if each is not None]


def _ranking(group: list[ConfigurationScore], bootstrap: FamilyBootstrap, restrict: bool) -> Ranking | None:
    common = group[0].tasks
    for score in group[1:]:
        common = np.intersect1d(common, score.tasks)
    fewest, most = min(len(score.tasks) for score in group), max(len(score.tasks) for score in group)
    if most > len(common) and not restrict:
        raise InputError(
            f"the {len(group)} configurations were measured on {fewest} to {most} tasks, of which {len(common)} are "
            "common to all",
            where=group[0].pair.name,
            hint="--allow-unpaired ranks them on these",
        )
    if not len(common):
        return None
    counts = {
        cell: [counts_of(each.ledger, each.executions.named()[cell].of_tasks(common), common) for each in group]
        for cell in ("rr", "nn")
    }
    scale = lcm(*(int(n) for each in (*counts["rr"], *counts["nn"]) for n in np.unique(each.trials)))
    if scale * len(common) > _MAX_SCALE:
        raise InputError("the numbers of trials have no common measure", where=group[0].pair.name)
    scaled = {
        cell: np.array([each.passed * (scale // each.trials) for each in of], float) for cell, of in counts.items()
    }
    ranked = ranks(scaled["rr"], scaled["nn"], scale, bootstrap.draws, bootstrap.seed)
    rates = {cell: [each.rate() for each in of] for cell, of in counts.items()}
    chosen = regret(*([rate for rate in rates[cell] if rate is not None] for cell in ("rr", "nn")))
    assert chosen is not None, "there are two configurations or more"
    return Ranking(tuple(group), len(common), ranked, chosen)


def ladders(scores: Iterable[ConfigurationScore]) -> list[Ladder]:
    """One for each model that was measured with two efforts or more, the unset one counted."""
    found = []
    for group in _grouped(
        scores, lambda score: (score.configuration[0], score.pair, score.validator.task_set.digest, score.userland)
    ):
        if len(group) < 2:
            continue
        by_effort = {score.configuration[1]: score for score in group}
        unset = by_effort.pop(None, None)
        ordered = [by_effort[effort] for effort in rungs([effort for effort in by_effort if effort is not None])]
        rates = {
            score.configuration[1] or "": {name: cell.rate for name, cell in score.cells.items()} for score in ordered
        }
        first = group[0]
        found.append(
            Ladder(
                first.configuration[0],
                first.pair,
                first.validator.task_set,
                first.userland,
                tuple(ordered),
                unset,
                {cell: movement([each.get(cell) for each in rates.values()]) for cell in ("rr", "rn", "nr", "nn")},
                None
                if unset is None
                else nearest({name: cell.rate for name, cell in unset.cells.items() if name != "nr"}, rates),
            )
        )
    return found


def userlands(scores: Iterable[ConfigurationScore], bootstrap: FamilyBootstrap) -> list[UserlandContrast]:
    """The first userland beside each other one, for the same replies of a configuration."""
    found = []
    for group in _grouped(scores, lambda score: (score.configuration, score.pair, score.validator.task_set.digest)):
        found += [_userland(group[0], other, bootstrap) for other in group[1:]]
    return found


def _userland(first: ConfigurationScore, second: ConfigurationScore, bootstrap: FamilyBootstrap) -> UserlandContrast:
    same = compared = 0
    differing = {}
    for cell, one in first.executions.named().items():
        other = second.executions.named()[cell]
        # By the reply and not by task and trial: what is compared is the same text.
        mine = {int(first.ledger.reply[row]): row for row in one.row.tolist()}
        unlike = []
        for row in other.row.tolist():
            place = mine.get(int(second.ledger.reply[row]))
            if place is None:
                continue
            here = first.ledger.outcome[place] == PASS
            there = second.ledger.outcome[row] == PASS
            compared += 1
            same += int(here == there)
            if here != there:
                unlike.append(first.ledger.tasks[int(first.ledger.task[place])].task_id)
        if unlike:
            differing[cell] = tuple(sorted(set(unlike)))
    damage = None
    common = np.intersect1d(first.tasks, second.tasks)
    if len(common) and first.damage is not None and second.damage is not None:
        parts = [_damage_by_task(score, common) for score in (first, second)]
        values: Floats = parts[1] - parts[0]
        interval = mean_interval(bootstrap, values, _families(first, common))
        value = _damage(second, common) - _damage(first, common)
        damage = Effect(value, interval, None)
    return UserlandContrast(first, second, same, compared, differing, damage)


def _counts(score: ConfigurationScore, cell: str, tasks: Ints) -> TaskCounts:
    return counts_of(score.ledger, score.executions.named()[cell].of_tasks(tasks), tasks)


def _damage(score: ConfigurationScore, tasks: Ints) -> Fraction:
    before, after = (_counts(score, cell, tasks).rate() for cell in ("rr", "rn"))
    assert before is not None
    assert after is not None, "a score with damage has both cells for each of its tasks"
    return after - before


def _damage_by_task(score: ConfigurationScore, tasks: Ints) -> Floats:
    difference: Floats = _counts(score, "rn", tasks).means() - _counts(score, "rr", tasks).means()
    return difference


def _families(score: ConfigurationScore, tasks: Ints) -> Ints:
    names = np.array([score.ledger.tasks[place].family for place in tasks.tolist()], object).astype(str)
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def set_contrasts(scores: Iterable[ConfigurationScore], bootstrap: FamilyBootstrap) -> list[SetContrast]:
    """The first set (the public one, where it is there) beside each other one."""
    found = []
    for group in _grouped(scores, lambda score: (score.configuration, score.pair, score.userland)):
        for other in group[1:]:
            found.append(_set_contrast(group[0], other, bootstrap))
    return found


def _set_contrast(first: ConfigurationScore, second: ConfigurationScore, bootstrap: FamilyBootstrap) -> SetContrast:
    def difference(values: Callable[[ConfigurationScore], tuple[Floats, Effect | None]]) -> Effect | None:
        (mine, of_first), (theirs, of_second) = values(first), values(second)
        if of_first is None or of_second is None:
            return None
        names = [
            np.array([score.ledger.tasks[place].family for place in score.tasks.tolist()], object).astype(str)
            for score in (first, second)
        ]
        codes = np.unique(np.concatenate(names), return_inverse=True)[1].astype(np.int64)
        one, other = codes[: len(names[0])], codes[len(names[0]) :]
        interval = bootstrap.difference_of_means(mine, one, theirs, other)
        flat = interval is None or interval.high - interval.low < 1e-12
        if flat and of_first.interval is not None and of_second.interval is not None:
            interval = difference_of_independent(
                float(of_first.value), of_first.interval, float(of_second.value), of_second.interval
            )
        return Effect(of_second.value - of_first.value, interval, None)

    def damage(score: ConfigurationScore) -> tuple[Floats, Effect | None]:
        return _damage_by_task(score, score.tasks), score.damage

    def compensation(score: ConfigurationScore) -> tuple[Floats, Effect | None]:
        means = _counts(score, "nn", score.tasks).means() - _counts(score, "rn", score.tasks).means()
        return means, score.compensation

    def raw(score: ConfigurationScore) -> tuple[Floats, Effect | None]:
        cell = score.cells.get("rr")
        if cell is None or cell.rate is None:
            return np.empty(0), None
        return _counts(score, "rr", score.tasks).means(), Effect(cell.rate, cell.interval, None)

    return SetContrast(first, second, difference(raw), difference(damage), difference(compensation))
