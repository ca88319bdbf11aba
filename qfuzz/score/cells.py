"""From verdicts to the four cells of a pair: which executions pair up, and what is left out, with counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qfuzz.score.ledger import PASS, REFUSED, Ledger
from qfuzz.score.pairs import Pair
from qfuzz.stats.bootstrap import Ints
from qfuzz.stats.decompose import TaskCounts

_TRIALS = 1 << 21
"""More than any trial number (model.reply.MAX_TRIAL), to make one number of task and trial."""

Configuration = tuple[str, str | None]
"""Model and effort."""


@dataclass(frozen=True, slots=True)
class Executions:
    """Executions of one configuration under one contract over one transport, sorted by task and trial.

    `code` is task and trial as one number, `row` the place in the ledger.
    """

    code: Ints
    row: Ints

    def __len__(self) -> int:
        return len(self.code)

    @property
    def task(self) -> Ints:
        return self.code // _TRIALS

    @property
    def trial(self) -> Ints:
        return self.code % _TRIALS

    def among(self, codes: Ints) -> Executions:
        kept = np.isin(self.code, codes)
        return Executions(self.code[kept], self.row[kept])

    def of_tasks(self, tasks: Ints) -> Executions:
        kept = np.isin(self.task, tasks)
        return Executions(self.code[kept], self.row[kept])


NOTHING = Executions(np.empty(0, np.int64), np.empty(0, np.int64))


class Sorted:
    """The rows of a ledger by configuration, contract and transport. `twice` counts replies that share an identity."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        names: dict[tuple[str, str | None, str], int] = {}
        group = np.array(
            [names.setdefault((reply.model, reply.effort, reply.contract), len(names)) for reply in ledger.replies],
            np.int64,
        )
        trial = np.array([reply.trial for reply in ledger.replies], np.int64)
        self._names = names
        self._cells: dict[tuple[int, int], Executions] = {}
        if not len(ledger):
            return
        code = ledger.task * _TRIALS + trial[ledger.reply]
        cell = group[ledger.reply] * len(ledger.transports) + ledger.transport
        order = np.lexsort((ledger.reply, code, cell))
        starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        for rows in np.split(order, starts[1:]):
            place = divmod(int(cell[rows[0]]), len(ledger.transports))
            self._cells[place] = Executions(code[rows], rows)

    def configurations(self) -> list[Configuration]:
        """In the order of model and effort, the unset effort first."""
        there = {(model, effort) for (model, effort, _), group in self._names.items() if self._any(group)}
        return sorted(there, key=lambda each: (each[0], each[1] is not None, each[1] or ""))

    def contracts(self) -> list[str]:
        return sorted({contract for (_, _, contract), group in self._names.items() if self._any(group)})

    def _any(self, group: int) -> bool:
        return any(place[0] == group for place in self._cells)

    def executions(self, configuration: Configuration, contract: str, transport: str) -> Executions:
        group = self._names.get((*configuration, contract))
        if group is None or transport not in self.ledger.transports:
            return NOTHING
        return self._cells.get((group, self.ledger.transports.index(transport)), NOTHING)


@dataclass(frozen=True, slots=True)
class Cells:
    """What of one configuration pairs up for one pair. `problems` say in words what does not, `refused` is counted.

    `rr` and `rn` are the same replies, as are `nr` and `nn` where `nr` is there at all. The tasks of all are the same,
    but where one side has no replies: then the other stands alone.
    """

    rr: Executions
    rn: Executions
    nr: Executions
    nn: Executions
    refused: int
    problems: tuple[str, ...]

    def named(self) -> dict[str, Executions]:
        return {"rr": self.rr, "rn": self.rn, "nr": self.nr, "nn": self.nn}


def pair_up(rows: Sorted, configuration: Configuration, pair: Pair) -> Cells | None:
    """The part of the executions that pairs up; None where the configuration has no reply on either side."""
    found = {name: rows.executions(configuration, *cell) for name, cell in pair.cells().items()}
    if not any(map(len, found.values())):
        return None
    problems: list[str] = []
    for name, executions in found.items():
        found[name], count = _once(executions)
        if count:
            problems.append(f"{count} replies under {pair.cells()[name][0]} share task, trial and effort with others")
    problems = list(dict.fromkeys(problems))
    base = _same_replies(found["rr"], found["rn"], pair.base.contract, pair, problems)
    # What the disclosed replies do over the base path is looked at beside, so its lack is no fault of the pair.
    other, far = found["nn"], found["nr"]
    not_run = len(np.setdiff1d(far.code, other.code))
    if not_run:
        problems.append(f"{not_run} replies under {pair.other.contract} have no verdict over {pair.other.transport}")
    base = tuple(each.among(_rectangle(base[0].code, pair.base.contract, problems)) for each in base)
    other = other.among(_rectangle(other.code, pair.other.contract, problems))
    refused = 0
    (rr, rn), lost = _carried(rows.ledger, *base)
    refused += lost
    (nn,), lost = _carried(rows.ledger, other)
    refused += lost
    (nr,), _ = _carried(rows.ledger, far)
    nr = nr.among(nn.code)
    if len(nr) != len(nn):
        nr = NOTHING
    rr, rn, nr, nn = _same_tasks(rows.ledger, (rr, rn, nr, nn), pair, problems)
    return Cells(rr, rn, nr, nn, refused, tuple(problems))


