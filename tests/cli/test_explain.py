"""`qfuzz explain` and `qfuzz shrink`: what they refuse, in one clear line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from qfuzz.store.store import Store
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import resolve
from tests.cli.command import qfuzz
from tests.cli.inside import Inside


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.db"
    connection = sqlite3.connect(path)
    connection.execute("create table mine (x)")
    connection.close()
    return path


@pytest.mark.parametrize("command", ["explain", "shrink"])
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["abcd"], "qfuzz.db: there is no store here"),
        (["abcd", "--db", "foreign.db"], "foreign.db: is a database of another program"),
        (["abcd", "--db", "."], ".: there is no store here"),
        (["abcd", "--db", "empty.db"], "empty.db: no execution has the id abcd"),
        (["xyz!", "--db", "empty.db"], "empty.db: 'xyz!' is no id"),
        (["ab", "--db", "empty.db"], "empty.db: 'ab' is no id"),
    ],
)
@pytest.mark.usefixtures("foreign")
def test_bad_ids_and_databases(inside: Inside, command: str, arguments: list[str], why: str, tmp_path: Path) -> None:
    Store(tmp_path / "empty.db").close()
    said = inside.call(command, *arguments)
    assert said.status == 2
    assert said.out == ""
    assert said.err.startswith("qfuzz: ")
    assert said.err.count("\n") == 1
    assert why in said.err


def test_a_breaker_of_the_store_is_explained_shrunk_and_says_what_arrived(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps({"reply": "echo '$5' \"a\""}) + "\n")
    found = qfuzz(["diff", "r.jsonl", "--transport", "nested", "--transport", "double-nested", "--json"], tmp_path)
    assert found.status == 1
    rows = sqlite3.connect(tmp_path / "qfuzz.db").execute("select transport, arrived from executions").fetchall()
    assert sorted(rows) == [("direct", "echo '$5' \"a\""), ("double-nested", "echo"), ("nested", "echo '' a")]
    for record in found.records():
        if not record["breaker"]:
            continue
        id_ = str(record["id"])
        (explained,) = qfuzz(["explain", id_, "--json"], tmp_path).records()
        assert explained["stable"] is True
        assert explained["causes"]
        assert explained["protected"]
        shrunk = qfuzz(["shrink", id_, "--jobs", "1"], tmp_path)
        assert (shrunk.status, shrunk.err) == (0, "")
        assert shrunk.out.startswith(f"{id_}: ")


def test_what_is_no_breaker_and_what_has_no_task_to_judge_it(tmp_path: Path) -> None:
    lines = [{"reply": "echo 5"}, {"reply": "echo $SRANDOM '$5'"}]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = qfuzz(["diff", "r.jsonl", "--transport", "nested", "--json"], tmp_path).records()
    over = [str(record["id"]) for record in found if record["transport"] == "nested"]
    whys = ["is no breaker: there is nothing to explain", "does not do the same twice, and has no task"]
    for id_, why in zip(over, whys, strict=True):
        said = qfuzz(["explain", id_], tmp_path)
        assert (said.status, said.out) == (2, "")
        assert why in said.err


def test_what_a_path_said_is_not_cut_at_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "reply.sh").write_text("echo '\"' # x")
    said = qfuzz(["explain", "--reply", "reply.sh", "--transport", "nested"], tmp_path)
    shown = said.out.partition("stderr there:")[2].partition("\n\n")[0]
    assert "unexpected EOF while looking for" in shown
    assert "matching `" in shown


@pytest.mark.parametrize(
    ("transport", "reply", "said"),
    [
        ("jinja2", "echo '{{ 1 + 1 }}'", "What reached the last shell\n  echo '2'\n"),
        (
            "jinja2",
            "echo '{{ x() }}'",
            "What reached the last shell\n  nothing: the program that should start it did not",
        ),
        ("taskfile", "echo '{{.X}}'", "  echo '{{.X}}'\n  but Task renders the text as a template"),
        ("taskfile", "echo '{{.X}}'", "stderr there:   task: [run] echo ''"),
        ("nested", "echo '\"'", "nothing: an outer shell could not parse what it got"),
        ("nested > heredoc", "echo '$HOME'", "it was not seen: no recorder can stand before a shell on the way"),
        ("pty-plain > nested", "echo '$HOME'", "it was not seen: no recorder can stand before a shell on the way"),
    ],
)
def test_what_reached_the_last_shell_and_why_nothing_did(tmp_path: Path, transport: str, reply: str, said: str) -> None:
    if missing_of(resolve(transport)):
        pytest.skip(str(missing_of(resolve(transport))))
    (tmp_path / "reply.sh").write_text(reply)
    assert said in qfuzz(["explain", "--reply", "reply.sh", "--transport", transport], tmp_path).out


def test_what_a_transport_declares_not_to_keep_is_told_from_damage(tmp_path: Path) -> None:
    replies = (": ${x:?no}", "nope 2>&1", "echo $-", "nope 2> err.txt; set -u; echo $y")
    (tmp_path / "r.jsonl").write_text("".join(json.dumps({"reply": reply}) + "\n" for reply in replies))
    said = qfuzz(["diff", "r.jsonl", "--transport", "script-file", "--transport", "quoted"], tmp_path)
    assert said.status == 1
    assert "\nscript-file: 4 breakers, 3 of them by what it declares not to keep\n" in said.out
    ended = "the status of an error that ends the shell, 127 under bash -c"
    assert f"\n      smallest: : ${{x?}}\n      declared: {ended}\n" in said.out
    assert said.out.count("\n      declared: ") == 3
    id_ = next(line.split()[0] for line in said.out.splitlines() if "r.jsonl:1 " in line)
    explained = " ".join(qfuzz(["explain", id_], tmp_path).out.replace("\u21a9", "").split())
    assert f"declared as not kept on this path: {ended}" in explained
    assert "or send exec bash -c $': ${x:?no}'" in explained
    assert qfuzz(["explain", id_, "--json"], tmp_path).records()[0]["declared"] == ["ended"]
    records = qfuzz(["diff", "r.jsonl", "--transport", "script-file", "--json"], tmp_path).records()
    assert [record["declared"] for record in records if record["breaker"]] == [
        ["ended"],
        ["name"],
        [],
        ["name", "ended"],
    ]
    assert not any(record["declared"] for record in records if record["transport"] == "direct")
