"""`qfuzz score REPLIES`: what the store lacks is run, what it holds is not, and other replies in it stay out."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.cli.command import qfuzz, write_lines
from tests.cli.inside import Inside
from tests.cli.replies import REPLIES, reply, write_set


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """Raw and disclosed replies to one task, and one without a task."""
    write_set(tmp_path / "set.jsonl")
    write_lines(tmp_path / "replies.jsonl", *REPLIES[:6])
    return ("replies.jsonl", "--tasks", "set.jsonl", "--jobs", "1")


def executions(folder: Path) -> int:
    with sqlite3.connect(folder / "qfuzz.db") as database:
        return int(database.execute("select count(*) from observations").fetchone()[0])


def test_replies_are_run_scored_and_not_run_again(tmp_path: Path, files: tuple[str, ...]) -> None:
    first = qfuzz(["score", *files, "--json"], tmp_path)
    assert (first.status, first.err) == (0, "")
    (found,) = first.records()
    assert [found[cell]["passed"] for cell in ("rr", "rn", "nr", "nn")] == [2, 0, 0, 1]  # type: ignore[index]
    assert found["failures" if "failures" in found else "tasks"] == 1
    assert found["task_set"] == "set"
    made = executions(tmp_path)
    assert qfuzz(["score", *files, "--json"], tmp_path).out == first.out
    assert executions(tmp_path) == made
    # The store alone says the same, and does not need the replies.
    stored = qfuzz(["score", "--tasks", "set.jsonl", "--json"], tmp_path)
    assert stored.out == first.out


def test_only_the_replies_that_are_named_are_scored(tmp_path: Path, files: tuple[str, ...]) -> None:
    other = [reply("true", 0, model="other"), reply("true", 0, model="other", contract="disclosed:nested")]
    write_lines(tmp_path / "other.jsonl", *other)
    assert qfuzz(["score", "other.jsonl", *files[1:]], tmp_path).status == 0
    models = [each["model"] for each in qfuzz(["score", *files, "--json"], tmp_path).records()]
    assert models == [""]


def test_an_execution_can_be_explained(tmp_path: Path, files: tuple[str, ...]) -> None:
    listed = qfuzz(["score", *files, "--list", "rn", "--json"], tmp_path).records()
    broken = next(each for each in listed if each["trial"] == 0)
    assert broken["verdict"] == "silent-wrong"
    explained = qfuzz(["explain", str(broken["id"]), "--jobs", "1"], tmp_path)
    assert explained.status == 0, explained
    assert "starts an expansion" in explained.out


@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not here")
def test_the_same_replies_under_two_userlands(tmp_path: Path) -> None:
    write_set(tmp_path / "set.jsonl")
    plain = "printf %s 'cost: $5' > note.txt"
    busybox_only = f"case $(readlink $(type -p sed)) in *busybox) {plain};; esac"
    told = [reply(plain, trial, contract="disclosed:nested") for trial in (0, 1)]
    write_lines(tmp_path / "replies.jsonl", reply(busybox_only, 0), reply(plain, 1), *told)
    words = [
        "score",
        "replies.jsonl",
        "--tasks",
        "set.jsonl",
        "--jobs",
        "1",
        "--userland",
        "gnu",
        "--userland",
        "busybox",
    ]
    said = qfuzz([*words, "--json"], tmp_path)
    assert said.status == 0, said
    records = said.records()
    first, second = (each for each in records if each["record"] == "configuration")
    assert first["validator"]["userland"]["name"] == "gnu"  # type: ignore[index]
    assert "BusyBox" in second["validator"]["userland"]["version"]  # type: ignore[index]
    (beside,) = (each for each in records if each["record"] == "userlands")
    assert (beside["same"], beside["compared"], beside["differing"]) == (7, 8, {"rr": ["note/t1-price"]})
    with sqlite3.connect(tmp_path / "qfuzz.db") as database:
        broken = database.execute(
            "select verdicts.key from verdicts join contexts on contexts.key = verdicts.context "
            "join replies on replies.key = verdicts.reply "
            "where breaker = 1 and contexts.context like '%busybox%' and replies.trial = 0"
        ).fetchone()[0]
    # Its forms are found under the userland that it broke under, whatever this call would take by itself.
    shrunk = qfuzz(["shrink", broken, "--jobs", "1"], tmp_path)
    assert shrunk.status == 0
    assert "cause: $" in shrunk.out, shrunk
    contexts = sqlite3.connect(tmp_path / "qfuzz.db").execute("select context from contexts").fetchall()
    assert sorted("userland" in json.loads(text) for (text,) in contexts) == [False, True]
    exported = qfuzz(["export", "--breakers", "kept.breakers.jsonl"], tmp_path)
    assert "ran with another userland, which no case names" in exported.out
    assert all("busybox" not in line for line in (tmp_path / "kept.breakers.jsonl").read_text().splitlines())


def test_nothing_to_score_and_bad_replies(inside: Inside, tmp_path: Path, files: tuple[str, ...]) -> None:
    write_lines(tmp_path / "log.jsonl", {"reply": "true"})
    for name, said in (
        ("log.jsonl", "no reply has a task"),
        ("missing.jsonl", "can't be read"),
        ("twice.jsonl", "the same task, model, contract, effort and trial"),
        ("unknown.jsonl", "unknown task"),
    ):
        if name == "twice.jsonl":
            write_lines(tmp_path / name, reply("true", 0), reply("false", 0))
        if name == "unknown.jsonl":
            write_lines(tmp_path / name, {"task_id": "no/t0-such", "reply": "true"})
        assert said in inside.refuses("score", name, *files[1:])
    assert not (tmp_path / "qfuzz.db").exists()
