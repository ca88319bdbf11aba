"""The final state that a right program leaves, made from a task alone."""

from __future__ import annotations

import json

from qfuzz.model.observation import Entry, Kind, Observation, Tree
from qfuzz.model.task import (
    CREATED_FILE_MODE,
    ExpectArgv,
    Expectation,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    FixtureCommit,
    Task,
)
from qfuzz.oracle.laid import laid_entries
from tests.examples import committed, observed


def right_final_state(task: Task) -> Observation:
    """All that the task expects, on top of what its fixture lays."""
    entries = laid_entries(task.fixture)
    git = None
    for expectation in task.expect:
        for path, content in _files(expectation).items():
            _put(entries, path, content)
        if isinstance(expectation, ExpectTree):
            for path in expectation.gone:
                entries.pop(path, None)
        if isinstance(expectation, ExpectGitHead):
            git = committed(task.fixture, FixtureCommit(expectation.message, expectation.files))
    return observed(tree=Tree(entries), git=git)


def _files(expectation: Expectation) -> dict[bytes, bytes]:
    match expectation:
        case ExpectFile(path, content):
            return {path: content}
        case ExpectArgv(path, args):
            return {path: b"".join(arg + b"\0" for arg in args)}
        case ExpectJson(path, value):
            return {path: json.dumps(value, indent=1).encode()}
        case ExpectLines(path, lines, strip_prefix):
            return {path: b"".join(strip_prefix + line + b"\n" for line in reversed(lines))}
        case ExpectTree(files):
            return dict(files)
        case ExpectGitHead():
            return {}


def _put(entries: dict[bytes, Entry], path: bytes, content: bytes) -> None:
    parts = path.split(b"/")
    for depth in range(1, len(parts)):
        entries.setdefault(b"/".join(parts[:depth]), Entry(Kind.DIR, 0o755))
    mode = entries[path].mode if path in entries else CREATED_FILE_MODE
    entries[path] = Entry(Kind.FILE, mode, content)
