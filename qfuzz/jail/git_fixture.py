"""Building the repository of a fixture on the host: the same ids everywhere, no git program, no clock."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dulwich.objects import Blob, Commit, ShaFile, Tree

from qfuzz.model.errors import InputError
from qfuzz.model.task import GIT_EMAIL, GIT_NAME, GIT_TIME, Fixture, FixtureFile

BRANCH = b"refs/heads/main"
_ObjectId = Any
"""Hexadecimal bytes. Newer releases of dulwich have a type for them, older ones do not."""
_OBJECT_MODE = 0o444
_FILE_MODE = 0o644
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file as git lists it: its mode there, the hexadecimal id of its content, its size in bytes."""

    mode: int
    object_id: _ObjectId
    size: int


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """What lies in the work directory for a repository: directories, and (path, content, mode) of files."""

    directories: tuple[bytes, ...]
    files: tuple[tuple[bytes, bytes, int], ...]


def repository_files(fixture: Fixture) -> RepositoryFiles:
    """The `.git` of a fixture that has one; raises InputError where it names a file that is not in the fixture."""
    git = fixture.git
    assert git is not None, "a fixture without repository"
    store: dict[bytes, bytes] = {}
    links = {link.path: link.target for link in fixture.symlinks}
    listed: dict[bytes, _Listed] = {}

    def add(paths: tuple[bytes, ...]) -> None:
        by_path = {file.path: file for file in fixture.files}
        for path in paths:
            if path not in by_path and path not in links:
                raise InputError(f"the fixture's repository names {path!r}, which is no file of the fixture")
            mode, content = (0o120000, links[path]) if path in links else _git_file(by_path[path])
            listed[path] = _Listed(mode, _put(store, Blob.from_string(content)), len(content))

    head: _ObjectId | None = None
    for step in git.commits:
        add(step.files)
        head = _put(store, _commit(_tree(store, listed), head, step.message))
    add(git.staged)
    files = [
        (b".git/HEAD", b"ref: " + BRANCH + b"\n", _FILE_MODE),
        (b".git/config", _CONFIG, _FILE_MODE),
        (b".git/index", _index(listed), _FILE_MODE),
        *((path, content, _OBJECT_MODE) for path, content in store.items()),
    ]
    if head is not None:
        files.append((b".git/" + BRANCH, head + b"\n", _FILE_MODE))
    directories = (b".git/objects/info", b".git/objects/pack", b".git/refs/heads", b".git/refs/tags")
    return RepositoryFiles(directories, tuple(files))


def _git_file(file: FixtureFile) -> tuple[int, bytes]:
    return 0o100755 if file.mode & 0o100 else 0o100644, file.content


def _put(store: dict[bytes, bytes], thing: ShaFile) -> _ObjectId:
    name = thing.id
    store[b".git/objects/" + name[:2] + b"/" + name[2:]] = thing.as_legacy_object()
    return name


def _tree(store: dict[bytes, bytes], listed: Mapping[bytes, _Listed]) -> _ObjectId:
    """The id of the tree that holds these paths; its subtrees are stored too."""
    tree = Tree()
    below: dict[bytes, dict[bytes, _Listed]] = {}
    for path, file in listed.items():
        first, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(first, {})[rest] = file
        else:
            tree.add(first, file.mode, file.object_id)
    for name, inside in below.items():
        tree.add(name, 0o40000, _tree(store, inside))
    return _put(store, tree)


def _commit(tree_id: _ObjectId, parent: _ObjectId | None, message: bytes) -> Commit:
    commit = Commit()
    commit.tree = tree_id
    commit.parents = [] if parent is None else [parent]
    commit.author = commit.committer = f"{GIT_NAME} <{GIT_EMAIL}>".encode()
    commit.author_time = commit.commit_time = GIT_TIME
    commit.author_timezone = commit.commit_timezone = 0
    # As `git commit -m` does.
    commit.message = message if message.endswith(b"\n") else message + b"\n"
    return commit


def _index(listed: Mapping[bytes, _Listed]) -> bytes:
    """An index of version 2 (https://git-scm.com/docs/index-format).

    File times are zero, so that git looks at the content: the files are laid later.
    """
    parts = [b"DIRC", struct.pack(">II", 2, len(listed))]
    for path in sorted(listed):
        file = listed[path]
        object_id = bytes.fromhex(file.object_id.decode())
        entry = struct.pack(">10I20sH", 0, 0, 0, 0, 0, 0, file.mode, 0, 0, file.size, object_id, min(len(path), 0xFFF))
        entry += path
        parts.append(entry + bytes(8 - len(entry) % 8))
    data = b"".join(parts)
    return data + hashlib.sha1(data).digest()
