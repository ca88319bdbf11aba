"""`qfuzz fuzz --transport` as a user calls it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from qfuzz.fuzz.transport.plan import examples_key
from qfuzz.model.userland import userland_name
from qfuzz.store.examples import StoredExamples
from qfuzz.store.store import Store
from qfuzz.transports.loader import resolve
from tests.cli.inside import Inside, as_nobody


def test_a_faithful_transport_has_nothing_to_find(inside: Inside) -> None:
    said = inside.call("fuzz", "--transport", "quoted", "--examples", "12", "--seed", "1")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("seed 1\n")
    assert "0 breakers with different causes" in said.out
    assert "12 did the same on both paths" in said.out
    assert "contexts: " in said.out


def test_a_breaker_is_kept_told_of_first_the_next_time_and_can_be_explained(inside: Inside, tmp_path: Path) -> None:
    arguments = ["fuzz", "--transport", "nested", "--examples", "1", "--seed", "1", "--json"]
    first = inside.call(*arguments)
    assert (first.status, first.err) == (1, "")
    started, *breakers, ended = first.records()
    assert started == {"event": "started", "transport": "nested", "seed": 1, "known": 0}
    assert ended["event"] == "ended"
    assert ended["programs"] == 1
    assert breakers
    assert all(each["event"] == "breaker" and each["known"] is False and each["causes"] for each in breakers)
    assert len({str(each["causes"]) for each in breakers}) == len(breakers)
    breaker = breakers[0]
    assert [each.name for each in tmp_path.iterdir()] == ["qfuzz.db"]

    again = inside.call(*arguments)
    assert again.status == 1
    assert again.records()[0]["known"] == len(breakers)
    known = [each | {"known": True, "first": each["program"]} for each in breakers]
    assert sorted(again.records()[1:-1], key=str) == sorted(known, key=str)
    assert again.records()[-1]["found"] == len(breakers)

    explained = inside.call("explain", str(breaker["id"]))
    assert explained.status == 0, explained.err
    assert "over nested" in explained.out
    assert str(breaker["smallest"]).split("\n")[0] in explained.out


def test_a_transport_of_ones_own_is_fuzzed_like_any_other(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "careless.py").write_text("def quote(text):\n    return '\"' + text.replace('\"', '\\\\\"') + '\"'\n")
    for name, escape, found in (("mine", "careless:quote", True), ("mended", "shlex:quote", False)):
        config = f'[transports.{name}]\ntemplate = "bash -c {{}}"\nescape = "{escape}"\n'
        (tmp_path / "qfuzz.toml").write_text(config)
        said = inside.call("fuzz", "--transport", name, "--examples", "4", "--seed", "1", "--json")
        assert said.status == found, said.err
        assert any(each["event"] == "breaker" for each in said.records()) == found


@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not here")
def test_a_breaker_is_found_and_kept_under_a_userland(inside: Inside, tmp_path: Path) -> None:
    words = ["fuzz", "--transport", "nested", "--userland", "busybox", "--examples", "1", "--seed", "1", "--json"]
    said = inside.call(*words)
    assert said.status == 1, said.err
    with closing(sqlite3.connect(tmp_path / "qfuzz.db")) as database:
        contexts = [json.loads(text) for (text,) in database.execute("select context from contexts")]
        sources = [source for (source,) in database.execute("select distinct input from runs")]
    assert [userland_name(context) for context in contexts] == ["busybox"]
    assert sources == ["qfuzz fuzz --transport nested --seed 1 --userland busybox"]
    with StoredExamples(tmp_path / "qfuzz.db") as examples:
        nested = resolve("nested")
        assert len(list(examples.fetch(examples_key(nested, "busybox")))) == said.records()[-1]["found"]
        assert list(examples.fetch(examples_key(nested))) == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--transport", "carrier-pigeon"], "unknown transport 'carrier-pigeon'"),
        (["--transport", "nested >"], "empty layer in the stack 'nested >'"),
        (["--transport", "direct"], "direct is what the other transports are compared with"),
        (["--transport", "nested", "--examples", "0"], "Invalid value for '--examples'"),
        (["--transport", "nested", "--seconds", "0"], "Invalid value for '--seconds'"),
        (["--transport", "nested", "--seconds", "nan"], "is not a number"),
        (["--transport", "nested", "--seed", "-1"], "Invalid value for '--seed'"),
        (["--transport", "nested", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["--transport", "nested", "--engine", "atheris"], "atheris draws for escaping functions only"),
        (["--transport", "nested", "--shell", "zsh"], "are for escaping functions"),
        (["--escape", "shlex:quote", "--userland", "busybox"], "--userland is for transports"),
        (["--transport", "nested", "--userland", "bsd"], "Invalid value for '--userland'"),
        (
            ["--transport", "nested", "--escape", "shlex:quote"],
            "give only one of --transport, --escape, --escape-command",
        ),
        (["--transport", "nested", "--db", "/proc/nowhere.db"], "/proc/nowhere.db: can't be used as the store"),
    ],
)
def test_bad_input_is_one_line_and_status_2(inside: Inside, arguments: list[str], error: str) -> None:
    assert error in inside.refuses("fuzz", *arguments)


@pytest.mark.parametrize("target", [("--transport", "quoted"), ("--escape", "shlex:quote")], ids=lambda each: each[0])
def test_a_database_that_may_only_be_read(inside: Inside, tmp_path: Path, target: tuple[str, str]) -> None:
    Store(Path("kept.db")).close()
    Path("kept.db").chmod(0o444)
    tmp_path.chmod(0o555)
    with as_nobody():
        assert inside.refuses("fuzz", *target, "--db", "kept.db").startswith("kept.db: ")
        assert inside.refuses("fuzz", *target, "--db", "new.db").startswith("new.db: ")
    tmp_path.chmod(0o755)


def test_a_file_that_is_no_store_is_left_as_it_is(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database " * 100)
    said = inside.call("fuzz", "--transport", "quoted", "--db", "notes.txt")
    assert said.status == 2
    assert "notes.txt: can't be used as the store" in said.err
    assert (tmp_path / "notes.txt").read_text() == "not a database " * 100
