"""`qfuzz collect` as a user calls it, with programs that stand for a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from qfuzz.collect.outfile import ReplyOut
from qfuzz.collect.prompts import parse_contract, prompts
from qfuzz.model.reply_codec import decode_reply
from qfuzz.model.task_codec import decode_task
from tests.cli.command import QFUZZ, qfuzz, write_lines
from tests.cli.inside import Inside
from tests.cli.replies import TASK

NAMES = [f"note/t1-{name}" for name in ("a", "b", "c", "d", "e", "f")]
TASKS = [{**TASK, "task_id": name, "instruction": f"Do {name}."} for name in NAMES]
ECHO = "tail -n 1"
"""Answers with the last line of the prompt, which here is the instruction."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "set.jsonl", *TASKS)
    return tmp_path


def collect(program: str, *further: str) -> list[str]:
    return ["collect", "--command", program, "--tasks", "set.jsonl", "--out", "out.jsonl", "--wait", "0", *further]


def records(path: str = "out.jsonl") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def asked() -> list[tuple[object, object]]:
    return sorted((record["task_id"], record["trial"]) for record in records())


def test_what_is_printed_is_the_reply(inside: Inside, folder: Path) -> None:
    said = inside.call(*collect(ECHO, "--model", "tail", "--effort", "low", "--trials", "2", "--jobs", "2"))
    assert (said.status, said.out, said.err) == (0, "", "out.jsonl: 12 new replies\n")
    assert asked() == [(name, trial) for name in NAMES for trial in (0, 1)]
    for record in records():
        assert record["reply"] == f"Do {record['task_id']}."
        assert (record["model"], record["effort"], record["contract"]) == ("tail", "low", "raw")
        assert (record["attempts"], record["seconds"] >= 0) == (1, True)  # type: ignore[operator]
    assert os.listdir(folder).count("out.jsonl.failed") == 0


def test_the_program_reads_the_prompt_of_the_contract(inside: Inside, folder: Path) -> None:
    inside.call(*collect('cat; printf "|$QFUZZ_CONTRACT|$QFUZZ_MODEL|$QFUZZ_EFFORT|$QFUZZ_TRIAL"', "--contract", "raw"))
    (prompt, *_) = prompts(parse_contract("raw"), [decode_task(json.dumps(TASKS[0]).encode())])
    assert records()[0]["reply"] == f"{prompt.system}\n\n{prompt.user}|raw|||0"
    (folder / "out.jsonl").unlink()
    inside.call(*collect("cat", "--contract", "disclosed:nested > nested", "--stdin", "json"))
    (prompt, *_) = prompts(parse_contract("disclosed:double-nested"), [decode_task(json.dumps(TASKS[0]).encode())])
    assert json.loads(str(records()[0]["reply"])) == prompt.to_json()
    assert records()[0]["contract"] == prompt.contract


def test_an_envelope_gives_tokens_and_a_tool_gives_its_argument(inside: Inside, folder: Path) -> None:  # noqa: ARG001
    answer = (
        'import json,sys; p=json.load(sys.stdin); t,=p["tools"]; '
        'print(json.dumps({"text": t["name"]+" "+p["task_id"], "input_tokens": 5, "output_tokens": 2}))'
    )
    further = ("--contract", "native", "--stdin", "json", "--format", "json")
    assert inside.call(*collect(f"{sys.executable} -c '{answer}'", *further)).status == 0
    record = records()[0]
    assert (record["reply"], record["contract"]) == (f"bash {record['task_id']}", "native")
    assert (record["input_tokens"], record["output_tokens"]) == (5, 2)


def test_replies_are_cleaned_only_when_asked_and_say_so(inside: Inside, folder: Path) -> None:
    fenced = "echo '```'; tail -n 1; echo; echo '```'"
    inside.call(*collect(fenced))
    assert str(records()[0]["reply"]).startswith("```\nDo ")
    assert "cleaned" not in records()[0]
    said = inside.call("collect", "out.jsonl", "--clean", "all", "--out", "clean.jsonl")
    assert (said.status, said.err) == (0, "clean.jsonl: 6 replies, 6 of them cleaned (fences 6)\n")
    (folder / "out.jsonl").rename(folder / "dirty.jsonl")
    said = inside.call(*collect(fenced, "--clean", "fences"))
    assert said.err == "out.jsonl: 6 new replies, 6 of them cleaned\n"
    for way in ("clean.jsonl", "out.jsonl"):
        replies = {str(record["task_id"]): record for record in records(way)}
        for dirty in records("dirty.jsonl"):
            record = replies[str(dirty["task_id"])]
            assert record["reply"] == f"Do {record['task_id']}."
            assert (record["cleaned"], record["original"]) == (["fences"], dirty["reply"])


