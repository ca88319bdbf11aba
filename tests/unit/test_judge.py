"""The verdict: which state passes, and which failure class comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.observation import Ending, Entry, Kind, Status
from qfuzz.model.task import ExpectFile, ExpectJson
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.oracle.mutate import mutants
from tests.examples import EXPECTATIONS, right_state, task_for, task_of, with_entry


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_right_state_passes_whatever_the_exit_status(kind: str) -> None:
    task = task_for(kind)
    right = right_state(task)
    for status in (Status(Ending.EXIT, 0), Status(Ending.EXIT, 3), Status(Ending.SIGNAL, 15)):
        assert judge(task, replace(right, status=status)).outcome is Outcome.PASS


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_no_mutant_of_a_right_state_passes(kind: str) -> None:
    task = task_for(kind)
    tried = list(mutants(task, right_state(task)))
    assert len(tried) >= 15
    assert [mutant.what for mutant in tried if judge(task, mutant.observation).passed] == []


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_every_mutant_differs_from_the_right_state(kind: str) -> None:
    task = task_for(kind)
    right = right_state(task)
    assert [mutant.what for mutant in mutants(task, right) if mutant.observation == right] == []


def test_failure_classes_in_their_order() -> None:
    task = task_of(ExpectFile(b"out.txt", b"x"))
    right = right_state(task)
    wrong = with_entry(right, b"out.txt", Entry(Kind.FILE, 0o644, b"y"))
    littered = with_entry(right, b"extra", Entry(Kind.FILE, 0o644, b""))
    failed = Status(Ending.EXIT, 2)
    late = Status(Ending.TIMEOUT, 0)
    assert judge(task, replace(wrong, status=late, parses=False)).outcome is Outcome.TIMEOUT
    assert judge(task, replace(right, status=late)).outcome is Outcome.TIMEOUT
    assert judge(task, replace(wrong, status=failed, parses=False)).outcome is Outcome.SHELL_SYNTAX
    assert judge(task, replace(littered, status=failed, parses=True)).outcome is Outcome.ENVIRONMENT
    assert judge(task, littered).outcome is Outcome.ENVIRONMENT
    assert judge(task, replace(wrong, status=failed, parses=True)).outcome is Outcome.RUNTIME_ERROR
    assert judge(task, wrong).outcome is Outcome.SILENT_WRONG
    assert judge_undelivered(Refusal("direct", 7, "no")).outcome is Outcome.REFUSED
    assert judge_undelivered(Rejection("json-naive", "no")).outcome is Outcome.REJECTED


def test_may_create_allows_a_file_and_its_directories_and_nothing_else() -> None:
    task = task_of(ExpectFile(b"out.txt", b"x"), may_create=(b"logs/run.log",))
    right = right_state(task)
    logged = with_entry(right, b"logs", Entry(Kind.DIR, 0o755))
    logged = with_entry(logged, b"logs/run.log", Entry(Kind.FILE, 0o600, b"anything"))
    assert judge(task, logged).passed
    assert not judge(task, with_entry(logged, b"logs/other", Entry(Kind.FILE, 0o644, b""))).passed
    linked = with_entry(logged, b"logs/run.log", Entry(Kind.SYMLINK, 0, b"/etc/passwd"))
    assert judge(task, linked).outcome is Outcome.ENVIRONMENT


@pytest.mark.parametrize(
    ("written", "passes"),
    [
        (b'{"n": 1}', True),
        (b' {"n":1} \n', True),
        (b'{"n": 1.0}', False),
        (b'{"n": true}', False),
        (b'{"n": 1, "n": 1}', False),
        (b'{"n": NaN}', False),
        (b'{"n": 1}\xff', False),
        (b"[" * 100_000, False),
        (b"", False),
    ],
)
def test_json_is_compared_by_value_and_type(written: bytes, passes: bool) -> None:
    task = task_of(ExpectJson(b"c.json", {"n": 1}))
    state = with_entry(right_state(task), b"c.json", Entry(Kind.FILE, 0o644, written))
    assert judge(task, state).passed is passes


def test_detail_names_the_path_in_one_printable_line() -> None:
    task = task_of(ExpectFile(b"odd\n\xff", b"x"))
    detail = judge(task, with_entry(right_state(task), b"odd\n\xff", None)).detail
    assert detail.isprintable()
    assert "odd" in detail
