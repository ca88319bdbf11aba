"""Small tasks, fixtures and observations for tests of what starts nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from qfuzz.jail.git_fixture import repository_files
from qfuzz.jail.git_state import read_git_state
from qfuzz.model.observation import Capture, Ending, Entry, GitState, Kind, Observation, Status, Tree
from qfuzz.model.task import (
    ExpectArgv,
    Expectation,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    Fixture,
    FixtureCommit,
    FixtureFile,
    FixtureGit,
    FixtureSymlink,
    Task,
)
from qfuzz.oracle.laid import laid_entries

FIXTURE = Fixture(
    files=(FixtureFile(b"kept.txt", b"kept\n"), FixtureFile(b"bin/tool", b"#!/bin/sh\n", 0o755)),
    dirs=(b"empty",),
    symlinks=(FixtureSymlink(b"link", b"kept.txt"),),
)
GIT_FIXTURE = Fixture(
    files=(FixtureFile(b"old.txt", b"old\n"), FixtureFile(b"new.txt", b"new\n")),
    git=FixtureGit((FixtureCommit(b"Begin", (b"old.txt",)),), (b"new.txt",)),
)
EXPECTATIONS: Mapping[str, Expectation] = {
    "file": ExpectFile(b"out.txt", b"a'b\n"),
    "argv": ExpectArgv(b"got.bin", (b"one", b"two words", b"")),
    "json": ExpectJson(b"c.json", {"message": 'a"b', "count": 1}),
    "tree": ExpectTree({b"moved/a.txt": b"content"}, (b"kept.txt",)),
    "lines": ExpectLines(b"list.txt", (b"a b", b"c"), b"./"),
    "git-head": ExpectGitHead(b"Say 'it'", (b"new.txt",), 2),
}


def task_of(*expect: Expectation, fixture: Fixture = FIXTURE, may_create: tuple[bytes, ...] = ()) -> Task:
    """A task with these expectations."""
    return Task("family/t1-x", "family", 1, (), "Do it.", {"text": b"a'b"}, fixture, expect, may_create)


def task_for(kind: str) -> Task:
    """The task of one kind of expectation."""
    return task_of(EXPECTATIONS[kind], fixture=GIT_FIXTURE if kind == "git-head" else FIXTURE)


def right_state(task: Task) -> Observation:
    """A final state that meets every expectation of a task made here."""
    entries = laid_entries(task.fixture)
    git = None
    for expectation in task.expect:
        match expectation:
            case ExpectFile(path, content):
                entries[path] = Entry(Kind.FILE, 0o644, content)
            case ExpectArgv(path, args):
                entries[path] = Entry(Kind.FILE, 0o644, b"".join(arg + b"\0" for arg in args))
            case ExpectJson(path):
                entries[path] = Entry(Kind.FILE, 0o644, b'{"count": 1,\n "message": "a\\"b"}\n')
            case ExpectLines(path):
                entries[path] = Entry(Kind.FILE, 0o644, b"./c\n./a b\n")
            case ExpectTree(files, gone):
                for path, content in files.items():
                    entries[path] = Entry(Kind.FILE, 0o644, content)
                    entries[path.split(b"/")[0]] = Entry(Kind.DIR, 0o755)
                for path in gone:
                    del entries[path]
            case ExpectGitHead(message, files):
                git = committed(task.fixture, FixtureCommit(message, files))
    return observed(tree=Tree(entries), git=git)


def committed(fixture: Fixture, head: FixtureCommit) -> GitState:
    """The repository of a fixture with one commit more, as it is read from what is laid for it."""
    assert fixture.git is not None
    after = replace(fixture, git=FixtureGit((*fixture.git.commits, head)))
    laid = repository_files(after).files
    state = read_git_state(
        Tree({path.removeprefix(b".git/"): Entry(Kind.FILE, mode, data) for path, data, mode in laid})
    )
    assert state.error == ""
    return state


def observed(
    code: int = 0,
    stdout: bytes = b"",
    stderr: bytes = b"",
    tree: Tree = Tree({}),  # noqa: B008 (frozen)
    git: GitState | None = None,
) -> Observation:
    """An observation that ended with an exit status."""
    return Observation(Status(Ending.EXIT, code), Capture(stdout), Capture(stderr), tree, git)


def with_entry(observation: Observation, path: bytes, entry: Entry | None) -> Observation:
    """The observation with one path set, or removed."""
    entries = {name: found for name, found in observation.tree.entries.items() if name != path}
    if entry is not None:
        entries[path] = entry
    return replace(observation, tree=Tree(entries, observation.tree.truncated))