def _once(executions: Executions) -> tuple[Executions, int]:
    """Without the replies that nothing but their text tells apart: which is meant can't be known."""
    codes, counts = np.unique(executions.code, return_counts=True)
    twice = codes[counts > 1]
    if not len(twice):
        return executions, 0
    kept = ~np.isin(executions.code, twice)
    return Executions(executions.code[kept], executions.row[kept]), int((~kept).sum())


def _same_replies(
    over_base: Executions, over_other: Executions, contract: str, pair: Pair, problems: list[str]
) -> tuple[Executions, ...]:
    """The replies that ran on both paths."""
    if not len(over_base) and not len(over_other):
        return over_base, over_other
    both = np.intersect1d(over_base.code, over_other.code)
    for missing, transport in (
        (len(over_other) - len(both), pair.base.transport),
        (len(over_base) - len(both), pair.other.transport),
    ):
        if missing:
            problems.append(f"{missing} replies under {contract} have no verdict over {transport}")
    return over_base.among(both), over_other.among(both)


def _rectangle(codes: Ints, contract: str, problems: list[str]) -> Ints:
    """The codes of a part in which every task has as many trials: the largest, and of equals that with more tasks."""
    if not len(codes):
        return codes
    tasks, first, counts = np.unique(codes // _TRIALS, return_index=True, return_counts=True)
    if counts.min() == counts.max():
        return codes
    problems.append(
        f"the {len(tasks)} tasks under {contract} have {counts.min()} to {counts.max()} trials, not equally many"
    )
    best = max(
        range(int(counts.min()), int(counts.max()) + 1), key=lambda count: (count * (counts >= count).sum(), -count)
    )
    kept = [codes[start : start + best] for start, count in zip(first, counts, strict=True) if count >= best]
    return np.concatenate(kept)


def _carried(ledger: Ledger, *executions: Executions) -> tuple[tuple[Executions, ...], int]:
    """Without replies that a path could not carry: they are no executions, and are counted apart."""
    refused = [each.code[ledger.outcome[each.row] == REFUSED] for each in executions]
    codes = np.unique(np.concatenate(refused))
    if not len(codes):
        return executions, 0
    return tuple(each.among(np.setdiff1d(each.code, codes)) for each in executions), len(codes)


def _same_tasks(
    ledger: Ledger, cells: tuple[Executions, Executions, Executions, Executions], pair: Pair, problems: list[str]
) -> tuple[Executions, Executions, Executions, Executions]:
    rr, rn, nr, nn = cells
    if not len(rr) or not len(nn):
        for executions, side in ((rr, pair.base), (nn, pair.other)):
            if not len(executions):
                there = pair.other.contract if side is pair.base else pair.base.contract
                count = max(len(rr), len(nn))
                if count:
                    problems.append(f"no replies under {side.contract} for the {count} under {there}")
        return cells
    base_tasks, other_tasks = np.unique(rr.task), np.unique(nn.task)
    common = np.intersect1d(base_tasks, other_tasks)
    for tasks, contract, lacking in (
        (base_tasks, pair.base.contract, pair.other.contract),
        (other_tasks, pair.other.contract, pair.base.contract),
    ):
        alone = np.setdiff1d(tasks, common)
        if len(alone):
            first = ledger.tasks[int(alone[0])].task_id
            problems.append(
                f"{len(alone)} tasks have replies under {contract} and none under {lacking} (first: {first})"
            )
    return rr.of_tasks(common), rn.of_tasks(common), nr.of_tasks(common), nn.of_tasks(common)


def counts_of(ledger: Ledger, executions: Executions, tasks: Ints) -> TaskCounts:
    """Passes and trials of each of `tasks` (sorted)."""
    place = np.searchsorted(tasks, executions.task)
    passed = ledger.outcome[executions.row] == PASS
    return TaskCounts(
        np.bincount(place, passed, len(tasks)).astype(np.int64),
        np.bincount(place, minlength=len(tasks)).astype(np.int64),
    )
