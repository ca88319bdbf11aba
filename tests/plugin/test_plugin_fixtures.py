"""The fixtures, as tests of another project use them."""

from __future__ import annotations

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
