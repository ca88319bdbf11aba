"""A task as a page for a reader."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from qfuzz.model.task import (
    ExpectArgv,
    Expectation,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    Fixture,
    Task,
)
from qfuzz.report.visible import fold, visible

WIDTH = 80
_INDENT = 4

Line = tuple[int, str]
"""Columns of indentation beyond the section's, and visible text without them."""


def task_page(task: Task, width: int = WIDTH) -> str:
    """The whole task, section by section, in lines of at most `width` columns, ended by a newline."""
    hazards = ", ".join(map(visible, task.hazards)) or "none"
    lines = [visible(task.task_id)]
    lines += textwrap.wrap(f"family {visible(task.family)}, tier {task.tier}, hazards: {hazards}", width)
    for title, section in _sections(task, width):
        if section:
            lines += ["", f"{title}:"]
            lines += [part for line in section for part in _fit(line, width)]
    return "\n".join(lines) + "\n"


def _fit(line: Line, width: int) -> Iterator[str]:
    indent = _INDENT + line[0]
    return (" " * indent + part if part else "" for part in fold(line[1], width - indent))


def _sections(task: Task, width: int) -> Iterator[tuple[str, list[Line]]]:
    yield "instruction", list(_prose(task.instruction, width))[:-1]
    for name, payload in task.payloads.items():
        yield f"payload {visible(name)}", list(_text(payload, 0))
    yield "fixture", list(_fixture(task.fixture))
    yield "expected", [line for expectation in task.expect for line in _expectation(expectation)]
    yield "may create", [(0, visible(path)) for path in task.may_create]
    yield "reference", list(_text(task.reference, 0)) if task.reference is not None else []
    yield "naive", list(_text(task.naive, 0)) if task.naive is not None else []


def _prose(text: str, width: int) -> Iterator[Line]:
    """Paragraphs without an exact text are wrapped as prose; the others only fold, so that their blanks stay."""
    for paragraph in visible(text).replace("␊", "").split("\n\n"):
        exact = "⟪" in paragraph or "⟫" in paragraph
        lines = paragraph.split("\n") if exact else textwrap.wrap(paragraph, width - _INDENT)
        yield from ((0, line) for line in (*lines, ""))


def _text(content: bytes, indent: int = 2) -> Iterator[Line]:
    return ((indent, line) for line in visible(content).split("\n"))


def _fixture(fixture: Fixture) -> Iterator[Line]:
    for file in fixture.files:
        yield 0, f"file {visible(file.path)} (mode {file.mode:04o}, {len(file.content)} bytes)"
        yield from _text(file.content)
    for path in fixture.dirs:
        yield 0, f"directory {visible(path)}"
    for link in fixture.symlinks:
        yield 0, f"link {visible(link.path)} -> {visible(link.target)}"
    if fixture.git is not None:
        for commit in fixture.git.commits:
            yield 0, f"commit {visible(commit.message)}: {', '.join(map(visible, commit.files))}"
        for path in fixture.git.staged:
            yield 0, f"staged {visible(path)}"


def _expectation(expectation: Expectation) -> Iterator[Line]:
    match expectation:
        case ExpectFile(path, content):
            yield 0, f"file {visible(path)} with exactly ({len(content)} bytes)"
            yield from _text(content)
        case ExpectArgv(path, args):
            yield 0, f"file {visible(path)} with these texts, each ended by NUL"
            for arg in args:
                yield from _text(arg)
        case ExpectJson(path, value):
            yield 0, f"file {visible(path)} with the JSON value"
            yield from _text(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "surrogatepass"))
        case ExpectTree(files, gone):
            for path, content in files.items():
                yield 0, f"file {visible(path)} with exactly ({len(content)} bytes)"
                yield from _text(content)
            yield from ((0, f"no {visible(path)}") for path in gone)
        case ExpectLines(path, lines, strip_prefix):
            prefix = f", {visible(strip_prefix)} in front allowed" if strip_prefix else ""
            yield 0, f"file {visible(path)} with these lines in any order{prefix}"
            for line in lines:
                yield from _text(line)
        case ExpectGitHead(message, paths, commits):
            yield 0, f"HEAD changes {', '.join(map(visible, paths))}; {commits} commits in all; message"
            yield from _text(message)
