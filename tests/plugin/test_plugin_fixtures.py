"""The fixtures, as tests of another project use them."""

from __future__ import annotations

import re

from qfuzz.regress.files import public_by_id
from tests.plugin.project import Project

REPLAYS = """
import pytest

def test_transport(qfuzz_transport):
    assert qfuzz_transport("nested > json").name == "nested > json"
    assert qfuzz_transport("quoted").faithful

def test_survives(qfuzz_replay):
    replay = qfuzz_replay("echo '$5'", "quoted")
    assert replay.survived and not replay.refused
    assert replay.seen.direct.stdout.data == b"$5\\n"

def test_breaks(qfuzz_replay):
    replay = qfuzz_replay(b"echo '$5'", "nested")
    assert not replay.survived
    assert "starts an expansion between double quotes" in replay.text

def test_refused(qfuzz_replay):
    assert qfuzz_replay(b"echo \\xff", "json").refused

def test_in_a_fixture(qfuzz_replay):
    from qfuzz.model.task import Fixture, FixtureFile
    replay = qfuzz_replay("cat a.txt", "nested", fixture=Fixture((FixtureFile(b"a.txt", b"here"),)))
    assert replay.seen.transported.stdout.data == b"here"

def test_unknown(qfuzz_transport):
    qfuzz_transport("pigeon")

def test_unstable(qfuzz_replay):
    qfuzz_replay("echo $RANDOM$RANDOM$RANDOM", "nested")
"""


def test_replays(project: Project) -> None:
    project.write("test_own.py", REPLAYS)
    ran = project.run("-q", "-m", "qfuzz")
    assert ran.outcomes == {"passed": 5, "failed": 2}, ran.out
    assert "unknown transport 'pigeon'; `qfuzz transports` lists the known ones" in ran.out
    assert "does not do the same twice" in ran.out
    assert "Traceback" not in ran.out


PLACES = """
import pytest

ONE = {"files": [{"path": "a", "content": "x"}, {"path": "b", "content": {"base64": "/w=="}, "mode": "0600"}]}

def test_public_task(qfuzz_replay):
    seen = qfuzz_replay("ls -A", "nested", task="PUBLIC").seen
    assert seen.placed.task.task_id == "PUBLIC"
    assert seen.as_expected

def test_dict(qfuzz_replay):
    assert qfuzz_replay("cat a; stat -c %a b", "nested", fixture=ONE).seen.direct.stdout.data == b"x600\\n"

@pytest.mark.parametrize("arguments", [
    {"task": "write-file/no"}, {"task": 3}, {"task": "PUBLIC", "fixture": ONE},
    {"fixture": [ONE]}, {"fixture": "a"}, {"fixture": {"files": [{"path": "a", "content": b"x"}]}},
    {"fixture": {"files": [{"path": "../a", "content": "x"}]}}, {"fixture": {"fils": []}}, {"fixture": {3: "a"}},
    {"program": None}, {"program": "a\\0b"}, {"program": "a\\ud800"}, {"program": b"#" * 9_000_000},
    {"transport": None}, {"transport": b"nested"},
])
def test_refused(qfuzz_replay, arguments):
    qfuzz_replay(**{"program": "echo", "transport": "nested", **arguments})
"""


def test_the_work_directory_is_a_tasks_or_a_fixture_and_all_else_is_one_line(project: Project) -> None:
    public = next(iter(public_by_id()))
    project.write("test_own.py", PLACES.replace("PUBLIC", public))
    ran = project.run("-q")
    assert ran.outcomes == {"passed": 2, "failed": 15}, ran.out
    assert "During handling" not in ran.out
    shown = re.findall(r"^_+ test_refused\[arguments\d+\] _+\n(.*)\n(?=[_=])", ran.out, re.MULTILINE)
    assert len(shown) == 15, "each has one line"
    for said, expected in zip(shown, REFUSED, strict=True):
        assert expected in said, said


REFUSED = (
    "task: unknown task 'write-file/no'; `qfuzz tasks` lists the public ones",
    "task: expected a Task or the id of a public one, not int",
    "a task has a fixture of its own",
    "fixture: expected a Fixture or a dict in the form of the interchange format, not list",
    "fixture: expected a Fixture or a dict in the form of the interchange format, not str",
    "fixture: can't be written as JSON (Object of type bytes is not JSON serializable)",
    "files[0].path must be a relative path",
    "fils",
    "3",
    "program: expected bytes or a str, not NoneType",
    "program: holds a NUL at byte 1",
    "program: no UTF-8 can spell character 1; give it as bytes",
    "program: has 9,000,000 bytes",
    "expected the name of a transport or a stack, a str, not NoneType",
    "expected the name of a transport or a stack, a str, not bytes",
)


FUZZES = """
import pytest

def test_carries_all(assert_faithful):
    tried = assert_faithful("quoted", examples=8)
    assert tried.survived >= 6

def test_breaks(assert_faithful):
    assert_faithful("single", examples=40, seed=3)

def test_carries_nothing(assert_faithful, qfuzz_transport, monkeypatch):
    monkeypatch.setattr(type(qfuzz_transport("json").boundaries[0]), "embed", refuse)
    assert_faithful("json", examples=3)

def test_nothing(assert_faithful):
    assert_faithful("quoted", examples=0)

def refuse(self, text):
    from qfuzz.model.delivery import Refusal
    return Refusal(self.name, 0, "today it takes nothing")
"""


def test_a_transport_is_tried_with_drawn_programs(project: Project) -> None:
    project.write("test_own.py", FUZZES)
    ran = project.run("-q", "-m", "qfuzz")
    assert ran.outcomes == {"passed": 1, "failed": 3}, ran.out
    assert "expected examples from 1 to 1,000,000, not 0" in ran.out
    assert "During handling" not in ran.out
    assert "single: should survive, and breaks" in ran.out
    assert "ends the single quotes around the reply" in ran.out
    assert "json carried none of " in ran.out
    assert "Traceback" not in ran.out
    assert "Falsifying example" not in ran.out


ESCAPES = """
import shlex
import pytest

def naive(text):
    return '"' + text + '"'

def test_quotes(assert_escapes):
    assert_escapes(shlex.quote, examples=500)

def test_by_name(assert_escapes):
    assert_escapes("shlex:quote", examples=500)

def test_naive(assert_escapes):
    assert_escapes(naive, examples=500)

def test_returns_nothing(assert_escapes):
    assert_escapes(lambda text: None, examples=50)

def test_raises(assert_escapes):
    assert_escapes(lambda text: 1 / 0, examples=50)

def test_no_such_shell(assert_escapes):
    assert_escapes(shlex.quote, shells=["no-such"], examples=50)
"""


def test_an_escaping_function_is_tried_with_words(project: Project) -> None:
    project.write("test_own.py", ESCAPES)
    ran = project.run("-q", "-m", "qfuzz")
    assert ran.outcomes == {"passed": 2, "failed": 4}, ran.out
    for said in ("no-such", "ZeroDivisionError"):
        assert said in ran.out
    assert "Traceback" not in ran.out


def test_what_a_test_makes_up_needs_the_jail(project: Project) -> None:
    project.write("test_own.py", ESCAPES + FUZZES)
    ran = project.run("-q", "-k", "quotes or carries_all", "--qfuzz-isolation", "none")
    assert ran.outcomes == {"failed": 2, "deselected": 8}, ran.out
    assert ran.out.count("what a test makes up runs in the jail only") >= 2
