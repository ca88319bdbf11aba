"""A campaign against one transport: what works directly works the same over it, or is found, made small and told of.

Programs are drawn from the seed and run in parallel, direct and transported in turn as in every run. What breaks and is
not explained by causes that are known already goes back to Hypothesis, which shrinks it to the plainest program that
still has an unknown cause; then it is confirmed once more and gets its minimal forms. So each cause is told of once,
and the search goes on for others. Breakers are looked at in the order of draws: what is found depends on the seed
alone, unless time ends it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Sequence

from hypothesis.database import ExampleDatabase

from qfuzz.engine.events import Event as EngineEvent
from qfuzz.engine.events import Executed, Judged, RunFinished, RunStarted, Sample
from qfuzz.engine.laboratory import Laboratory, Patience
from qfuzz.engine.run import RunPlan, replay
from qfuzz.engine.shrinking import Found, Shrunk, breakers_of
from qfuzz.fuzz.transport.causes import KnownCauses
from qfuzz.fuzz.transport.cover import Cover, Tally
from qfuzz.fuzz.transport.draw import StopShrinking, drawn_cases, example_of, read_examples, shrunk
from qfuzz.fuzz.transport.events import (
    BreakerFound,
    BreakerGone,
    CampaignEnded,
    CampaignStarted,
    CaseJudged,
    Event,
)
from qfuzz.fuzz.transport.limits import failed, is_endless, until
from qfuzz.fuzz.transport.plan import Budget, Path, examples_key
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.errors import HarnessError
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.reply import Reply
from qfuzz.model.userland import userland_name
from qfuzz.oracle.compare import Stability, differing_channels
from qfuzz.oracle.judge import judge
from qfuzz.shrink.repair import OutOfTrials
from qfuzz.store.keys import fixture_key, task_key
from qfuzz.strategies.cases import Case
from qfuzz.transports.loader import resolve

MAX_SHRINK_EXECUTIONS = 1500
"""For making one breaker small by drawing; its minimal forms have a budget of their own."""

MOST_CAUSES = 8
"""Causes that are looked for in one drawn program; it may have more."""

MOST_TIMEOUTS = 2
"""Trials that do not end, while one breaker is made small: each costs the whole timeout, twice."""

MOST_LOOPS = 3
"""Breakers that do not end over the transport and are asked for a known cause; further ones are counted."""

SHARE = 4
"""One breaker may take so much of the time of a campaign: a fourth."""

GRACE_SECONDS = 2.0
"""How long after the end of time the confirmation of what was found may take."""

MODEL = "qfuzz fuzz"
"""Who wrote the programs, in the store's column for that."""


def campaign(
    path: Path, budget: Budget, *, seed: int, jobs: int, examples: ExampleDatabase | None = None
) -> Generator[Event]:
    """Fuzz the path. Breakers of earlier runs, in `examples`, come first; new ones are added to them.

    Yields CampaignStarted, CaseJudged for every program, BreakerFound and BreakerGone, and CampaignEnded. Closing the
    generator early cancels what has not begun.
    """
    return _Campaign(path, budget, seed, jobs, examples).events()


