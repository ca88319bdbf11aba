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
