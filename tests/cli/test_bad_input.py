"""Whatever is wrong with the input: one line that says what and where, status 2, nothing run, nothing stored."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from qfuzz.engine.samples import ReplyFile, check_replies
from qfuzz.model.errors import InputError
from qfuzz.model.reply import MAX_REPLY_BYTES
from qfuzz.model.task import Fixture
from qfuzz.model.task_codec import decode_task
from qfuzz.store.store import Store
from tests.cli.command import qfuzz
from tests.cli.inside import Inside, as_nobody
from tests.cli.replies import TASK, write_set

GOOD = b'{"task_id":"note/t1-price","reply":"true"}'


def line(**record: object) -> bytes:
    return json.dumps({"task_id": "note/t1-price", "reply": "true", "trial": 7} | record).encode()


BAD_LINES: dict[str, tuple[bytes, str]] = {
    "cut off": (b'{"reply": "x"', "is not JSON"),
    "words": (b"echo hello", "is not JSON"),
    "a list": (b"[1]", "must be a JSON object, not a list"),
    "null": (b"null", "must be a JSON object, not null"),
    "a key twice": (b'{"reply":"x","reply":"y"}', "has the key 'reply' twice"),
    "NaN": (b'{"reply":"x","y":NaN}', "NaN"),
    "binary": (b"\x7fELF\x02\x01\xfe", "is not UTF-8"),
    "UTF-16": ('{"reply":"x"}'.encode("utf-16"), "is not UTF-8"),
    "BOM": (b"\xef\xbb\xbf" + GOOD, "byte order mark"),
    "CRLF": (GOOD + b"\r", "carriage return"),
    "no reply": (b'{"task_id":"note/t1-price"}', "key 'reply' is missing"),
    "a task": (json.dumps(TASK).encode(), "is a task, not a reply; name task sets with --tasks"),
    "reply a number": (line(reply=5), "key 'reply' must be"),
    "reply null": (line(reply=None), "key 'reply' must be"),
    "base64": (line(reply={"base64": "?"}), "not valid base64"),
    "task_id a number": (line(task_id=7), "key 'task_id' must be a string"),
    "task_id empty": (line(task_id=""), "key 'task_id' is empty"),
    "contract a list": (line(contract=["raw"]), "key 'contract' must be a string"),
    "trial a string": (line(trial="1"), "key 'trial' must be a whole number"),
    "trial negative": (line(trial=-1), "key 'trial' must be 0 to"),
    "trial huge": (line(trial=10**30), "key 'trial' must be 0 to"),
    "a number of too many digits": (b'{"reply":"x","n":' + b"7" * 5000 + b"}", "holds a number of 5000 digits"),
    "model a number": (line(model=4), "key 'model' must be a string"),
    "unknown task": (line(task_id="note/t1-cost\n\x1b"), "unknown task 'note/t1-cost\\n\\x1b'"),
    "twice": (GOOD, "the same task, model, contract, effort and trial as replies.jsonl:1"),
    "NUL": (line(reply="a\0b"), "NUL at byte 1"),
    "lone surrogate": (b'{"reply":"\\ud800"}', "lone surrogate"),
    "surrogate in metadata": (b'{"reply":"x","m":["\\udfff"]}', "key 'm' holds a lone surrogate"),
    "too long": (line(reply="x" * (MAX_REPLY_BYTES + 1)), "the most is 1048576"),
    "deep": (b'{"reply":"x","m":' + b"[" * 5000 + b"]" * 5000 + b"}", "nested too deeply"),
}


@pytest.fixture
def tasks(inside: Inside, tmp_path: Path) -> tuple[str, Path]:  # noqa: ARG001 (the directory is changed to)
    return "--tasks", write_set(Path("set.jsonl"))


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_with_its_place(inside: Inside, tasks: tuple[str, Path], name: str) -> None:
    bad, complaint = BAD_LINES[name]
    Path("replies.jsonl").write_bytes(GOOD + b"\n\n" + bad + b"\n")
    said = inside.refuses("diff", "replies.jsonl", *tasks)
    assert said.startswith("replies.jsonl:3: ")
    assert complaint in said


def test_of_two_bad_lines_the_first_is_named_and_skip_bad_lists_both(inside: Inside, tasks: tuple[str, Path]) -> None:
    cases = list(BAD_LINES.values())
    for (first, why_first), (second, why_second) in zip(cases * 3, cases[1:] + cases[9:] + cases * 2, strict=False):
        Path("replies.jsonl").write_bytes(b"\n".join([GOOD, first, second]))
        said = inside.refuses("diff", "replies.jsonl", *tasks)
        assert said.startswith("replies.jsonl:2: ")
        assert why_first in said
        # --db keeps it from going further than reading: what is skipped has been said by then.
        said = inside.call("diff", "replies.jsonl", *tasks, "--skip-bad", "--db", "set.jsonl").err
        skipped = said.splitlines()
        assert [text.split(": ")[0] for text in skipped[:2]] == ["skipped replies.jsonl:2", "skipped replies.jsonl:3"]
        assert why_first in skipped[0]
        assert why_second in skipped[1]
        assert skipped[2] == "skipped 2 bad lines in all"


def test_a_line_with_two_faults_is_refused(inside: Inside, tasks: tuple[str, Path]) -> None:
    for record in (
        b"\xef\xbb\xbf" + GOOD + b"\r",
        b'{"reply":"a\\u0000\\ud800","trial":-1}',
        b'{"task_id":5,"reply":7}',
        b"\xef\xbb\xbf\xff",
        b'{"reply":"x","reply":NaN',
    ):
        Path("replies.jsonl").write_bytes(record)
        assert inside.refuses("diff", "replies.jsonl", *tasks).startswith("replies.jsonl:1: ")


def test_nothing_left_after_skipping_is_an_error(inside: Inside) -> None:
    Path("replies.jsonl").write_bytes(b"{\n[]\n")
    said = inside.call("diff", "replies.jsonl", "--skip-bad")
    assert said.status == 2
    complaint = "replies.jsonl:1: is not JSON (Expecting property name enclosed in double quotes at column 2)"
    assert said.err == f"qfuzz: replies.jsonl: no good line is left; the first of 2 bad ones: {complaint}\n"


def test_a_duplicate_in_another_file_names_both_places(inside: Inside, tasks: tuple[str, Path]) -> None:
    Path("a.jsonl").write_bytes(GOOD + b"\n")
    Path("b.jsonl").write_bytes(b"\n" + GOOD + b"\n")
    said = inside.refuses("diff", "a.jsonl", "b.jsonl", *tasks)
    assert said.startswith("b.jsonl:2: the same ")
    assert "a.jsonl:1" in said


@pytest.mark.parametrize("content", [b"", b"\n", b" \n\t\n\n"])
def test_a_file_without_records(inside: Inside, content: bytes) -> None:
    Path("replies.jsonl").write_bytes(content)
    assert inside.refuses("diff", "replies.jsonl") == "replies.jsonl: holds no record"


@pytest.mark.parametrize("option", ["replies", "--tasks"])
def test_what_is_no_file_to_read(inside: Inside, option: str) -> None:
    Path("folder").mkdir()
    Path("good.jsonl").write_bytes(GOOD)
    for name in ("folder", "missing.jsonl", "good.jsonl/x", "a\nb", "/proc/self/mem", "x" * 300):
        arguments = [name] if option == "replies" else ["good.jsonl", option, name]
        said = inside.refuses("diff", *arguments)
        assert said.startswith(name.replace("\n", "\\n")), said
        assert "is a directory" in said or "can't be read (" in said


def test_a_file_that_may_not_be_read(inside: Inside, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    path = Path("replies.jsonl")
    path.write_bytes(GOOD)
    path.chmod(0)
    with as_nobody():
        assert inside.refuses("diff", path) == "replies.jsonl: can't be read (Permission denied)"


def test_a_file_that_vanishes_or_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    known = decode_task(json.dumps(TASK).encode())
    two = GOOD + b"\n" + line(trial=8) + b"\n"
    for later in (None, b"{\n", b"", GOOD, line(task_id="other"), two + line(trial=9)):
        path.write_bytes(two)
        source = check_replies((ReplyFile(path, "given"),), {known.task_id: known})
        if later is None:
            path.unlink()
        else:
            path.write_bytes(later)
        with pytest.raises(InputError, match=r"^given(:1)?: "):
            list(source.samples({known.task_id: known}, Fixture()))


def test_standard_input_is_named_as_such(tmp_path: Path) -> None:
    said = qfuzz(["diff", "-"], tmp_path, GOOD.replace(b"note/t1-price", b"no") + b"\n{")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("qfuzz: -:1: unknown task 'no'")
    assert "Traceback" not in said.err
    assert os.listdir(tmp_path) == []


def test_a_pipe_is_named_as_it_was_given(inside: Inside) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_bytes(b"{\n"))
    writer.start()
    said = inside.refuses("diff", "pipe")
    writer.join()
    assert said.startswith("pipe:1: is not JSON")


def test_databases_that_cannot_be_used(inside: Inside, tasks: tuple[str, Path]) -> None:
    Path("replies.jsonl").write_bytes(GOOD)
    Path("words.db").write_text("words\n" * 200)
    foreign = sqlite3.connect("foreign.db")
    foreign.execute("create table mine (x)")
    foreign.close()
    Path("folder").mkdir()
    for name, why in {
        "words.db": "not a database",
        "foreign.db": "another program",
        "missing/q.db": "unable to open",
        "/proc/q.db": "unable to open",
        "folder": "director",
    }.items():
        content = Path(name).read_bytes() if Path(name).is_file() else None
        said = inside.refuses("diff", "replies.jsonl", *tasks, "--db", name)
        assert name in said
        assert why in said
        assert content is None or Path(name).read_bytes() == content


def test_a_database_where_nothing_may_be_written(inside: Inside, tasks: tuple[str, Path], tmp_path: Path) -> None:
    Path("replies.jsonl").write_bytes(GOOD)
    Path("replies.jsonl").chmod(0o644)
    Store(Path("kept.db")).close()
    Path("kept.db").chmod(0o444)
    tmp_path.chmod(0o555)
    with as_nobody():
        assert inside.refuses("diff", "replies.jsonl", *tasks, "--db", "new.db").startswith("new.db: ")
        assert inside.refuses("diff", "replies.jsonl", *tasks, "--db", "kept.db").startswith("kept.db: ")
    tmp_path.chmod(0o755)


def make_fifo(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def make_big(folder: Path) -> None:
    with (folder / "big").open("wb") as file:
        file.truncate(1 << 40)


def make_many(folder: Path) -> None:
    for number in range(2001):
        (folder / str(number)).touch()


def make_git(folder: Path) -> None:
    (folder / ".git").mkdir()


def make_unreadable(folder: Path) -> None:
    (folder / "secret").touch(0)


FIXTURES = {
    make_fifo: "fixture/pipe: is neither",
    make_big: "fixture: holds more than 8388608 bytes",
    make_many: "fixture: holds more than 2000 paths",
    make_git: "fixture: holds a Git repository",
    make_unreadable: "fixture/secret: can't be read (Permission denied)",
}


@pytest.mark.parametrize("make", FIXTURES)
def test_fixtures_that_cannot_be_laid(inside: Inside, tmp_path: Path, make: object) -> None:
    tmp_path.chmod(0o755)
    Path("replies.jsonl").write_bytes(b'{"reply":"true"}')
    Path("fixture").mkdir()
    assert callable(make)
    make(Path("fixture"))
    with as_nobody():
        assert FIXTURES[make] in inside.refuses("diff", "replies.jsonl", "--fixture", "fixture")  # type: ignore[index]


def test_a_fixture_is_a_directory(inside: Inside) -> None:
    Path("replies.jsonl").write_bytes(b'{"reply":"true"}')
    for name in ("replies.jsonl", "missing"):
        assert inside.refuses("diff", "replies.jsonl", "--fixture", name).startswith(f"{name}: can't be read (")


def task_with(**changes: object) -> dict[str, object]:
    return {**TASK, **changes}


def fixture_with(**changes: object) -> dict[str, object]:
    return task_with(fixture=changes)


def expect_with(**changes: object) -> dict[str, object]:
    return task_with(expect=[changes])


A = {"path": "a", "content": ""}
BAD_TASKS: dict[str, tuple[object, str]] = {
    "schema": (task_with(schema=2), "key 'schema' is 2"),
    "no schema": ({}, "key 'schema' is missing"),
    "a reply": ({"task_id": "a/t0-b", "reply": "true"}, "is a reply, not a task; "),
    "task_id": (task_with(task_id=""), "key 'task_id' is empty"),
    "tier": (task_with(tier=4), "key 'tier' must be 0 to 3"),
    "tier true": (task_with(tier=True), "key 'tier' must be a whole number"),
    "hazards": (task_with(hazards=[1]), "list of strings"),
    "hazards surrogate": (task_with(hazards=["\ud800"]), "lone surrogate"),
    "family": (task_with(family=None), "key 'family' must be a string"),
    "payloads": (task_with(payloads=[]), "key 'payloads' must be an object"),
    "payload": (task_with(payloads={"a\nb": 1}), "must be a string or"),
    "payload name": (task_with(payloads={"\ud800": "x"}), "lone surrogate"),
    "nothing expected": (task_with(expect=[]), "every reply would pass"),
    "kind": (expect_with(kind="no"), ".kind is 'no'"),
    "path out": (expect_with(kind="file", path="../x", content=""), "must be a relative path"),
    "path absolute": (expect_with(kind="file", path="/x", content=""), "must be a relative path"),
    "path long": (expect_with(kind="file", path="x" * 256, content=""), "longer than a path"),
    "key too many": (expect_with(kind="file", path="x", content="", more=1), "more is not known here"),
    "argv": (expect_with(kind="argv", path="x", args="a"), "must be a list"),
    "json": (expect_with(kind="json", path="x"), "value is missing"),
    "json surrogate": (expect_with(kind="json", path="x", value=["\ud800"]), "lone surrogate"),
    "tree": (expect_with(kind="tree", files=5), "must be an object, or a list"),
    "lines": (expect_with(kind="lines", path="x"), "lines is missing"),
    "git-head": (expect_with(kind="git-head", message="m", files=[], commits="1"), "must be a whole number"),
    "fixture": (task_with(fixture=[]), "key 'fixture' must be an object"),
    "fixture key": (fixture_with(**{"a\nb": 1}), "is not known here"),
    "mode": (fixture_with(files=[{**A, "mode": "0999"}]), "must be octal"),
    "mode number": (fixture_with(files=[{**A, "mode": 644}]), "must be a string"),
    "path twice": (fixture_with(files=[A, A]), "names a path twice"),
    "below a file": (fixture_with(files=[A, {**A, "path": "a/b"}]), "below something that is not a directory"),
    "git inside": (fixture_with(files=[{**A, "path": ".git/x"}]), "a repository is given by 'git'"),
    "git names": (fixture_with(git={"staged": ["x"]}), "which is not a fixture file"),
    "link target": (fixture_with(symlinks=[{"path": "l", "target": ""}]), "can't be the target"),
    "may_create": (task_with(may_create=["a//b"]), "must be a relative path"),
    "reference": (task_with(reference=3), "key 'reference' must be"),
    "not JSON": (b"{", "is not JSON"),
    "a list": (b"[]", "must be a JSON object"),
    "CRLF": (json.dumps(TASK).encode() + b"\r", "carriage return"),
    "BOM": (b"\xef\xbb\xbf" + json.dumps(TASK).encode(), "byte order mark"),
    "twice": (TASK, "note/t1-price"),
}


@pytest.mark.parametrize("name", BAD_TASKS)
def test_a_bad_task_is_named_with_its_place(inside: Inside, name: str) -> None:
    bad, complaint = BAD_TASKS[name]
    Path("replies.jsonl").write_bytes(GOOD)
    text = bad if isinstance(bad, bytes) else json.dumps(bad).encode()
    Path("set.jsonl").write_bytes(json.dumps(TASK).encode() + b"\n\n" + text)
    for arguments in (["diff", "replies.jsonl", "--tasks", "set.jsonl"], ["prompts", "--tasks", "set.jsonl"]):
        said = inside.refuses(*arguments)
        assert said.startswith("set.jsonl:3: ")
        assert complaint in said
    assert inside.refuses("validate", "set.jsonl").startswith("set.jsonl:3: ")


def test_a_task_in_two_sets_is_refused(inside: Inside) -> None:
    Path("replies.jsonl").write_bytes(GOOD)
    for name in ("a.jsonl", "b.jsonl"):
        write_set(Path(name))
    said = inside.refuses("diff", "replies.jsonl", "--tasks", "a.jsonl", "--tasks", "b.jsonl")
    assert said.startswith("b.jsonl:1: ")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["diff"], "REPLIES"),
        (["diff", "r.jsonl", "--no-such-option"], "--no-such-option"),
        (["diff", "r.jsonl", "--jobs", "0"], "--jobs"),
        (["diff", "r.jsonl", "--timeout", "nan"], "--timeout"),
        (["diff", "r.jsonl", "--top", "-1"], "--top"),
        (["diff", "r.jsonl", "--isolation", "docker"], "--isolation"),
        (["diff", "r.jsonl", "--transport", "carrier-pigeon"], "unknown transport 'carrier-pigeon'"),
        (["diff", "r.jsonl", "--transport", "nested >"], "empty layer"),
        (["diff", "r.jsonl", "--transport", ""], "empty layer"),
        (["transports", "show", "no\x1b\n"], "unknown transport 'no\\x1b'"),
        (["transports", "show"], "STACK"),
        (["transports", "hide"], "hide"),
        (["prompts", "--contract", "no"], "unknown contract 'no'"),
        (["prompts", "--contract", "disclosed:no"], "unknown transport 'no'"),
        (["prompts", "--contract", "disclosed:"], "empty layer"),
        (["no-such-command"], "no-such-command"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_wrong_usage_is_one_line(inside: Inside, arguments: list[str], why: str) -> None:
    Path("r.jsonl").write_bytes(b'{"reply":"true"}')
    assert why in inside.refuses(*arguments)


@pytest.fixture
def full_output() -> Iterator[int]:
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("arguments", [["transports"], ["prompts"]])
def test_an_output_that_takes_nothing_more_is_an_error_of_one_line(full_output: int, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "qfuzz", *arguments]
    done = subprocess.run(command, stdout=full_output, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("qfuzz: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("qfuzz: standard output, ")
    assert "No space left" in done.stderr


def test_a_closed_output_takes_what_it_gets() -> None:
    command = ["sh", "-c", 'exec "$0" -m qfuzz transports >&-', sys.executable]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