def test_what_is_there_is_not_asked_again(inside: Inside, folder: Path) -> None:
    inside.call(*collect(f"echo x >> calls; {ECHO}"))
    kept = (folder / "out.jsonl").read_bytes()
    said = inside.call(*collect(f"echo x >> calls; {ECHO}", "--trials", "2"))
    assert said.err == "out.jsonl: holds 6 of 12 already\nout.jsonl: 6 new replies\n"
    assert (folder / "out.jsonl").read_bytes().startswith(kept)
    assert (folder / "calls").read_text().count("x") == 12
    for further in (["--model", "m"], ["--effort", "e"], ["--contract", "disclosed:single"]):
        assert inside.call(*collect(ECHO, *further)).err == "out.jsonl: 6 new replies\n"


def test_a_failure_is_tried_again_and_listed_and_never_a_reply(inside: Inside, folder: Path) -> None:
    told = 'p=$(cat); case "$p" in *t1-c.) echo no >&2; exit 3;; *t1-d.) exit 0;; *) printf %s "$p" | tail -n 1;; esac'
    said = inside.call(*collect(f"echo x >> calls; {told}", "--retries", "1"))
    assert said.status == 1
    assert said.err == "out.jsonl: 4 new replies; 2 asks failed, see out.jsonl.failed\n"
    assert (folder / "calls").read_text().count("x") == 8
    failed = {record["task_id"]: record for record in records("out.jsonl.failed")}
    assert failed["note/t1-c"] == {
        "task_id": "note/t1-c",
        "contract": "raw",
        "model": "",
        "effort": None,
        "trial": 0,
        "attempts": 2,
        "failure": "ended with status 3",
        "stderr": "no\n",
    }
    assert failed["note/t1-d"]["failure"] == "printed nothing"
    assert {record["task_id"] for record in records()} == set(NAMES) - failed.keys()
    said = inside.call(*collect(ECHO))
    assert (said.status, said.err) == (0, "out.jsonl: holds 4 of 6 already\nout.jsonl: 2 new replies\n")
    assert not (folder / "out.jsonl.failed").exists()


FAILED = {
    **{"task_id": "note/t1-a", "contract": "raw", "model": "", "effort": None, "trial": 0},
    **{"attempts": 1, "failure": "printed nothing", "stderr": ""},
}


@pytest.mark.parametrize(
    "held",
    [
        "my own notes\n",
        json.dumps(FAILED) + "\nmy own notes\n",
        json.dumps({**FAILED, "mine": 1}) + "\n",
        '{"task_id": "note/t1-a"}\n',
        '{"reply": "ls"}\n',
        "\n\n",
    ],
)
def test_a_file_where_failures_go_is_not_taken_away(inside: Inside, folder: Path, held: str) -> None:
    (folder / "out.jsonl.failed").write_text(held)
    said = inside.refuses(*collect("touch asked"))
    assert said == (
        "out.jsonl.failed: failed asks are listed there, but it is not a list of failed asks; "
        "move it away, or give another --out"
    )
    assert (folder / "out.jsonl.failed").read_text() == held


def test_a_directory_or_link_where_failures_go_is_refused(inside: Inside, folder: Path) -> None:
    (folder / "out.jsonl.failed").mkdir()
    assert "but it is a directory; move it away, or give another --out" in inside.refuses(*collect("touch asked"))
    (folder / "out.jsonl.failed").rmdir()
    (folder / "out.jsonl.failed").symlink_to("set.jsonl")
    assert "not a list of failed asks" in inside.refuses(*collect("touch asked"))
    assert (folder / "out.jsonl.failed").is_symlink()


@pytest.mark.parametrize("held", ["", json.dumps(FAILED) + "\n", json.dumps(FAILED) + "\n" + json.dumps(FAILED)[:40]])
def test_an_older_list_of_failures_is_replaced(inside: Inside, folder: Path, held: str) -> None:
    (folder / "out.jsonl.failed").write_text(held)
    assert inside.call(*collect(ECHO)).status == 0
    assert not (folder / "out.jsonl.failed").exists()


def test_a_program_that_recovers_says_how_often_it_was_asked(inside: Inside, folder: Path) -> None:  # noqa: ARG001
    flaky = 'n=$(tail -n 1 | tr -cd "[:alnum:]"); [ -d "$n" ] || { mkdir "$n"; exit 1; }; echo "$n"'
    assert inside.call(*collect(flaky, "--retries", "1")).status == 0
    assert {record["attempts"] for record in records()} == {2}


