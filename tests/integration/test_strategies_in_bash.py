"""What is drawn does in real Bash, in the jail, what the strategies promise."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.judge import judge
from qfuzz.strategies import STYLES, FamilyProgram, family_programs, free_programs, words
from qfuzz.transports.loader import resolve
from tests.property.test_strategies import drawn


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as started:
        yield started


def run(pool: Pool, program: bytes, fixture: Fixture = Fixture()) -> Observation:  # noqa: B008 (frozen)
    delivery = resolve("direct").deliver(program)
    assert isinstance(delivery, Launch)
    return machinery(pool, 10.0).run(delivery, fixture)


def test_a_word_gives_its_value(pool: Pool) -> None:
    found = drawn(words(), 1200)
    assert {word.style for word in found} == set(STYLES)
    for start in range(0, len(found), 100):
        batch = found[start : start + 100]
        seen = run(pool, b"printf '%s\\0' " + b" ".join(word.source for word in batch))
        values = seen.stdout.data.split(b"\0")[:-1]
        assert [word for word, value in zip(batch, values, strict=True) if word.value != value] == []


def test_programs_end_and_do_the_same_twice(pool: Pool) -> None:
    found = drawn(free_programs(), 500)

    def twice(text: bytes) -> tuple[Observation, Observation]:
        return run(pool, text), run(pool, text)

    with ThreadPoolExecutor(2) as workers:
        pairs = list(workers.map(twice, [program.text for program in found]))
    for program, (one, two) in zip(found, pairs, strict=True):
        assert one.status.ending is not Ending.TIMEOUT, program
        assert not differing_channels(one, two), program
        assert not one.stdout.truncated, program
        assert b"syntax error" not in one.stderr.data, (program, one.stderr)
    # They work: nearly all end with status 0, and say something.
    assert sum(one.status.code == 0 for one, _ in pairs) > 0.85 * len(pairs)
    assert sum(bool(one.stdout.data) for one, _ in pairs) > 0.95 * len(pairs)
    assert sum(bool(one.tree.entries) for one, _ in pairs) > 0.1 * len(pairs)


def test_programs_of_families_pass_their_tasks(pool: Pool) -> None:
    found = drawn(family_programs(), 120)

    def passes(drawn_: FamilyProgram) -> bool:
        return judge(drawn_.task, run(pool, drawn_.program, drawn_.task.fixture)).passed

    with ThreadPoolExecutor(2) as workers:
        verdicts = list(workers.map(passes, found))
    assert [each for each, passed in zip(found, verdicts, strict=True) if not passed] == []
