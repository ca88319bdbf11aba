"""The control of the instrument: what claims to carry everything equals direct, on every decisive channel."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator
from itertools import islice

import pytest

from qfuzz.engine.events import Executed, Judged, RunFinished, Sample
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.run import RunPlan, replay
from qfuzz.gen.heldout import HELD_OUT_NAME
from qfuzz.gen.public import load_public
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Refusal
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply
from qfuzz.oracle.compare import Stability
from qfuzz.store.keys import fixture_key, task_key
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve
from tests.conformance.programs import programs
from tests.untapped import untapped

TIMEOUT_SECONDS = 10.0
FAITHFUL = tuple(
    name
    for name, boundary in load().boundaries.items()
    if boundary.faithful and name != "direct" and missing_of(resolve(name)) is None
)


def replies() -> Iterator[Reply]:
    """The shipped replies to the public tasks."""
    for path in sorted((importlib.resources.files("qfuzz_corpus") / "replies").iterdir(), key=lambda path: path.name):
        if path.name.endswith(".jsonl") and not path.name.startswith(HELD_OUT_NAME):
            yield from map(decode_reply, path.read_bytes().splitlines())


def shipped_samples(every: int) -> Iterator[Sample]:
    tasks = {task.task_id: task for task in load_public()}
    for index, reply in enumerate(islice(replies(), 0, None, every)):
        assert reply.task_id is not None
        task = tasks[reply.task_id]
        yield Sample(index, reply, task, task_key(task), task.fixture, fixture_key(task.fixture))


def generated_samples(every: int) -> Iterator[Sample]:
    """One program of `every`."""
    for index, (task, name, program) in enumerate(islice(programs(), 0, None, every)):
        reply = Reply(program, task.task_id, model=name)
        yield Sample(index, reply, task, task_key(task), task.fixture, fixture_key(task.fixture))


def replayed(samples: list[Sample], pool: Pool) -> list[Judged]:
    transports = tuple(resolve(name) for name in FAITHFUL)
    plan = RunPlan(samples, len(samples), resolve("direct"), transports, context_of(pool, TIMEOUT_SECONDS), 2)
    judged: list[Judged] = []
    for event in replay(plan, untapped(machinery(pool, TIMEOUT_SECONDS)), lambda _: {}):
        if isinstance(event, Judged):
            judged.append(event)
        elif isinstance(event, RunFinished):
            assert event.executed >= 2 * len(samples)
        else:
            assert not isinstance(event, Executed) or event.key
    return judged


def unequal(judged: list[Judged]) -> list[str]:
    """Every execution that is not the same as direct, as a line.

    A naive program may be unstable by itself: with its payload unprotected, `$$` is a process id and `$(date)` a time.
    """
    found = []
    for event in judged:
        reply = event.sample.reply
        for result in event.results:
            if isinstance(result.undelivered, Refusal):
                # What XML has no way to write, say.
                assert not reply.program.decode("utf-8", "replace").isprintable()
                continue
            assert result.comparison is not None, (reply, result)
            unstable = result.comparison.stability is Stability.NONDETERMINISTIC
            if unstable and reply.model == "naive" and (b"$$" in reply.program or b"$(date)" in reply.program):
                continue
            if result.comparison.stability is not Stability.SAME:
                found.append(f"{reply.task_id} {result.transport} {result.comparison} {reply.program!r}")
    return found


def test_the_faithful_transports_are_those_that_are_documented() -> None:
    assert set(FAITHFUL) == {
        *("quoted", "single-escaped", "ansi-c", "base64", "base64-piped"),
        *("script-file", "json", "yaml", "xml"),
    }


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.nightly), 2])
def test_shipped_replies_are_carried_whole(two_jails: Pool, every: int) -> None:
    judged = replayed(list(shipped_samples(every)), two_jails)
    assert len(judged) == 280 // every
    assert unequal(judged) == []


@pytest.mark.long
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.nightly), 5])
def test_references_and_generated_programs_are_carried_whole(two_jails: Pool, every: int) -> None:
    """By day one program of five, from all families in all styles of quoting; at night all of them."""
    every_kind = {(task.family, name) for task, name, _ in programs()}
    samples = list(generated_samples(every))
    assert len(samples) >= (1000 + 56) // every
    assert {(sample.task.family, sample.reply.model) for sample in samples if sample.task is not None} == every_kind
    judged = replayed(samples, two_jails)
    assert unequal(judged) == []
    print(f"{len(judged)} generated programs over {', '.join(FAITHFUL)}: no divergence")


@pytest.fixture(scope="module")
def two_jails() -> Iterator[Pool]:
    with Pool(2) as pool:
        yield pool