def test_a_broken_program_is_given_up(inside: Inside, folder: Path) -> None:
    said = inside.call(*collect("echo x >> calls; exit 4", "--trials", "3", "--retries", "0"))
    assert said.status == 1
    assert said.err.splitlines() == [
        "out.jsonl: 0 new replies; 10 asks failed, see out.jsonl.failed",
        "qfuzz: gave up after 10 failed asks in a row; the last: ended with status 4",
    ]
    assert (folder / "calls").read_text().count("x") == 10


def test_what_the_program_says_does_not_reach_the_terminal_raw(inside: Inside, folder: Path) -> None:  # noqa: ARG001
    told = r"""printf '{"error": "\\u001b[2Ja\\nb\\u009b\\u202e"}'"""
    said = inside.call(*collect(told, "--format", "json", "--trials", "3", "--retries", "0"))
    assert said.status == 1
    assert r"\x1b[2Ja" in said.err
    assert [line for line in said.err.splitlines() if not line.isprintable()] == []


def test_a_rate_spaces_the_asks(inside: Inside, folder: Path) -> None:  # noqa: ARG001
    began = time.monotonic()
    assert inside.call(*collect(ECHO, "--jobs", "6", "--rate", "600")).status == 0
    assert time.monotonic() - began >= 0.5


