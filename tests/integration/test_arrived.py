"""`--arrived`: what reached the last shell, with real shells on the way and nothing of the reply run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.engine.arrived import Arrival, Arrived, ArrivedAt, arrivals, first_difference
from qfuzz.engine.events import Judged, Sample
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.run import RunPlan
from qfuzz.engine.run import replay as run
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve
from tests.available import available


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as started:
        yield started


def replay(pool: Pool, programs: list[bytes], *stacks: str) -> list[ArrivedAt]:
    samples = [Sample(index, Reply(program), None, "", Fixture(), "") for index, program in enumerate(programs)]
    transports = tuple(map(resolve, stacks))
    return list(arrivals(samples, transports, machinery(pool, 10.0).stopped_text, 2))


def one(pool: Pool, program: bytes, stack: str) -> Arrived:
    return replay(pool, [program], stack)[0].arrivals[0]


@pytest.mark.parametrize(
    ("program", "stack", "text"),
    [
        (b"echo '$HOME'", "nested", b"echo '/home/user'"),
        (b"printf '%s\\n' hi", "nested", b"printf '%s\\n' hi"),
        (b"echo \\\\", "nested", b"echo \\"),
        (b'echo "a b"', "nested", b"echo a"),
        (b"echo 'a'", "single", b"echo a"),
        (b"echo $(touch ran; echo x)", "nested", b"echo x"),
        (b"a\nb\n", "nested", b"a\nb\n"),
        (b"\xff'\n'", "quoted", b"\xff'\n'"),
        (b"echo hi", "double-nested", b"echo"),
        (b"echo \\u0041", "json-naive > nested", b"echo A"),
    ],
)
def test_text_that_arrives(pool: Pool, program: bytes, stack: str, text: bytes) -> None:
    arrived = one(pool, program, stack)
    assert arrived.text == text
    assert arrived.arrival is (Arrival.SAME if text == program else Arrival.CHANGED)
    assert arrived.offset == first_difference(program, text)


def test_lost_rejected_refused(pool: Pool) -> None:
    assert one(pool, b"echo '\"'", "nested").arrival is Arrival.LOST
    assert one(pool, b'"', "json-naive").arrival is Arrival.REJECTED
    assert one(pool, b"x" * 200_000, "nested").arrival is Arrival.REFUSED


def test_a_shell_that_nobody_sees_makes_nothing_lost(pool: Pool) -> None:
    launched = resolve("pty-typed > nested").deliver(b"echo hi")
    assert isinstance(launched, Launch)
    assert launched.inner_shells
    found = one(pool, b"echo hi", "pty-typed > nested")
    assert (found.arrival, found.text, found.offset) == (Arrival.UNSEEN, None, None)
    assert one(pool, b"echo hi", "nested > pty-typed").arrival is Arrival.UNSEEN


@pytest.mark.parametrize("name", available(load().names()))
def test_plain_text_arrives_over_every_single_layer(pool: Pool, name: str) -> None:
    if name != "double-nested":
        assert one(pool, b"true", name).arrival is Arrival.SAME


def test_nothing_of_the_reply_runs(pool: Pool) -> None:
    # Each of these would be seen: by its time, by the jail being replaced, by what it prints.
    programs = [b"sleep 30", b":(){ :|:& };:", b"kill -9 -1", b"rm -rf / --no-preserve-root"]
    for at in replay(pool, programs, "nested", "single", "quoted", "script-file", "sh"):
        assert [arrived.arrival for arrived in at.arrivals][1:] == [Arrival.SAME] * 4


STACKS = [*load().names(), "json-naive > nested", "nested > sh"]
TOGETHER = 15
"""Stacks of one run: they share its direct executions."""


@pytest.mark.parametrize("first", range(0, len(STACKS), TOGETHER))
def test_every_transported_run_is_kept_with_what_arrived(pool: Pool, first: int) -> None:
    stacks = [name for name in STACKS[first : first + TOGETHER] if missing_of(resolve(name)) is None]
    programs = [
        b"echo '$HOME' \"a  b\"",
        b"echo $(bash -c 'echo x')",
        b"echo '\"'",
        b"exit 3",
        b"echo a\necho b",
    ]
    samples = [Sample(index, Reply(program), None, "", Fixture(), "") for index, program in enumerate(programs)]
    machines = machinery(pool, 10.0)
    transports = tuple(resolve(name) for name in stacks if name != "direct")
    plan = RunPlan(samples, len(samples), resolve("direct"), transports, context_of(pool, 10.0), 2)
    judged = [event for event in run(plan, machines, lambda _: {}) if isinstance(event, Judged)]
    assert len(judged) == len(programs)
    for event, program in zip(judged, programs, strict=True):
        assert event.direct.observation is not None
        assert event.direct.observation.arrived == program
        assert [result.transport for result in event.results] == [each.name for each in transports]
        for transport, result in zip(transports, event.results, strict=True):
            delivery = transport.deliver(program)
            if not isinstance(delivery, Launch):
                assert result.observation is None
                continue
            assert result.observation is not None, transport.name
            assert result.observation.tapped, transport.name
            # The recorder that runs the last shell too sees the same.
            seen = machines.arrived_text(delivery, Fixture()) if delivery.inner_shells else delivery.program
            assert result.observation.arrived == seen, transport.name


def test_order_is_that_of_the_samples_for_any_number_of_jobs(pool: Pool) -> None:
    programs = [b"echo %d" % number for number in range(60)]
    found = replay(pool, programs, "nested", "json-naive")
    assert [at.sample.reply.program for at in found] == programs
    assert all(arrived.arrival is Arrival.SAME for at in found for arrived in at.arrivals)
