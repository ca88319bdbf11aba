"""A run: samples in, events out, in the order of the samples whatever the number of jobs."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NoReturn

from qfuzz.engine.attempt import Attempt, Machinery
from qfuzz.engine.events import Event, Executed, Judged, RunFinished, RunStarted, Sample
from qfuzz.engine.plan import Plan
from qfuzz.model.content import JsonValue
from qfuzz.model.observation import Observation
from qfuzz.store.keys import context_key
from qfuzz.transports.base import Transport

Recall = Callable[[Sequence[str]], Mapping[str, Observation]]
"""Asked for observation keys, answers with those observations that need not be made again."""

_WINDOW_PER_JOB = 16
"""Samples in flight for each job: enough that a slow one does not starve the others, few enough to stay small."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run replays. `samples` is read lazily; `count` is how many there are."""

    samples: Iterable[Sample]
    count: int
    direct: Transport
    transports: tuple[Transport, ...]
    context: Mapping[str, JsonValue]
    jobs: int


def replay(plan: RunPlan, machinery: Machinery, recall: Recall) -> Iterator[Event]:
    """Replay every sample over direct and each transport.

    Yields RunStarted, then Executed as executions end and Judged in sample order, then RunFinished. Closing the
    generator early cancels what has not begun; what is running ends with the pool that `machinery` belongs to.
    """
    run = _Run(plan, machinery, recall)
    yield RunStarted(plan.count, tuple(transport.name for transport in plan.transports), plan.context, run.context_key)
    yield from run.events()
    yield RunFinished(run.judged, run.executed, run.recalled)


class _MustExecute(Exception):
    """What is known is not enough."""


def _refuse(*_: object) -> NoReturn:
    raise _MustExecute


_EXECUTES_NOTHING = Machinery(_refuse, _refuse, _refuse, _refuse, _refuse)


class _Run:
    def __init__(self, plan: RunPlan, machinery: Machinery, recall: Recall) -> None:
        self.plan = plan
        self.machinery = machinery
        self.recall = recall
        self.context_key = context_key(plan.context)
        self._everything = (plan.direct, *plan.transports)
        self.judged = 0
        self.executed = 0
        self.recalled = 0
        self._workers = ThreadPoolExecutor(plan.jobs, thread_name_prefix="qfuzz-replay")
        self._messages: queue.SimpleQueue[Executed | Judged | BaseException] = queue.SimpleQueue()
        self._in_flight: dict[int, frozenset[str]] = {}
        self._busy: set[str] = set()
        self._held: list[Plan] = []
        self._finished: dict[int, Judged] = {}

    def events(self) -> Iterator[Executed | Judged]:
        samples = iter(self.plan.samples)
        try:
            while True:
                yield from self._in_turn()
                self._fill(samples)
                if self.judged in self._finished:
                    continue
                if not self._in_flight:
                    return
                message = self._messages.get()
                if isinstance(message, BaseException):
                    raise message
                if isinstance(message, Executed):
                    yield message
                else:
                    self._finish(message)
        finally:
            self._workers.shutdown(wait=False, cancel_futures=True)

    def _in_turn(self) -> Iterator[Judged]:
        while self.judged in self._finished:
            done = self._finished.pop(self.judged)
            self.judged += 1
            self.executed += done.executed
            self.recalled += done.recalled
            yield done

    def _fill(self, samples: Iterator[Sample]) -> None:
        """Begin what the window has room for."""
        window = self.plan.jobs * _WINDOW_PER_JOB
        # What is finished but waits for its turn counts too, or one slow sample would let memory grow.
        while len(self._in_flight) + len(self._held) + len(self._finished) < window:
            sample = next(samples, None)
            if sample is None:
                return
            self._begin(Plan.make(sample, self.context_key, self._everything))

    def _begin(self, plan: Plan) -> None:
        keys = frozenset(plan.wanted_keys())
        if keys & self._busy:
            # Equal texts share their observations, so the second waits until those of the first are known.
            self._held.append(plan)
            return
        known = self.recall(sorted(keys))
        recalled = self._recalled(plan, known)
        if recalled is not None:
            self._finished[plan.sample.index] = recalled
            return
        self._busy |= keys
        self._in_flight[plan.sample.index] = keys
        self._workers.submit(self._work, plan, known)

    def _finish(self, judged: Judged) -> None:
        self._finished[judged.sample.index] = judged
        self._busy -= self._in_flight.pop(judged.sample.index)
        held, self._held = self._held, []
        for plan in held:
            self._begin(plan)

    def _recalled(self, plan: Plan, known: Mapping[str, Observation]) -> Judged | None:
        """The sample as judged from what is known alone, or None where something must be executed.

        Here and not in a worker: handing over what needs no waiting costs more than doing it.
        """
        if not known:
            return None
        # What has to be written counts as having to be executed: an older store lacks what arrived.
        attempt = Attempt(plan, _EXECUTES_NOTHING, known, _refuse)
        try:
            direct, results = attempt.make()
        except _MustExecute:
            return None
        return Judged(plan.sample, direct, results, attempt.executed, attempt.recalled)

    def _work(self, plan: Plan, known: Mapping[str, Observation]) -> None:
        try:
            attempt = Attempt(plan, self.machinery, known, self._on_executed)
            direct, results = attempt.make()
            self._messages.put(Judged(plan.sample, direct, results, attempt.executed, attempt.recalled))
        except BaseException as error:
            # A worker has no caller to raise to; the reader of the queue raises it.
            self._messages.put(error)

    def _on_executed(self, key: str, observation: Observation) -> None:
        self._messages.put(Executed(key, observation))
