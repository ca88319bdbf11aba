"""A run that is cut off goes on where it was, and ends with the store of a run that nobody disturbed."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from qfuzz.cli.options import load_tasks
from qfuzz.engine.events import Executed, RunFinished
from qfuzz.engine.run import RunPlan, replay
from qfuzz.engine.samples import ReplyFile, check_replies
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.store.store import Store
from qfuzz.transports.loader import resolve
from tests.cli.command import write_lines
from tests.cli.replies import REPLIES, write_set
from tests.cli.store_dump import content, count
from tests.fakes import Script
from tests.integration.interrupted import Diff, write_replies

pytestmark = pytest.mark.long

KILLS = 4
KILLS_AT_NIGHT = 20
SEED = 20_240_917


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Path:
    path = tmp_path_factory.mktemp("resume")
    write_replies(checkout, path / "replies.jsonl")
    return path


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> Path:
    db = folder / "undisturbed.db"
    assert Diff(folder / "replies.jsonl", db, "--no-shrink").finish() == (1, "")
    return db


def test_a_run_that_is_terminated_says_so(folder: Path) -> None:
    run = Diff(folder / "replies.jsonl", folder / "terminated.db", "--no-shrink")
    assert run.wait_for(5, 0.0) >= 5
    status, said = run.end(signal.SIGTERM)
    assert (status, said.strip()) == (143, "qfuzz: terminated; what was finished and stored is kept")


@pytest.mark.parametrize("kills", [KILLS, pytest.param(KILLS_AT_NIGHT, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_cut_off_at_random_moments_ends_as_an_undisturbed_one(
    folder: Path, undisturbed: Path, how: signal.Signals, kills: int
) -> None:
    db = folder / f"{how.name}-{kills}.db"
    everything = count(undisturbed, "observations")
    assert everything > 150
    randomness = random.Random(f"{SEED} {how.name}")
    moments = sorted(randomness.randrange(everything) for _ in range(kills - 2))
    cut_off = 0
    kept = 0
    # The first two fall into the start: before there is a store, and while it and the jails are made.
    for moment in (0, 0, *moments):
        run = Diff(folder / "replies.jsonl", db, "--no-shrink")
        if how is signal.SIGINT:
            # Until then Python itself is starting, and answers with a traceback of its own.
            run.wait_for_store()
        seen = run.wait_for(moment, randomness.choice([0.0, 0.002, 0.02]) if moment else randomness.uniform(0.01, 0.6))
        status, said = run.end(how)
        assert "Traceback" not in said
        if status in (130, -how):
            cut_off += 1
        else:
            assert (status, said) == (1, ""), "it ended by itself, or as such a run should not"
        kept = max(kept, seen)
        if db.exists():
            assert run.kept() >= kept, "what was kept before is gone"
            _check_integrity(db)
    assert cut_off >= kills - 2
    assert Diff(folder / "replies.jsonl", db, "--no-shrink").finish() == (1, "")
    assert content(db) == content(undisturbed)


def test_a_run_cut_off_while_it_shrinks_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    replies = write_lines(tmp_path / "replies.jsonl", *(each for each in REPLIES if "RANDOM" not in str(each)))
    tasks = ("--tasks", str(write_set(tmp_path / "set.jsonl")))
    whole, db = tmp_path / "whole.db", tmp_path / "cut.db"
    assert Diff(replies, whole, *tasks).finish()[0] == 1
    everything = count(whole, "observations")
    randomness = random.Random(SEED)
    for moment in sorted(randomness.randrange(everything) for _ in range(4)):
        run = Diff(replies, db, *tasks)
        run.wait_for(moment, randomness.uniform(0.0, 0.5))
        status, said = run.end(signal.SIGKILL)
        assert status in (1, -signal.SIGKILL)
        assert "Traceback" not in said
        if db.exists():
            _check_integrity(db)
    assert Diff(replies, db, *tasks).finish()[0] == 1
    assert content(db) == content(whole)


def _check_integrity(db: Path) -> None:
    connection = sqlite3.connect(db)
    try:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert connection.execute("pragma foreign_key_check").fetchall() == []
    finally:
        connection.close()


def _refuse(*_: object) -> NoReturn:
    raise AssertionError("something was executed")


REFUSING = Script(_refuse, arrived=_refuse, parses=_refuse)


def test_what_the_store_has_needs_no_execution(folder: Path, undisturbed: Path) -> None:
    tasks = load_tasks(())
    source = check_replies((ReplyFile(folder / "replies.jsonl", "replies.jsonl"),), tasks)
    with Store(undisturbed) as store:
        ((context,),) = store._execute("select context from contexts", ()).fetchall()
        plan = RunPlan(
            samples=source.samples(tasks, Fixture()),
            count=source.count,
            direct=resolve("direct"),
            transports=tuple(map(resolve, ("nested", "json-naive", "quoted"))),
            context=json.loads(context),
            jobs=2,
        )
        events = list(replay(plan, REFUSING.machinery(), store.observations))
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.executed, finished.samples) == (0, source.count)
    assert finished.recalled >= count(undisturbed, "observations")
    assert not any(isinstance(event, Executed) for event in events)


def test_another_timeout_is_another_context_and_recalls_nothing(folder: Path, undisturbed: Path) -> None:
    asked: list[Sequence[str]] = []
    tasks = load_tasks(())
    source = check_replies((ReplyFile(folder / "replies.jsonl", "replies.jsonl"),), tasks)
    with Store(undisturbed) as store:
        ((context,),) = store._execute("select context from contexts", ()).fetchall()
        changed = json.loads(context) | {"timeout_seconds": 5.0}
        samples = [next(source.samples(tasks, Fixture()))]
        plan = RunPlan(samples, 1, resolve("direct"), (resolve("nested"),), changed, 1)

        def recall(keys: Sequence[str]) -> Mapping[str, Observation]:
            asked.append(keys)
            return store.observations(keys)

        with pytest.raises(AssertionError, match="was executed"):
            list(replay(plan, REFUSING.machinery(), recall))
        assert store.observations(asked[0]) == {}
