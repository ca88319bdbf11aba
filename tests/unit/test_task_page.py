"""A task as a page: everything on it, nothing hidden, nothing wider than asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qfuzz.gen.public import public_tasks
from qfuzz.report.task_page import task_page
from qfuzz.report.visible import CONTINUED, fold, visible, width_of
from tests.examples import EXPECTATIONS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (b"plain", "plain"),
        (b"a\tb\n", "a␉b␊"),
        (b"a\n\nb", "a␊\n␊\nb"),
        (b"a  \n  b ", "a··␊\n  b·"),
        (b"\x1b[31m\x07\x7f\r", "␛[31m␇␡␍"),
        (b"\xff\xc3\xa9", "\\xffé"),
        ("\u202eabc\u200b\ufeff\u00a0".encode(), "\\u202eabc\\u200b\\ufeff\\u00a0"),
        ("\U000e0041".encode(), "\\U000e0041"),
        (b"", ""),
    ],
)
def test_visible(text: bytes, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("", [""]),
        ("0123456789", ["0123456789"]),
        ("01234567890", ["012345678" + CONTINUED, "90"]),
        ("012345 7890", ["012345 " + CONTINUED, "7890"]),
        ("0 234567890", ["0 2345678" + CONTINUED, "90"]),
        ("東京東京東京", ["東京東京" + CONTINUED, "東京"]),
    ],
)
def test_fold(line: str, parts: list[str]) -> None:
    assert list(fold(line, 10)) == parts
    assert all(width_of(part) <= 10 for part in parts)


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_of_a_page_is_wider_than_asked(width: int) -> None:
    for task in public_tasks():
        assert max(map(width_of, task_page(task, width).split("\n"))) <= width


def test_a_page_holds_every_part_of_a_task() -> None:
    (task,) = (task for task in public_tasks() if task.task_id == "git-commit/t1-spinnaker")
    page = task_page(task)
    for title in ("instruction:", "payload message:", "fixture:", "expected:", "reference:", "naive:"):
        assert f"\n{title}\n" in page
    assert "staged canyon-spinnaker.txt" in page
    assert 'git commit -q -m "Use $PATH' in page


@pytest.mark.parametrize("kind", EXPECTATIONS)
def test_every_kind_of_expectation_has_words(kind: str) -> None:
    task = replace(public_tasks()[0], expect=(EXPECTATIONS[kind],))
    assert "\nexpected:\n    " in task_page(task)
