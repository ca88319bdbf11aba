"""A score for machines: one object for each configuration, and one for each comparison.

docs/score.md has the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from qfuzz.model.content import JsonValue
from qfuzz.score.result import (
    CellScore,
    ConfigurationScore,
    Effect,
    Group,
    Ladder,
    Ranking,
    Report,
    SetContrast,
    Share,
    UserlandContrast,
)
from qfuzz.stats.decompose import points
from qfuzz.stats.intervals import Interval, upper_bound_of_none

SCHEMA = 1


def records(report: Report) -> Iterator[dict[str, JsonValue]]:
    """The objects of a report: `record` says which kind, `schema` which version of the form."""
    for score in report.scores:
        yield {"record": "configuration", "schema": SCHEMA, **configuration_record(score, report)}
    for ranking in report.rankings:
        yield {"record": "ranking", "schema": SCHEMA, **_ranking(ranking)}
    for ladder in report.ladders:
        yield {"record": "ladder", "schema": SCHEMA, **_ladder(ladder)}
    for userlands in report.userlands:
        yield {"record": "userlands", "schema": SCHEMA, **_userlands(userlands)}
    for sets in report.sets:
        yield {"record": "task-sets", "schema": SCHEMA, **_sets(sets)}


def configuration_record(score: ConfigurationScore, report: Report) -> dict[str, JsonValue]:
    """`model`, `pair`, the four cells, the effects, and the five things that belong to every result."""
    model, effort = score.configuration
    pair = score.pair
    return {
        "model": model,
        "effort": effort,
        "pair": pair.name,
        "userland": score.userland,
        "task_set": score.validator.task_set.title,
        "tasks": len(score.tasks),
        "trials": dict(score.trials),
        **{name: _cell(score.cells.get(name)) for name in ("rr", "rn", "nr", "nn")},
        "damage": _effect(score.damage),
        "compensation": _effect(score.compensation),
        "matched_gap": _effect(score.matched_gap),
        "identity": _identity(score),
        "retention": _rate(score.retention.rate),
        "retention_detail": _share(score.retention, "kept", "passed"),
        "exit0_share": _rate(score.exit0.rate),
        "exit0_detail": _share(score.exit0, "exit0", "failed"),
        "crossover": _effect(score.crossover),
        "native": _cell(score.native),
        "native_minus_raw": _effect(score.native_minus_raw),
        "controls": None if score.controls is None else _group(score.controls),
        **{f"by_{kind}": [_group(group) for group in groups] for kind, groups in score.by.items()},
        "refused": score.refused,
        "left_out": list(score.left_out),
        "configuration": {"model": model, "effort": effort},
        "contract": {"base": pair.base.contract, "other": pair.other.contract},
        "execution_path": {"base": pair.base.transport, "other": pair.other.transport},
        "operating_point": dict(score.operating_point),
        "validator": _validator(score),
        "intervals": {"confidence": 0.95, "draws": report.draws, "seed": report.seed},
    }


def _rate(rate: Fraction | None) -> float | None:
    return None if rate is None else round(float(rate), 4)


def _bounds(interval: Interval | None, scale: float, digits: int) -> dict[str, JsonValue]:
    if interval is None:
        return {"low": None, "high": None, "method": None}
    low, high = (round(scale * each, digits) + 0.0 for each in (interval.low, interval.high))
    return {"low": low, "high": high, "method": interval.method}


def _effect(effect: Effect | None) -> dict[str, JsonValue] | None:
    if effect is None:
        return None
    discordant = effect.discordant
    return {
        "points": points(effect.value),
        **_bounds(effect.interval, 100, 1),
        "fraction": [effect.value.numerator, effect.value.denominator],
        "mcnemar": None
        if discordant is None
        else {"lost": discordant.lost, "gained": discordant.gained, "p": discordant.p},
    }


def _identity(score: ConfigurationScore) -> dict[str, JsonValue] | None:
    """The decomposition in tasks, as it was counted: damage + compensation = matched_gap."""
    if score.damage is None or score.compensation is None or score.matched_gap is None:
        return None
    tasks = len(score.tasks)
    named = {"damage": score.damage, "compensation": score.compensation, "matched_gap": score.matched_gap}
    return {"tasks": tasks, **{name: float(each.value * tasks) for name, each in named.items()}}


def _share(share: Share, parts: str, whole: str) -> dict[str, JsonValue]:
    return {
        parts: share.parts,
        whole: share.whole,
        **_bounds(share.interval, 1, 4),
        "at_most": _at_most(share.parts, share.units),
    }


def _at_most(seen: int, units: int) -> float | None:
    """How large a share of which none was seen may be; None where some was, or without data."""
    most = None if seen else upper_bound_of_none(units)
    return None if most is None else round(most, 4)


def _cell(cell: CellScore | None) -> dict[str, JsonValue] | None:
    if cell is None:
        return None
    return {
        "passed": cell.passed,
        "total": cell.total,
        "rate": _rate(cell.rate),
        **_bounds(cell.interval, 1, 4),
        "at_most": _at_most(cell.passed, cell.tasks),
        "contract": cell.contract,
        "transport": cell.transport,
        "failures": dict(cell.failures),
        "failed_with_exit_0": cell.failed_with_exit_0,
        "pass_hat": [_rate(each) for each in cell.pass_hat],
        "all_pass": {"tasks": cell.all_pass[0], "of": cell.all_pass[1]},
        "trial_rates": [] if cell.spread is None else [round(rate, 4) for rate in cell.spread.rates],
        "trial_deviation": None
        if cell.spread is None or cell.spread.deviation is None
        else round(cell.spread.deviation, 4),
        "unsteady_tasks": 0 if cell.spread is None else cell.spread.unsteady,
    }


def _group(group: Group) -> dict[str, JsonValue]:
    return {
        "name": group.name,
        "tasks": group.tasks,
        **{
            cell: {"passed": passed, "total": total, "at_most": _at_most(passed, group.tasks)}
            for cell, (passed, total) in group.cells.items()
        },
        "failures": dict(group.failures),
        "damage": _effect(group.damage),
        "compensation": _effect(group.compensation),
        "matched_gap": _effect(group.matched_gap),
    }


def _validator(score: ConfigurationScore) -> dict[str, JsonValue]:
    validator = score.validator
    task_set = validator.task_set
    return {
        "task_set": {
            "name": task_set.name,
            "version": task_set.version or None,
            "digest": task_set.digest,
            "tasks": len(task_set.keys),
            "scored": validator.tasks_scored,
        },
        "qfuzz": validator.qfuzz,
        "bash": validator.versions.get("bash"),
        "userland": {"name": validator.userland, "version": validator.userland_version},
        "versions": dict(validator.versions),
        "contexts": validator.contexts,
    }


def _name(score: ConfigurationScore) -> dict[str, JsonValue]:
    return {"model": score.configuration[0], "effort": score.configuration[1]}


def _where(score: ConfigurationScore) -> dict[str, JsonValue]:
    return {"pair": score.pair.name, "task_set": score.validator.task_set.title, "userland": score.userland}


def _ranking(ranking: Ranking) -> dict[str, JsonValue]:
    scores, ranks, regret = ranking.scores, ranking.ranks, ranking.regret
    interval = ranks.interval
    return {
        **_where(scores[0]),
        "tasks": ranking.tasks,
        "configurations": [
            {**_name(score), "rr": _rate(score.cells["rr"].rate), "nn": _rate(score.cells["nn"].rate)}
            for score in scores
        ],
        "tau_b": None if ranks.tau is None else round(ranks.tau, 4),
        **_bounds(interval, 1, 4),
        "pairs": ranks.pairs,
        "comparable": ranks.comparable,
        "reversals": [
            {
                "better_raw": _name(scores[each.first]),
                "better_nested": _name(scores[each.second]),
                "rr_margin_tasks": float(each.rr_margin),
                "nn_margin_tasks": float(each.nn_margin),
                "probability": round(each.probability, 4),
                "single_task": each.single_task,
            }
            for each in ranks.reversals
        ],
        "regret": {
            "chosen_by_rr": [_name(scores[place]) for place in regret.chosen],
            "reached": [_rate(rate) for rate in regret.reached],
            "best": [_name(scores[place]) for place in regret.best],
            "best_rate": _rate(regret.best_rate),
            "points": [points(each) for each in regret.regret],
        },
    }


def _ladder(ladder: Ladder) -> dict[str, JsonValue]:
    everything = [*ladder.rungs, *([ladder.unset] if ladder.unset is not None else [])]
    return {
        "model": ladder.model,
        "pair": ladder.pair.name,
        "task_set": ladder.task_set.title,
        "userland": ladder.userland,
        "rungs": [
            {
                "effort": score.configuration[1],
                **{name: _rate(cell.rate) for name, cell in score.cells.items()},
                "damage": _effect(score.damage),
                "compensation": _effect(score.compensation),
                "matched_gap": _effect(score.matched_gap),
            }
            for score in everything
        ],
        "moves": {cell: points(value) for cell, value in ladder.moves.items()},
        "unset_nearest": None
        if ladder.nearest is None
        else {"efforts": list(ladder.nearest[0]), "distance_points": points(ladder.nearest[1])},
    }


def _userlands(contrast: UserlandContrast) -> dict[str, JsonValue]:
    return {
        **_name(contrast.first),
        "pair": contrast.first.pair.name,
        "task_set": contrast.first.validator.task_set.title,
        "userlands": [contrast.first.userland, contrast.second.userland],
        "same": contrast.same,
        "compared": contrast.compared,
        "differing": {cell: list(tasks) for cell, tasks in contrast.differing.items()},
        "damage_difference": _effect(contrast.damage),
    }


def _sets(contrast: SetContrast) -> dict[str, JsonValue]:
    return {
        **_name(contrast.first),
        "pair": contrast.first.pair.name,
        "userland": contrast.first.userland,
        "task_sets": [each.validator.task_set.title for each in (contrast.first, contrast.second)],
        "rr": _effect(contrast.rr),
        "damage": _effect(contrast.damage),
        "compensation": _effect(contrast.compensation),
    }
