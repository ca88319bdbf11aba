"""`qfuzz score` without its edges: a ledger in, a report out. Says what does not pair, and refuses or restricts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import qfuzz
from qfuzz.collect.prompts import NATIVE, RAW
from qfuzz.engine.plan import DIRECT
from qfuzz.model.content import JsonValue, canonical_json
from qfuzz.model.errors import InputError
from qfuzz.model.reply import CLEANED, NO_PROGRAM, ORIGINAL
from qfuzz.model.text import counted
from qfuzz.model.userland import GNU, userland_name
from qfuzz.score.cells import Cells, Configuration, Sorted, counts_of, pair_up
from qfuzz.score.compare import ladders, rankings, set_contrasts, userlands
from qfuzz.score.ledger import Ledger, of_userland
from qfuzz.score.measure import Measure, cleaned_counts, effect_of
from qfuzz.score.pairs import Pair, default_pairs
from qfuzz.score.result import CellScore, ConfigurationScore, Effect, Report, Validator
from qfuzz.score.tasksets import TaskSet, sets_of
from qfuzz.stats.bootstrap import FamilyBootstrap

GROUPINGS = ("family", "tier", "hazard")
_KEPT_VALUES = 8
"""More different values of a key than this are no operating point: latencies, identifiers."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. `pairs` or `sets` None: those that the data suggest. `userlands` empty: GNU's alone."""

    pairs: Sequence[Pair] | None = None
    sets: Sequence[TaskSet] | None = None
    userlands: Sequence[str] = ()
    draws: int = 10_000
    seed: int = 0
    allow_unpaired: bool = False


def build(ledger: Ledger, metadata: Mapping[str, Mapping[str, JsonValue]], request: Request) -> Report:
    """The report on these executions; `metadata` is by the reply's key.

    Raises InputError where there is nothing to score, and where executions do not pair unless `allow_unpaired`.
    """
    bootstrap = FamilyBootstrap(request.draws, request.seed)
    scores: list[ConfigurationScore] = []
    notes: list[str] = []
    problems: list[str] = []
    for userland in dict.fromkeys(request.userlands or (GNU,)):
        under, older = of_userland(ledger, userland)
        if older:
            notes.append(f"{older} executions of earlier runs were passed over: their replies were judged again since.")
        stored = {under.tasks[place].key for place in np.unique(under.task).tolist()}
        found = list(request.sets) if request.sets is not None else sets_of(stored)
        if request.sets is None and len(found) > 1:
            notes.append(f"{len(found)} task sets, each scored by itself: {', '.join(each.title for each in found)}.")
        for chosen in found:
            part, said = _of_set(under, chosen)
            problems += said
            scores += _Set(part, chosen, userland, metadata, request, bootstrap, problems).scores()
    if problems and not request.allow_unpaired:
        raise InputError(
            "not everything pairs: " + "; ".join(dict.fromkeys(problems)),
            hint="--allow-unpaired scores the part that does",
        )
    if not scores:
        raise InputError(
            "there is nothing to score"
            + (f" for {', '.join(pair.name for pair in request.pairs)}" if request.pairs else ""),
            hint="`qfuzz score REPLIES...` replays replies first; name another task set with --tasks",
        )
    for pair in request.pairs or ():
        if not any(score.pair == pair for score in scores):
            notes.append(f"There is nothing to score for {pair.name}.")
    return Report(
        tuple(scores),
        tuple(rankings(scores, bootstrap, restrict=request.allow_unpaired)),
        tuple(ladders(scores)),
        tuple(userlands(scores, bootstrap)),
        tuple(set_contrasts(scores, bootstrap)),
        tuple(dict.fromkeys(notes)),
        request.draws,
        request.seed,
    )


def _of_set(ledger: Ledger, chosen: TaskSet) -> tuple[Ledger, list[str]]:
    """The executions of tasks of one set; without those of tasks that share an id, and what is to be said of these."""
    there = np.zeros(len(ledger.tasks), bool)
    there[np.unique(ledger.task)] = True
    known = there & np.array([task.key in chosen.keys for task in ledger.tasks], bool)
    ids = Counter(task.task_id for task, here in zip(ledger.tasks, known, strict=True) if here)
    twice = {task_id for task_id, count in ids.items() if count > 1}
    said = []
    if twice:
        said.append(f"{_have(len(twice))} more than one text in the store (first: {min(twice)})")
        known &= np.array([task.task_id not in twice for task in ledger.tasks], bool)
    return ledger.where(known[ledger.task]) if len(ledger) else ledger, said


def _have(tasks: int) -> str:
    return f"{counted(tasks, 'task')} {'has' if tasks == 1 else 'have'}"