def start(*further: str) -> subprocess.Popen[str]:
    """A collection that answers two asks and holds the third until there is a file `ended`."""
    held = 'p=$(cat); case "$p" in *t1-c.) until [ -e ended ]; do sleep 0.05; done;; esac; printf %s "$p" | tail -n 1'
    return subprocess.Popen(
        [*QFUZZ, *collect(held, *further)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_lines(path: Path, number: int) -> None:
    until = time.monotonic() + 60
    while (not path.exists() or path.read_bytes().count(b"\n") < number) and time.monotonic() < until:
        time.sleep(0.01)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stop_loses_what_is_in_flight_and_nothing_else(inside: Inside, folder: Path, how: signal.Signals) -> None:
    running = start()
    wait_for_lines(folder / "out.jsonl", 2)
    running.send_signal(how)
    try:
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    # Whoever was killed could not end his program; it was told where to look.
    (folder / "ended").touch()
    if how is not signal.SIGKILL:
        assert running.returncode == 130
        assert said.splitlines() == [
            "out.jsonl: 2 new replies",
            "qfuzz: stopped with 4 to ask; the same call goes on there",
        ]
    assert asked() == [("note/t1-a", 0), ("note/t1-b", 0)]
    said_then = inside.call(*collect(ECHO))
    assert said_then.err == "out.jsonl: holds 2 of 6 already\nout.jsonl: 4 new replies\n"
    assert asked() == [(name, 0) for name in NAMES]


def test_a_torn_line_is_cut_off_at_any_byte(inside: Inside, folder: Path) -> None:
    inside.call(*collect(ECHO))
    whole = (folder / "out.jsonl").read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in (start + 1, start + 20, len(whole) - 2):
        (folder / "out.jsonl").write_bytes(whole[:end])
        said = inside.call(*collect(ECHO))
        assert said.err.splitlines() == [
            f"out.jsonl: cut off a last line that was half written ({end - start} bytes)",
            "out.jsonl: holds 5 of 6 already",
            "out.jsonl: 1 new reply",
        ]
        assert asked() == [(name, 0) for name in NAMES]


def test_a_last_line_that_lacks_only_its_end_is_kept(inside: Inside, folder: Path) -> None:
    inside.call(*collect(ECHO))
    whole = (folder / "out.jsonl").read_bytes()
    (folder / "out.jsonl").write_bytes(whole.removesuffix(b"\n"))
    assert inside.call(*collect(ECHO)).err == "out.jsonl: holds 6 of 6 already\nout.jsonl: 0 new replies\n"
    assert (folder / "out.jsonl").read_bytes() == whole


REPLY = '{"reply":"ls"}\n'
FOREIGN = {
    "an object that is no reply": '{"name": "project", "version": 1}',
    "the same after a reply": REPLY + '{"name": "project"}',
    "a reply with a wrong key": REPLY + '{"reply": "ls", "trial": -1}',
    "more behind an object": REPLY + '{"reply": "ls"} and so on',
    "a torn line after another record": '{"name": "project"}\n{"task_id":"a","rep',
    "the same after a reply too": REPLY + '{"name": "project"}\n{"task_id":"a","rep',
    "a program": "{ echo a; echo b; }",
    "an object over several lines": '{\n  "a": 1\n}',
    "an unfinished object of somebody else": '{"name": "pro',
    "no text": b"{\xff\xfe",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_somebody_else_is_left_as_it_is(inside: Inside, folder: Path, name: str) -> None:
    held = FOREIGN[name]
    (folder / "out.jsonl").write_bytes(held if isinstance(held, bytes) else held.encode())
    before = (folder / "out.jsonl").read_bytes()
    assert inside.refuses(*collect("touch asked")).startswith("out.jsonl:")
    assert (folder / "out.jsonl").read_bytes() == before


def test_the_first_line_of_a_collection_may_be_torn(inside: Inside, folder: Path) -> None:
    inside.call(*collect(ECHO))
    first = (folder / "out.jsonl").read_bytes().splitlines(keepends=True)[0]
    for end in (1, 5, 20, len(first) - 2):
        (folder / "out.jsonl").write_bytes(first[:end])
        assert "cut off a last line" in inside.call(*collect(ECHO)).err
        assert asked() == [(name, 0) for name in NAMES]


def test_two_collections_do_not_write_one_file(inside: Inside, folder: Path) -> None:
    running = start()
    wait_for_lines(folder / "out.jsonl", 2)
    assert inside.refuses(*collect(ECHO)) == "out.jsonl: is being written by another collection"
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)


def test_a_lock_that_is_let_go_soon_is_waited_for(folder: Path) -> None:
    """As a child of a killed collection does when it executes its program."""
    held = ReplyOut(folder / "out.jsonl")
    threading.Timer(0.2, held.close).start()
    ReplyOut(folder / "out.jsonl").close()


def test_bytes_that_are_no_text_arrive(inside: Inside, folder: Path) -> None:  # noqa: ARG001
    inside.call(*collect(r"printf '\377\n'"))
    line = Path("out.jsonl").read_bytes().splitlines()[0]
    assert decode_reply(line).program == b"\xff\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--out", "o"], "give either --command PROGRAM or REPLIES"),
        (["--out", "o", "--command", "cat", "set.jsonl"], "give either --command PROGRAM or REPLIES"),
        (["--command", "cat"], "--out"),
        (["--out", "o", "--command", "cat", "--contract", "native"], "--stdin json"),
        (["--out", "o", "--command", "cat", "--contract", "no"], "unknown contract 'no'"),
        (["--out", "o", "--command", "cat", "--clean", "soap"], "there is no clean-up 'soap'; known: thinking"),
        (["--out", "o", "--command", "cat", "--rate", "0"], "--rate"),
        (["--out", "o", "--command", "cat", "--trials", "0"], "--trials"),
        (["--out", "o", "--command", "touch asked", "--model", "\udcff"], "'--model': is not UTF-8"),
        (["--out", "o", "--command", "touch asked", "--effort", "a\udcff"], "'--effort': is not UTF-8"),
        (["--out", "o", "--command", "cat", "--timeout", "nan"], "--timeout"),
        (["--out", "o", "--command", "cat", "--rate", "nan"], "--rate"),
        (["--out", "o", "--command", "cat", "--tasks", "none.jsonl"], "none.jsonl: can't be read"),
        (["--out", "none/o", "--command", "cat"], "none/o: can't be written (No such file"),
        (["--out", "/dev/null", "--command", "cat"], "/dev/null: is no regular file"),
        (["--out", "words", "--command", "cat"], "words: its last line is no reply; name a new file"),
        (["--out", "torn", "--command", "cat"], "torn:1: is not JSON"),
        (["--out", "o", "none.jsonl"], "none.jsonl: can't be read"),
        (["--out", "o", "torn"], "torn:1: is not JSON"),
        (["--out", "set.jsonl", "good"], "set.jsonl: is there already; name a new file"),
        (["--out", "none/o", "good"], "none/o"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_asked(
    inside: Inside, folder: Path, arguments: list[str], why: str
) -> None:
    (folder / "words").write_text("some words")
    (folder / "torn").write_text('{"reply": \n{"reply": "ls"}\n')
    (folder / "good").write_text('{"reply": "ls"}\n')
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert why in inside.refuses("collect", *arguments)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_counts_reach_the_table_of_diff(folder: Path) -> None:
    replies = [
        {"reply": "echo a", "cleaned": ["fences", "prompts"], "original": "```\n$ echo a\n```"},
        {"reply": "echo b", "cleaned": ["fences"], "original": "```\necho b\n```"},
        {"reply": "echo c", "cleaned": "yes"},
        {"reply": "", "no_program": "no call of bash"},
    ]
    write_lines(folder / "replies.jsonl", *replies)
    said = qfuzz(["diff", "replies.jsonl", "--transport", "quoted", "--no-shrink"], folder)
    assert said.status == 0
    assert said.out.splitlines()[-2:] == [
        "Cleaned before they were judged: 2 of 4 replies (fences 2, prompts 1).",
        "Answers without a program, judged as empty replies: 1 of 4.",
    ]