class _Campaign:
    def __init__(self, path: Path, budget: Budget, seed: int, jobs: int, examples: ExampleDatabase | None) -> None:
        self._path = path
        self._budget = budget
        self._seed = seed
        self._jobs = jobs
        self._examples = examples
        self._key = examples_key(path.transport, userland_name(path.context))
        self._direct = resolve("direct")
        self._known = KnownCauses(path.transport)
        self._cover = Cover()
        self._tally = Tally()
        self._found = 0
        self._executions = 0
        self._began = time.monotonic()
        self._end = math.inf if budget.seconds is None else self._began + budget.seconds
        self._drawn: dict[int, tuple[int, Case]] = {}
        self._loops = 0
        self._loop_told = False

    def events(self) -> Generator[Event]:
        stored = read_examples(() if self._examples is None else list(self._examples.fetch(self._key)))
        yield CampaignStarted(self._path.transport.name, self._seed, len(stored))
        for example, case in stored:
            if time.monotonic() >= self._end:
                break
            yield from self._again(example, case)
        started: RunStarted | None = None
        for event in replay(self._plan(self._samples()), until(self._path.machinery, self._end), lambda _: {}):
            if isinstance(event, RunStarted):
                started = event
            elif isinstance(event, Judged) and not self._was_cut(event):
                assert started is not None, "a run starts first"
                yield from self._judged(event, started)
        seconds = time.monotonic() - self._began
        counts = self._tally.counts()
        yield CampaignEnded(self._cover.coverage(), counts, self._found, self._executions, seconds)

    def _samples(self) -> Iterator[Sample]:
        """Different programs, until the budget ends."""
        seen: set[bytes] = set()
        for place, case in drawn_cases(self._seed):
            if self._is_over() or len(seen) == self._budget.examples:
                return
            if case.program in seen:
                continue
            self._drawn[len(seen)] = place, case
            yield sample_of(len(seen), case)
            seen.add(case.program)

    def _is_over(self) -> bool:
        return time.monotonic() >= self._end or self._found >= self._budget.findings

    def _was_cut(self, event: Judged) -> bool:
        """Whether the end of time kept a program from being run to the end; nothing is said of it."""
        return time.monotonic() >= self._end and failed(event)

    def _patience(self) -> Patience:
        share = math.inf if self._budget.seconds is None else time.monotonic() + self._budget.seconds / SHARE
        return Patience(min(self._end, share), MOST_TIMEOUTS)

    def _plan(self, samples: Iterator[Sample] | Sequence[Sample]) -> RunPlan:
        return RunPlan(samples, 0, self._direct, (self._path.transport,), self._path.context, self._jobs)

    def _judged(self, event: Judged, started: RunStarted) -> Iterator[Event]:
        place, case = self._drawn.pop(event.sample.index)
        self._executions += event.executed
        self._cover.add(case)
        self._tally.add(event)
        found = self._breaker(event)
        yield CaseJudged(case, found is not None)
        if found is None:
            return
        if is_endless(found.breaker.transported):
            yield from self._endless(found, place, case, started, event)
            return
        patience = self._patience()
        for _ in range(MOST_CAUSES):
            if self._is_over() or patience.ran_out:
                self._tally.of["left"] += 1
                return
            laboratory = Laboratory(found.breaker, self._path.machinery, MAX_SHRINK_EXECUTIONS, patience)
            smallest = None
            explained = self._known.explain(case, laboratory)
            if not explained:
                smallest = self._smallest(example_of(self._seed, place), laboratory)
            self._executions += laboratory.executions
            if smallest is None:
                self._tally.of["left" if patience.ran_out else "explained" if explained else "unsettled"] += 1
                return
            yield from self._confirmed(*smallest, case.program, patience, known=False)

    def _endless(self, found: Found, place: int, case: Case, started: RunStarted, judged: Judged) -> Iterator[Event]:
        """The first breaker that does not end over the transport, for a cause that is not known, is told of as it was
        drawn: each smaller one would be waited for, and its run is at hand."""
        if self._is_over() or self._loops >= MOST_LOOPS:
            self._tally.of["left"] += 1
            return
        patience = self._patience()
        laboratory = Laboratory(found.breaker, self._path.machinery, MAX_SHRINK_EXECUTIONS, patience)
        explained = self._known.explain(case, laboratory)
        self._executions += laboratory.executions
        if explained and not patience.ran_out:
            self._tally.of["explained"] += 1
            return
        self._loops += 1
        if self._loop_told or patience.ran_out:
            self._tally.of["left"] += 1
            return
        if self._examples is not None:
            self._examples.save(self._key, example_of(self._seed, place))
        executed = (
            Executed(result.observation_key, result.observation)
            for result in (judged.direct, *judged.results)
            if result.observation is not None and result.observation_key is not None
        )
        run: tuple[EngineEvent, ...] = (started, *executed, judged, RunFinished(1, judged.executed, 0))
        yield self._told_endless(found, run, case.program, known=False)

    def _told_endless(self, found: Found, run: Sequence[EngineEvent], first: bytes, *, known: bool) -> BreakerFound:
        self._loop_told = True
        self._found += 1
        return BreakerFound(Shrunk(found, None, False), tuple(run), first, known, finished=False)

    def _smallest(self, example: bytes, laboratory: Laboratory) -> tuple[Case, bytes] | None:
        """The plainest case that breaks for a cause that is not known."""

        def fails(case: Case) -> bool:
            fails = _breaks(case, laboratory) and not self._known.explain(case, laboratory)
            if laboratory.patience.ran_out:
                raise StopShrinking
            return fails

        return shrunk(example, fails)

    def _again(self, example: bytes, case: Case) -> Iterator[Event]:
        """A breaker of an earlier run: told of if it still is one, and taken out if it was seen to do the same."""
        judged = yield from self._confirmed(case, example, case.program, self._patience(), known=True)
        if self._examples is not None and _is_mended(judged):
            self._examples.delete(self._key, example)
            yield BreakerGone(case)

    def _confirmed(
        self, case: Case, example: bytes, first: bytes, patience: Patience, *, known: bool
    ) -> Generator[Event, None, Judged]:
        """The breaker in a run of its own, with its forms; nothing where it shows itself no more. Returns that run."""
        machines = until(self._path.machinery, self._end + GRACE_SECONDS)
        run: list[EngineEvent] = list(replay(self._plan([sample_of(0, case)]), machines, lambda _: {}))
        self._executions += sum(isinstance(event, Executed) for event in run)
        judged = next(event for event in run if isinstance(event, Judged))
        found = self._breaker(judged)
        if found is None:
            return judged
        if is_endless(found.breaker.transported):
            yield self._told_endless(found, run, first, known=known)
            return judged
        forms = self._path.recall(found)
        recalled = forms is not None
        if forms is None:
            forms = self._forms(found, patience)
        finished = recalled or not patience.ran_out
        if not self._known.add(case, forms, sure=finished) and not known:
            return judged
        if self._examples is not None:
            self._examples.save(self._key, example)
        self._found += 1
        yield BreakerFound(Shrunk(found, forms, recalled), tuple(run), first, known, finished)
        return judged

    def _forms(self, found: Found, patience: Patience) -> Forms | None:
        try:
            forms = self._path.make(found.breaker, patience)
        except (HarnessError, OutOfTrials):
            return None
        self._executions += forms.executions
        return forms

    def _breaker(self, event: Judged) -> Found | None:
        return next(breakers_of(event, {self._path.transport.name: self._path.transport}), None)


