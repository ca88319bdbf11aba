"""`qfuzz diff` as a user calls it: what it prints, what it ends with, what it keeps."""

from __future__ import annotations

import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import QFUZZ, Said, qfuzz, write_lines
from tests.cli.replies import REPLIES, TASK, reply, write_replies, write_set
from tests.cli.store_dump import content, count

GOLDEN = Path(__file__).parent / "golden"
STACKS = ("nested", "json-naive > nested", "json", "quoted")
TRANSPORTS = [word for stack in STACKS for word in ("--transport", stack)]
ARGUMENTS = ["replies.jsonl", "--tasks", "set.jsonl", "--db", "q.db", "--jobs", "2", *TRANSPORTS, "--no-shrink"]


def without_ids(text: str) -> str:
    """An id is a digest of versions and limits too, so it is another one on another machine."""
    return re.sub(r"^  [0-9a-f]{16}  ", f"  {'.' * 16}  ", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("diff")
    write_set(path / "set.jsonl")
    write_replies(path / "replies.jsonl")
    return path


@pytest.fixture(scope="module")
def first(folder: Path) -> Said:
    """The first run over a new store."""
    return qfuzz(["diff", *ARGUMENTS], folder)


@pytest.fixture(scope="module")
def kept(folder: Path, first: Said) -> dict[str, list[tuple[object, ...]]]:  # noqa: ARG001 (it makes the file)
    return content(folder / "q.db")


@pytest.fixture(scope="module")
def second(folder: Path, kept: object) -> Said:  # noqa: ARG001 (it is read before)
    """The same run again, for a machine."""
    return qfuzz(["diff", *ARGUMENTS, "--json"], folder)


def test_table_and_breakers(first: Said) -> None:
    assert without_ids(first.out) == (GOLDEN / "diff.txt").read_text()
    assert (first.status, first.err) == (1, "")


def test_a_second_run_executes_nothing_and_changes_nothing(
    folder: Path, first: Said, kept: dict[str, list[tuple[object, ...]]], second: Said
) -> None:
    assert content(folder / "q.db") == kept
    assert second.err == first.out
    assert count(folder / "q.db", "runs") == 2


def test_json_is_alone_on_standard_output(second: Said) -> None:
    records = second.records()
    keys = [
        "task_id",
        "model",
        "contract",
        "trial",
        "transport",
        "verdict",
        "exit",
        "diverged",
        "breaker",
        "id",
        "where",
        "stability",
        "declared",
    ]
    assert all(list(record) == keys for record in records)
    assert [record["transport"] for record in records] == ["direct", *STACKS] * len(REPLIES)
    samples = [(record["task_id"], record["contract"], record["trial"]) for record in records[:: 1 + len(STACKS)]]
    assert samples == [(each.get("task_id"), each.get("contract", "raw"), each.get("trial", 0)) for each in REPLIES]
    assert second.status == 1


def test_json_says_what_happened(second: Said) -> None:
    records = second.records()
    said = {
        (index // (1 + len(STACKS)), record["transport"]): (record["verdict"], record["exit"], record["diverged"])
        for index, record in enumerate(records)
    }
    assert said[0, "direct"] == ("pass", 0, None)
    assert said[0, "nested"] == ("silent-wrong", 0, True)
    assert said[0, "quoted"] == ("pass", 0, False)
    assert said[1, "direct"] == ("silent-wrong", 0, None)
    assert said[2, "json-naive > nested"] == ("rejected", None, None)
    assert said[3, "direct"] == ("environment", 0, None)
    assert said[4, "nested"] == ("pass", 0, True)
    assert said[6, "nested"] == (None, 0, True)
    assert said[7, "json"] == (None, 0, None)
    assert said[8, "json"] == ("refused", None, None)
    breakers = [
        (index // (1 + len(STACKS)), each["transport"]) for index, each in enumerate(records) if each["breaker"]
    ]
    assert breakers == [(sample, stack) for sample in (0, 2, 6) for stack in STACKS[:2]]


def test_ids_lead_into_the_database(folder: Path, second: Said) -> None:
    connection = sqlite3.connect(folder / "q.db")
    listed = {row[0] for row in connection.execute("select id from breakers")}
    executions = {row[0] for row in connection.execute("select id from executions")}
    connection.close()
    records = second.records()
    assert listed == {record["id"] for record in records if record["breaker"]}
    assert executions == {record["id"] for record in records}
    assert len(executions) == len(records)


def test_no_breaker_is_status_0(tmp_path: Path) -> None:
    write_set(tmp_path / "set.jsonl")
    write_replies(tmp_path / "replies.jsonl")
    faithful = ["--transport", "quoted", "--transport", "script-file"]
    said = qfuzz(["diff", "replies.jsonl", "--tasks", "set.jsonl", *faithful], tmp_path)
    assert said.status == 0, said
    assert "breaker:" not in said.out
    assert "breakers:" not in said.out
    assert (tmp_path / "qfuzz.db").exists()


def test_top_limits_the_list_and_says_so(folder: Path, first: Said) -> None:  # noqa: ARG001 (it fills the store)
    said = qfuzz(["diff", *ARGUMENTS, "--top", "1"], folder)
    lines = [line for line in said.out.splitlines() if line.startswith("  and ")]
    assert lines == ["  and 2 more; the view `breakers` of the database lists all"] * 2
    assert said.status == 1
    assert "reply 7" not in qfuzz(["diff", *ARGUMENTS, "--top", "0"], folder).out


def test_replies_of_several_files_and_of_standard_input(tmp_path: Path) -> None:
    write_set(tmp_path / "set.jsonl")
    write_lines(tmp_path / "a.jsonl", reply("true", 0))
    write_lines(tmp_path / "b.jsonl", b"", reply("true", 1))
    given = json.dumps(reply("false", 2)).encode()
    arguments = ["diff", "a.jsonl", "-", "b.jsonl", "--tasks", "set.jsonl", "--transport", "quoted", "--json"]
    said = qfuzz(arguments, tmp_path, given)
    assert [record["trial"] for record in said.records()[::2]] == [0, 2, 1]
    assert [record["exit"] for record in said.records()[::2]] == [0, 1, 0]
    assert said.status == 0


def test_a_fixture_is_laid_for_replies_without_a_task_and_tells_runs_apart(tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", {"reply": "cat data/$(cat name)"})
    for name in ("one", "two"):
        (tmp_path / name / "data").mkdir(parents=True)
        (tmp_path / name / "data" / "x y").write_text(f"{name}\n")
        (tmp_path / name / "name").write_text(r"x\ y" if name == "one" else "x*")
        (tmp_path / name / "link").symlink_to("data")
    arguments = ["diff", "r.jsonl", "--transport", "nested", "--json"]
    first = qfuzz([*arguments, "--fixture", "one"], tmp_path)
    second = qfuzz([*arguments, "--fixture", "two"], tmp_path)
    # The outer shell of nested puts the name into a program, where its backslash means something.
    assert [record["exit"] for record in first.records()] == [1, 0]
    assert [record["exit"] for record in second.records()] == [0, 0]
    assert (first.status, second.status) == (1, 0)
    assert count(tmp_path / "qfuzz.db", "verdicts") == 4


def test_a_command_in_another_field(tmp_path: Path) -> None:
    log = {"tool": {"calls": [{"input": {"command": "exit 7"}}]}, "reply": "exit 1"}
    write_lines(tmp_path / "log.jsonl", log)
    said = qfuzz(
        ["diff", "log.jsonl", "--command-field", "tool.calls.0.input.command", "--transport", "sh", "--json"], tmp_path
    )
    assert [record["exit"] for record in said.records()] == [7, 7]


def test_bad_lines_are_passed_over_when_asked_and_listed(tmp_path: Path) -> None:
    write_set(tmp_path / "set.jsonl")
    write_lines(tmp_path / "r.jsonl", b"{", reply("true", 0), reply("true", 0), b"[]", reply("true", 1))
    arguments = ["diff", "r.jsonl", "--tasks", "set.jsonl", "--transport", "quoted", "--json"]
    assert qfuzz(arguments, tmp_path).status == 2
    assert not (tmp_path / "qfuzz.db").exists()
    said = qfuzz([*arguments, "--skip-bad"], tmp_path)
    assert said.status == 0
    assert [record["trial"] for record in said.records()[::2]] == [0, 1]
    listed = [line.split(": ")[0] for line in said.err.splitlines()[:4]]
    assert listed == ["skipped r.jsonl:1", "skipped r.jsonl:3", "skipped r.jsonl:4", "skipped 3 bad lines in all"]


def test_a_reply_that_does_not_end_is_a_timeout_on_both_sides(tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", {"reply": "sleep 60"}, {"reply": 'x=60; test -z "$x" || exit 3; sleep 60'})
    said = qfuzz(["diff", "r.jsonl", "--timeout", "0.3", "--transport", "nested", "--json"], tmp_path)
    records = said.records()
    assert [(record["verdict"], record["exit"], record["diverged"]) for record in records] == [
        (None, None, None),
        (None, None, None),
        (None, 3, None),
        (None, None, True),
    ]
    assert [record["breaker"] for record in records] == [False, False, False, True]
    assert [record["stability"] for record in records] == ["direct", "direct-timeout", "direct", "diverged"]
    said = qfuzz(["diff", "r.jsonl", "--timeout", "0.3", "--transport", "nested", "--no-shrink"], tmp_path)
    assert "\nNo direct end, so not compared: r.jsonl:1.\n" in said.out


def test_replies_that_are_not_stable_are_named_and_neither_same_nor_other(tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", {"reply": "echo $RANDOM$RANDOM"}, {"reply": "echo ok"})
    arguments = ["diff", "r.jsonl", "--transport", "quoted", "--transport", "json", "--no-shrink"]
    said = qfuzz(arguments, tmp_path)
    assert (said.status, said.out.splitlines()[-1]) == (0, "Not stable, so not compared: r.jsonl:1.")
    records = qfuzz([*arguments, "--json"], tmp_path).records()
    assert [record["diverged"] for record in records] == [None, None, None, None, False, False]
    assert [record["stability"] for record in records[1::3]] == ["nondeterministic", "same"]


def test_names_of_transports_are_taken_once_and_direct_is_there_anyway(tmp_path: Path) -> None:
    write_lines(tmp_path / "r.jsonl", {"reply": "true"})
    wanted = ["direct", "nested>nested", "double-nested", "nested > nested > direct", "json > direct"]
    transports = [word for stack in wanted for word in ("--transport", stack)]
    said = qfuzz(["diff", "r.jsonl", "--json", *transports], tmp_path)
    assert [record["transport"] for record in said.records()] == ["direct", "double-nested", "json"]
    assert said.status == 0


def test_a_reader_that_goes_away_is_no_error(folder: Path, first: Said) -> None:  # noqa: ARG001 (it fills the store)
    command = ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "bash", *QFUZZ, "diff", *ARGUMENTS, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout)["transport"] == "direct"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_output_is_utf_8_in_every_locale(tmp_path: Path) -> None:
    odd = {**TASK, "task_id": "note/t1-é😀", "instruction": "Write ⟪é😀⟫."}
    (tmp_path / "set.jsonl").write_text(json.dumps(odd))
    for locale in ({"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C"}):
        said = qfuzz(["prompts", "--tasks", "set.jsonl"], tmp_path, env=locale)
        (record,) = said.records()
        assert (record["task_id"], record["user"]) == ("note/t1-é😀", "Write ⟪é😀⟫.")


def test_progress_on_a_terminal_is_a_bar_and_elsewhere_nothing_for_a_short_run(folder: Path, first: Said) -> None:
    assert first.err == ""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "qfuzz", "diff", *ARGUMENTS, "--json"]
    environment = {**os.environ, "TERM": "xterm"}
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    drawn = b""
    while True:
        try:
            drawn += os.read(ours, 1 << 16)
        except OSError:
            break
    out, _ = child.communicate(timeout=60)
    os.close(ours)
    assert "replaying" in drawn.decode()
    assert f"{len(REPLIES)}/{len(REPLIES)}" in drawn.decode()
    assert all(json.loads(line) for line in out.splitlines())
