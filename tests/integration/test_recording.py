"""What the store has after a run: everything that was seen, nothing that was not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qfuzz.engine.record import Recorder
from qfuzz.engine.run import RunPlan, replay
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Observation
from qfuzz.model.task import ExpectFile
from qfuzz.store.store import Store
from tests.cli.store_dump import content, count
from tests.examples import observed, right_state, task_of
from tests.fakes import LATE, Script, plan_of, samples_of

TASK = task_of(ExpectFile(b"out.txt", b"x"))
PROGRAMS = [b"one", b"two $x", b"one", b'three "x"']


def run(db: Path, script: Script, plan: RunPlan) -> None:
    with Store(db) as store:
        recorder = Recorder(store, "replies.jsonl", lambda: "now")
        for event in replay(plan, script.machinery(), store.observations):
            recorder.handle(event)


def plan(with_task: bool = True, jobs: int = 2) -> RunPlan:
    samples = samples_of(PROGRAMS, TASK if with_task else None)
    return plan_of(samples, len(PROGRAMS), ("nested", "json-naive", "quoted"), jobs)


def answer(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
    if b"$x" in launch.program and launch.inner_shells:
        return observed(2, stderr=b"x")
    return right_state(TASK)


@pytest.fixture
def undisturbed(tmp_path: Path) -> Path:
    db = tmp_path / "undisturbed.db"
    run(db, Script(answer), plan())
    return db


def failing(when: Callable[[int], bool]) -> Script:
    """Every call is counted, and the harness fails at some."""
    calls = iter(range(1 << 30))

    def harness(launch: Launch, ordinal: int) -> Observation:
        if when(next(calls)):
            raise HarnessError("the jail is gone")
        return answer(launch, ordinal)

    return Script(harness)


@pytest.mark.parametrize("modulus", [1, 2, 3, 5])
def test_a_harness_error_is_never_stored_and_the_next_run_makes_it_good(
    tmp_path: Path, undisturbed: Path, modulus: int
) -> None:
    db = tmp_path / "failing.db"
    run(db, failing(lambda call: call % modulus == 0), plan())
    kept = content(db)
    assert "harness-error" not in str(kept)
    assert set(kept["verdicts"]) <= set(content(undisturbed)["verdicts"])
    assert len(kept["verdicts"]) < len(content(undisturbed)["verdicts"])
    run(db, Script(answer), plan())
    assert content(db) == content(undisturbed)


@pytest.mark.parametrize("jobs", [1, 3, 8])
def test_the_number_of_jobs_does_not_show(tmp_path: Path, undisturbed: Path, jobs: int) -> None:
    run(tmp_path / "other.db", Script(answer), plan(jobs=jobs))
    assert content(tmp_path / "other.db") == content(undisturbed)


def test_equal_texts_stay_two_samples_and_share_their_observations(undisturbed: Path) -> None:
    assert count(undisturbed, "replies") == len(PROGRAMS)
    assert count(undisturbed, "verdicts") == len(PROGRAMS) * 4
    assert count(undisturbed, "tasks") == 1
    verdicts = content(undisturbed)["verdicts"]
    observations = [row[5] for row in verdicts if row[4] == "direct"]
    assert (len(observations), len(set(observations))) == (4, 3)


def test_an_edited_task_is_judged_beside_the_old_one(tmp_path: Path) -> None:
    db = tmp_path / "q.db"
    run(db, Script(answer), plan())
    edited = replace(TASK, instruction="Do it well.")
    again = Script(answer)
    run(db, again, plan_of(samples_of(PROGRAMS, edited), len(PROGRAMS), ("nested", "json-naive", "quoted")))
    assert again.runs == [], "the executions are the same"
    assert count(db, "tasks") == 2
    assert count(db, "verdicts") == 2 * len(PROGRAMS) * 4


def test_without_a_task_divergence_is_kept_and_no_verdict(tmp_path: Path) -> None:
    db = tmp_path / "q.db"
    run(db, Script(answer), plan(with_task=False))
    rows = content(db)["verdicts"]
    assert {(row[4], row[6], row[9]) for row in rows} == {
        ("direct", None, "direct"),
        ("nested", None, "same"),
        ("nested", None, "diverged"),
        ("json-naive", None, "same"),
        ("json-naive", "rejected", "not-compared"),
        ("quoted", None, "same"),
        ("quoted", None, "diverged"),
    }
    assert count(db, "tasks") == 0


def test_a_timeout_is_kept_as_one(tmp_path: Path) -> None:
    db = tmp_path / "q.db"
    run(db, Script(lambda launch, ordinal: LATE), plan_of(samples_of([b"sleep 60"], TASK), 1))  # noqa: ARG005
    assert {row[6] for row in content(db)["verdicts"]} == {"timeout"}
    assert {row[1] for row in content(db)["observations"]} == {"timeout"}


def test_a_run_that_was_not_finished_says_so(tmp_path: Path) -> None:
    db = tmp_path / "q.db"
    with Store(db) as store:
        recorder = Recorder(store, "replies.jsonl", lambda: "now")
        for event, _ in zip(replay(plan(), Script(answer).machinery(), store.observations), range(5), strict=False):
            recorder.handle(event)
    run(db, Script(answer), plan())
    with Store(db) as store:
        rows = store._execute("select finished, input, transports from runs order by id", ()).fetchall()
    assert rows == [(finished, "replies.jsonl", "nested, json-naive, quoted") for finished in (None, "now")]
