"""From paired cells to the score of one configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from qfuzz.score.cells import Cells, Executions, counts_of
from qfuzz.score.ledger import OUTCOMES, PASS, Ledger
from qfuzz.score.pairs import Pair
from qfuzz.score.result import CellScore, Effect, Group, Share
from qfuzz.stats.bootstrap import FamilyBootstrap, Floats, Ints, difference_interval, rate_interval
from qfuzz.stats.decompose import TaskCounts, crossover, effects, mcnemar
from qfuzz.stats.intervals import Interval
from qfuzz.stats.trials import all_pass, pass_hat, spread

_EFFECTS = (("damage", "rr", "rn"), ("compensation", "rn", "nn"), ("matched_gap", "rr", "nn"))
MAX_PASS_HAT = 10

Bounds = tuple[float, float]


class Measure:
    """The measurements of one pair of one configuration, all over the same tasks (`tasks`, sorted)."""

    def __init__(self, ledger: Ledger, cells: Cells, bootstrap: FamilyBootstrap) -> None:
        self.ledger = ledger
        self.executions = cells.named()
        self.bootstrap = bootstrap
        self.tasks: Ints = np.unique(np.concatenate([each.task for each in self.executions.values()]))
        self.counts = {name: counts_of(ledger, each, self.tasks) for name, each in self.executions.items() if len(each)}
        names = [ledger.tasks[place].family for place in self.tasks.tolist()]
        self.families: Ints = np.unique(np.array(names, object).astype(str), return_inverse=True)[1].astype(np.int64)

    def cell_scores(self, pair: Pair) -> dict[str, CellScore]:
        where = pair.cells()
        return {
            name: self.cell(counts, self.executions[name], *where[name], self.families)
            for name, counts in self.counts.items()
        }

    def cell(
        self, counts: TaskCounts, executions: Executions, contract: str, transport: str, families: Ints
    ) -> CellScore:
        rate = counts.rate()
        low, high = self.bootstrap.means(counts.means()[None, :], families)
        most = min(int(counts.trials.max()), MAX_PASS_HAT)
        hats = (pass_hat(counts, k) for k in range(1, most + 1))
        outcomes = self.ledger.outcome[executions.row]
        return CellScore(
            contract,
            transport,
            int(counts.passed.sum()),
            int(counts.trials.sum()),
            counts.tasks,
            rate,
            None if rate is None else rate_interval(float(low[0]), float(high[0]), float(rate), counts.tasks),
            self.failures(executions),
            int(((outcomes != PASS) & (self.ledger.exit[executions.row] == 0)).sum()),
            tuple(hat for hat in hats if hat is not None),
            all_pass(counts),
            spread(executions.task, executions.trial, outcomes == PASS),
        )

    def failures(self, executions: Executions) -> dict[str, int]:
        """Failure classes and how often, in the order in which they are tried."""
        counts = np.bincount(self.ledger.outcome[executions.row], minlength=len(OUTCOMES))
        return {
            name: int(count) for name, count in zip(OUTCOMES, counts, strict=True) if count and name != OUTCOMES[PASS]
        }

    def effect(self, before: str, after: str) -> Effect | None:
        """The difference of two cells; None where one has no data."""
        if before not in self.counts or after not in self.counts:
            return None
        return effect_of(self.bootstrap, self.counts[before], self.counts[after], self.families)

    def _effect_of_part(self, before: str, after: str, places: Ints, bounds: Bounds) -> Effect:
        first, second = self._part(before, places), self._part(after, places)
        rates = first.rate(), second.rate()
        assert rates[0] is not None
        assert rates[1] is not None, "all cells have the same tasks"
        one, other = first.means(), second.means()
        return Effect(rates[1] - rates[0], difference_interval(*bounds, other - one), mcnemar(one, other))

    def _part(self, cell: str, tasks: Ints) -> TaskCounts:
        counts = self.counts[cell]
        return TaskCounts(counts.passed[tasks], counts.trials[tasks])

    def three_effects(self) -> dict[str, Effect | None]:
        found = {name: self.effect(before, after) for name, before, after in _EFFECTS}
        rates = {name: counts.rate() for name, counts in self.counts.items()}
        exact = effects(rates.get("rr"), rates.get("rn"), rates.get("nn"))
        for name, each in found.items():
            value = getattr(exact, name)
            assert value == (None if each is None else each.value), f"{name} is {value}"
        return found

    def crossover(self) -> Effect | None:
        rates = {name: counts.rate() for name, counts in self.counts.items()}
        value = crossover(*(rates.get(name) for name in ("rr", "rn", "nr", "nn")))
        if value is None:
            return None
        means = {name: counts.means() for name, counts in self.counts.items()}
        values: Floats = (means["rr"] + means["nn"] - means["rn"] - means["nr"]) / 2
        return Effect(value, mean_interval(self.bootstrap, values, self.families), None)

    def retention(self) -> Share:
        """Of replies that pass over the base path, those that also pass over the other."""
        if "rr" not in self.counts:
            return Share(0, 0, 0, None)
        rr, rn = self.executions["rr"], self.executions["rn"]
        passed = self.ledger.outcome[rr.row] == PASS
        kept = passed & (self.ledger.outcome[rn.row] == PASS)
        return self._share(rr.task, kept, passed)

    def exit0(self) -> Share:
        """Of failures of the base replies over the other path, those that end with status 0."""
        if "rn" not in self.counts:
            return Share(0, 0, 0, None)
        rn = self.executions["rn"]
        failed = self.ledger.outcome[rn.row] != PASS
        return self._share(rn.task, failed & (self.ledger.exit[rn.row] == 0), failed)

    def _share(
        self,
        tasks: Ints,
        parts: np.ndarray[tuple[int], np.dtype[np.bool_]],
        whole: np.ndarray[tuple[int], np.dtype[np.bool_]],
    ) -> Share:
        place = np.searchsorted(self.tasks, tasks)
        of_parts = np.bincount(place, parts, len(self.tasks)).astype(np.float64)
        of_whole = np.bincount(place, whole, len(self.tasks)).astype(np.float64)
        count, total = int(of_parts.sum()), int(of_whole.sum())
        if not total:
            return Share(count, total, 0, None)
        low, high = self.bootstrap.ratios(of_parts[None, :], of_whole[None, :], self.families)
        # Where no draw helps, tasks are the unit: as many as have anything to lose.
        units = int((of_whole > 0).sum())
        return Share(count, total, units, rate_interval(float(low[0]), float(high[0]), count / total, units))

    def groups(self, kind: str) -> tuple[Group, ...]:
        """One group for each family, tier or hazard."""
        members = self.members(kind)
        bounds = self._bounds_of_parts(list(members.values()))
        return tuple(
            self._group(name, places, each) for (name, places), each in zip(members.items(), bounds, strict=True)
        )

    def _bounds_of_parts(self, parts: list[Ints]) -> list[dict[str, Bounds]]:
        """The bootstrap's bounds of each effect in each part, drawn together."""
        found: list[dict[str, Bounds]] = [{} for _ in parts]
        for effect, before, after in _EFFECTS:
            if before not in self.counts or after not in self.counts:
                continue
            difference = self.counts[after].means() - self.counts[before].means()
            rows = np.full((len(parts), len(self.tasks)), np.nan)
            for row, places in enumerate(parts):
                rows[row, places] = difference[places]
            lows, highs = self.bootstrap.means(rows, self.families)
            for row in range(len(parts)):
                found[row][effect] = float(lows[row]), float(highs[row])
        return found

    def _group(self, name: str, places: Ints, bounds: Mapping[str, Bounds]) -> Group:
        cells, tasks = {}, self.tasks[places]
        for cell in self.counts:
            part = self._part(cell, places)
            cells[cell] = (int(part.passed.sum()), int(part.trials.sum()))
        over_other = self.executions["rn"].of_tasks(tasks)
        three = {
            effect: self._effect_of_part(before, after, places, bounds[effect]) if effect in bounds else None
            for effect, before, after in _EFFECTS
        }
        return Group(name, len(places), cells, self.failures(over_other), **three)

    def members(self, kind: str) -> dict[str, Ints]:
        """Places of tasks by family, tier or hazard; a task with two hazards is in both."""
        found: dict[str, list[int]] = {}
        for place, task in enumerate(self.tasks.tolist()):
            for name in self._names(kind, task):
                found.setdefault(name, []).append(place)
        return {name: np.array(places, np.int64) for name, places in sorted(found.items())}

    def _names(self, kind: str, place: int) -> Iterable[str]:
        task = self.ledger.tasks[place]
        if kind == "family":
            return (task.family or "no family",)
        return (str(task.tier),) if kind == "tier" else task.hazards

    def controls(self) -> Group | None:
        """The tasks of tier 0 alone; None where there is none."""
        places = [place for place, task in enumerate(self.tasks.tolist()) if self.ledger.tasks[task].tier == 0]
        if not places:
            return None
        part = np.array(places, np.int64)
        return self._group("controls", part, self._bounds_of_parts([part])[0])


def effect_of(bootstrap: FamilyBootstrap, before: TaskCounts, after: TaskCounts, families: Ints) -> Effect | None:
    """after - before over the tasks that both have."""
    first, second = before.means(), after.means()
    both = ~np.isnan(first) & ~np.isnan(second)
    rates = [TaskCounts(each.passed[both], each.trials[both]).rate() for each in (before, after)]
    if rates[0] is None or rates[1] is None:
        return None
    value: Fraction = rates[1] - rates[0]
    interval = mean_interval(bootstrap, (second - first)[both], families[both])
    return Effect(value, interval, mcnemar(first, second))


def mean_interval(bootstrap: FamilyBootstrap, values: Floats, families: Ints) -> Interval | None:
    low, high = bootstrap.means(values[None, :], families)
    return difference_interval(float(low[0]), float(high[0]), values)


def cleaned_counts(metadata: Iterable[Mapping[str, object]], key: str) -> dict[str, int]:
    """How many replies each clean-up rule changed."""
    counts: Counter[str] = Counter()
    for each in metadata:
        rules = each.get(key)
        if isinstance(rules, list):
            counts.update(str(rule) for rule in rules)
    return dict(sorted(counts.items()))