def sample_of(index: int, case: Case) -> Sample:
    task = case.task
    reply = Reply(case.program, None if task is None else task.task_id, model=MODEL)
    key = "" if task is None else task_key(task)
    return Sample(index, reply, task, key, case.fixture, fixture_key(case.fixture))


def _is_mended(judged: Judged) -> bool:
    """Whether both paths were seen to do the same; a failure of the harness or a refusal says nothing of it."""
    (result,) = judged.results
    seen = judged.direct.observation is not None and result.observation is not None
    return seen and result.comparison is not None and result.comparison.stability is Stability.SAME


def _breaks(case: Case, laboratory: Laboratory) -> bool:
    """Whether the case works directly and not over the transport, in one run of each."""
    try:
        direct = laboratory.direct(case.program, case.fixture)
        if not isinstance(direct, Observation) or direct.status.ending is Ending.TIMEOUT:
            return False
        if case.task is not None and not judge(case.task, direct).passed:
            return False
        outcome = laboratory.transported(case.program, case.fixture)
    except (OutOfTrials, HarnessError):
        return False
    if isinstance(outcome, Refusal):
        return False
    if isinstance(outcome, Rejection):
        return True
    if is_endless(outcome):
        # What ended over the path does not slide to what is waited for at each trial.
        return False
    if case.task is not None:
        return not judge(case.task, outcome).passed
    return bool(differing_channels(direct, outcome))
