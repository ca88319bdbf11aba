"""A run for any number of jobs and any order of completion: the same events, each execution made once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.engine.events import Event, Executed, Judged, RunFinished, RunStarted, Sample
from qfuzz.engine.run import replay
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from tests.examples import observed
from tests.fakes import Script, events_of, judged, nothing_known, plan_of, repeat, samples_of

few = settings(max_examples=30)
programs = st.lists(st.sampled_from([b"a", b'b "x"', b"c", b"d $x"]), max_size=24)
jobs_numbers = st.integers(1, 6)
delays = st.lists(st.sampled_from([0.0, 0.0005, 0.002]), min_size=1, max_size=12)


class Memory:
    """What a store does for a run: keeps what was executed and answers with it."""

    def __init__(self) -> None:
        self.kept: dict[str, Observation] = {}

    def __call__(self, keys: Sequence[str]) -> Mapping[str, Observation]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def listen(self, events: Iterator[Event]) -> list[Event]:
        seen = []
        for event in events:
            if isinstance(event, Executed):
                self.kept[event.key] = event.observation
            seen.append(event)
        return seen


def slow(waits: list[float]) -> Script:
    """Ends executions in an order that the delays decide."""
    turn = iter(range(1 << 30))

    def answer(launch: Launch, ordinal: int) -> Observation:
        time.sleep(waits[next(turn) % len(waits)])
        return repeat(launch, ordinal)

    return Script(answer)


@few
@given(programs, jobs_numbers, delays)
def test_samples_are_judged_in_their_order(texts: list[bytes], jobs: int, waits: list[float]) -> None:
    events = events_of(texts, slow(waits), jobs=jobs)
    assert [event.sample.index for event in judged(events)] == list(range(len(texts)))
    assert [event.sample.reply.program for event in judged(events)] == texts
    first, last = events[0], events[-1]
    assert isinstance(first, RunStarted)
    assert first.samples == len(texts)
    assert isinstance(last, RunFinished)
    assert last.samples == len(texts)
    assert last.executed == sum(isinstance(event, Executed) for event in events)


@few
@given(programs, jobs_numbers, delays)
def test_any_number_of_jobs_gives_the_results_of_one(texts: list[bytes], jobs: int, waits: list[float]) -> None:
    stacks = ("nested", "json-naive", "json")

    def results(script: Script, workers: int) -> list[object]:
        memory = Memory()
        plan = plan_of(samples_of(texts), len(texts), stacks, workers)
        events = memory.listen(replay(plan, script.machinery(), memory))
        return [(event.direct, event.results, event.executed, event.recalled) for event in judged(events)]

    assert results(slow(waits), jobs) == results(Script(), 1)


@few
@given(programs, jobs_numbers, delays)
def test_equal_texts_in_flight_are_executed_once(texts: list[bytes], jobs: int, waits: list[float]) -> None:
    memory = Memory()
    script = slow(waits)
    memory.listen(replay(plan_of(samples_of(texts), len(texts), jobs=jobs), script.machinery(), memory))
    # Direct twice, nested twice as it differs, whatever the number of samples that share a text.
    assert len(script.runs) == 4 * len(set(texts))


@few
@given(programs, jobs_numbers)
def test_what_is_known_is_not_executed_again(texts: list[bytes], jobs: int) -> None:
    memory = Memory()
    plan = plan_of((), len(texts), ("nested", "json"), jobs)
    first = memory.listen(replay(replace(plan, samples=samples_of(texts)), Script().machinery(), memory))
    again = Script()
    second = memory.listen(replay(replace(plan, samples=samples_of(texts)), again.machinery(), memory))
    assert again.log == []
    finished = second[-1]
    assert isinstance(finished, RunFinished)
    assert finished.executed == 0
    assert [event.direct for event in judged(second)] == [event.direct for event in judged(first)]
    assert [event.results for event in judged(second)] == [event.results for event in judged(first)]


@few
@given(st.integers(1, 4), st.integers(0, 3))
def test_what_a_run_needs_anew_is_counted_as_executed(fresh: int, known: int) -> None:
    memory = Memory()
    old = [b"old %d" % number for number in range(known)]
    new = [b"new %d" % number for number in range(fresh)]
    memory.listen(replay(plan_of(samples_of(old), known), Script().machinery(), memory))
    events = memory.listen(replay(plan_of(samples_of([*old, *new]), known + fresh), Script().machinery(), memory))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.executed, finished.recalled) == (4 * fresh, 4 * known)


@pytest.mark.parametrize("jobs", [1, 3])
def test_few_samples_are_read_ahead(jobs: int) -> None:
    read = 0

    def counted() -> Iterator[Sample]:
        nonlocal read
        for sample in samples_of(b"%d" % number for number in range(1000)):
            read += 1
            yield sample

    def answer(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
        if launch.program == b"100":
            # All that are read after it end before it, and have to wait for their turn.
            time.sleep(0.1)
        return observed(stdout=b"same")

    ahead = 0
    done = 0
    for event in replay(plan_of(counted(), 1000, jobs=jobs), Script(answer).machinery(), nothing_known):
        ahead = max(ahead, read - done)
        done += isinstance(event, Judged)
    assert (read, done) == (1000, 1000)
    assert ahead <= 16 * jobs


@few
@given(st.integers(1, 4), st.integers(0, 20))
def test_a_closed_run_begins_nothing_more(jobs: int, after: int) -> None:
    script = slow([0.001])
    events = replay(
        plan_of(samples_of(b"%d" % number for number in range(500)), 500, jobs=jobs), script.machinery(), nothing_known
    )
    for _ in range(after):
        next(events)
    events.close()  # type: ignore[attr-defined]
    time.sleep(0.005)
    begun = len(script.log)
    time.sleep(0.01)
    # At most what every worker had in hand: four runs a sample.
    assert len(script.log) - begun <= 4 * jobs
    assert len(script.log) < 4 * 500


class Broken(Exception):
    """Nothing that the engine knows."""


@few
@given(st.integers(1, 4), st.integers(0, 30))
def test_an_error_of_a_worker_reaches_the_caller(jobs: int, where: int) -> None:
    def answer(launch: Launch, ordinal: int) -> Observation:
        if launch.program == b"%d" % where:
            raise Broken
        return repeat(launch, ordinal)

    with pytest.raises(Broken):
        events_of([b"%d" % number for number in range(31)], Script(answer), jobs=jobs)


def test_an_error_of_the_source_reaches_the_caller() -> None:
    def source() -> Iterator[Sample]:
        yield from samples_of([b"a", b"b"])
        raise Broken

    with pytest.raises(Broken):
        list(replay(plan_of(source(), 3), Script().machinery(), nothing_known))