class _Set:
    """The configurations of one task set under one userland."""

    def __init__(
        self,
        ledger: Ledger,
        task_set: TaskSet,
        userland: str,
        metadata: Mapping[str, Mapping[str, JsonValue]],
        request: Request,
        bootstrap: FamilyBootstrap,
        problems: list[str],
    ) -> None:
        self.ledger = ledger
        self.task_set = task_set
        self.userland = userland
        self.metadata = metadata
        self.request = request
        self.bootstrap = bootstrap
        self.problems = problems
        self.rows = Sorted(ledger)

    def scores(self) -> Iterable[ConfigurationScore]:
        pairs = self.request.pairs or default_pairs(self.rows.contracts())
        for pair in pairs:
            for configuration in self.rows.configurations():
                cells = pair_up(self.rows, configuration, pair)
                if cells is None:
                    continue
                name = _title(configuration)
                self.problems += [f"{name}, {pair.name}: {problem}" for problem in cells.problems]
                if any(map(len, cells.named().values())):
                    yield self._score(configuration, pair, cells)

    def _score(self, configuration: Configuration, pair: Pair, cells: Cells) -> ConfigurationScore:
        measure = Measure(self.ledger, cells, self.bootstrap)
        three = measure.three_effects()
        native, native_minus_raw = self._native(configuration, pair, cells, measure)
        replies = self._replies(cells)
        return ConfigurationScore(
            configuration=configuration,
            pair=pair,
            userland=self.userland,
            validator=self._validator(cells, len(measure.tasks)),
            operating_point=self._operating_point(configuration, replies),
            trials={name: int(counts.trials.max()) for name, counts in measure.counts.items()},
            cells=measure.cell_scores(pair),
            **three,
            crossover=measure.crossover(),
            retention=measure.retention(),
            exit0=measure.exit0(),
            native=native,
            native_minus_raw=native_minus_raw,
            controls=measure.controls(),
            by={kind: measure.groups(kind) for kind in GROUPINGS},
            refused=cells.refused,
            left_out=cells.problems,
            ledger=self.ledger,
            executions=cells,
            tasks=measure.tasks,
        )

    def _native(
        self, configuration: Configuration, pair: Pair, cells: Cells, measure: Measure
    ) -> tuple[CellScore | None, Effect | None]:
        """Replies given through a declared tool, on the direct path, beside raw ones: over the tasks of both."""
        if pair.base.contract != RAW or not len(cells.rr):
            return None, None
        native = self.rows.executions(configuration, NATIVE, DIRECT).of_tasks(np.unique(cells.rr.task))
        if not len(native) or len(np.unique(native.code)) < len(native):
            return None, None
        counts = counts_of(self.ledger, native, measure.tasks)
        effect = effect_of(self.bootstrap, measure.counts["rr"], counts, measure.families)
        return measure.cell(counts, native, NATIVE, DIRECT, measure.families), effect

    def _replies(self, cells: Cells) -> list[str]:
        rows = np.concatenate([each.row for each in cells.named().values()])
        return [self.ledger.replies[place].key for place in np.unique(self.ledger.reply[rows]).tolist()]

    def _validator(self, cells: Cells, tasks: int) -> Validator:
        rows = np.concatenate([each.row for each in cells.named().values()])
        places = np.unique(self.ledger.context[rows]).tolist()
        latest = max((self.ledger.contexts[place] for place in places), key=lambda each: each.last_run)
        userland = latest.context.get("userland")
        versions = latest.context.get("versions")
        held: Mapping[str, JsonValue] = versions if isinstance(versions, dict) else {}
        return Validator(
            self.task_set,
            tasks,
            qfuzz.__version__,
            userland_name(latest.context),
            str(userland["version"]) if isinstance(userland, dict) else str(held.get("coreutils", "")),
            held,
            len(places),
        )

    def _operating_point(self, configuration: Configuration, replies: list[str]) -> dict[str, JsonValue]:
        """Effort, and every further key of the replies that has few values: what, and of how many replies."""
        found = [self.metadata[key] for key in replies if key in self.metadata]
        values: dict[str, Counter[str]] = {}
        for each in found:
            for key, value in each.items():
                if key not in _PER_REPLY:
                    values.setdefault(key, Counter())[canonical_json(value).decode()] += 1
        point: dict[str, JsonValue] = {"effort": configuration[1], "replies": len(replies)}
        point["settings"] = {
            key: dict(sorted(counts.items())) for key, counts in sorted(values.items()) if len(counts) <= _KEPT_VALUES
        }
        point["cleaned"] = cleaned_counts(found, CLEANED)
        point["without_program"] = sum(NO_PROGRAM in each for each in found)
        return point


_PER_REPLY = frozenset({CLEANED, ORIGINAL, NO_PROGRAM})
"""Keys of metadata that tell of one reply and not of how all were asked for."""


def _title(configuration: Configuration) -> str:
    model, effort = configuration
    return (model or "no model named") + ("" if effort is None else f" @ {effort}")
