"""Reading a task set line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from qfuzz.gen.public import load_public
from qfuzz.gen.read import read_tasks
from qfuzz.model.errors import InputError
from qfuzz.model.task_codec import encode_task

ONE, TWO = (encode_task(task) for task in load_public()[:2])


def test_bad_lines_and_repeated_ids_can_be_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(ONE + b"no json\n" + ONE + TWO)
    bad: list[InputError] = []
    records = list(read_tasks(path, bad.append))
    assert [(record.number, record.value) for record in records] == [(1, load_public()[0]), (4, load_public()[1])]
    assert [error.where for error in bad] == [f"{path}:2", f"{path}:3"]
    assert "occurs twice, first in line 1" in bad[1].what


def test_the_first_bad_line_raises(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(ONE + TWO + TWO)
    records = read_tasks(path)
    assert [next(records).number, next(records).number] == [1, 2]
    with pytest.raises(InputError, match="occurs twice, first in line 2"):
        next(records)
