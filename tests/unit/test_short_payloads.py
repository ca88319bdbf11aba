"""Payloads that also occur in names and lines that were chosen without them: expectations are computed, not assumed."""

from __future__ import annotations

import string

import pytest

from qfuzz.gen.loader import families
from qfuzz.model.task import ExpectFile, ExpectLines, ExpectTree, Task

LETTERS = string.ascii_lowercase


def built(family: str, **payloads: bytes) -> Task:
    return families()[family].build(payloads, 1, "short")


@pytest.mark.parametrize("letter", LETTERS)
def test_find_glob_expects_names_and_not_folders(letter: str) -> None:
    task = built("find-glob", part=letter.encode())
    paths = [file.path.decode() for file in task.fixture.files]
    (expected,) = task.expect
    assert isinstance(expected, ExpectLines)
    assert sorted(expected.lines) == sorted(path.encode() for path in paths if letter in path.split("/")[-1])


@pytest.mark.parametrize("letter", LETTERS)
def test_grep_count_expects_every_line_with_the_needle(letter: str) -> None:
    task = built("grep-count", needle=letter.encode())
    lines = task.fixture.files[0].content.decode().splitlines()
    (expected,) = task.expect
    assert isinstance(expected, ExpectFile)
    assert expected.content == f"{sum(letter in line for line in lines)}\n".encode()


@pytest.mark.parametrize("letter", LETTERS)
def test_sed_replace_expects_every_occurrence_replaced(letter: str) -> None:
    task = built("sed-replace", old=letter.encode(), new=b"&")
    (expected,) = task.expect
    assert isinstance(expected, ExpectFile)
    assert expected.content.decode() == task.fixture.files[0].content.decode().translate({ord(letter): "&"})


@pytest.mark.parametrize("prefix", ["a", "1 1", "x 0", "0", "a? 2", "q *"])
def test_bulk_rename_expects_every_file_with_the_prefix_renamed(prefix: str) -> None:
    task = built("bulk-rename", prefix=prefix.encode())
    (expected,) = task.expect
    assert isinstance(expected, ExpectTree)
    paths = [file.path for file in task.fixture.files]
    assert len(set(paths)) == len(paths)
    gone = {file.path for file in task.fixture.files if file.path.startswith(prefix.encode())}
    assert set(expected.gone) == gone
    assert len(expected.files) == len(gone) == 3
