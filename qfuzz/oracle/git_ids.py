"""Object ids of Git, from contents alone (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from qfuzz.model.observation import Entry, Kind
from qfuzz.model.task import GIT_EMAIL, GIT_NAME, GIT_TIME, FixtureGit

Leaf = tuple[int, str]
"""Mode as git lists it and hexadecimal object id of a file or link."""


def leaf_of(entry: Entry | None) -> Leaf | None:
    """What git would commit for a path of the work directory; None for what it does not commit."""
    if entry is None or entry.kind not in (Kind.FILE, Kind.SYMLINK):
        return None
    file_mode = 0o100755 if entry.mode & 0o100 else 0o100644
    mode = 0o120000 if entry.kind is Kind.SYMLINK else file_mode
    return mode, _object_id(b"blob", entry.content)


def commit_ids(git: FixtureGit, laid: Mapping[bytes, Entry]) -> tuple[str, ...]:
    """The ids of a fixture's commits, oldest first; `laid` is the fixture's tree.

    A commit of a path that the fixture does not lay is made without it; such a fixture is refused before it is laid.
    """
    ids: list[str] = []
    listed: dict[bytes, Leaf] = {}
    author = f"{GIT_NAME} <{GIT_EMAIL}> {GIT_TIME} +0000"
    for commit in git.commits:
        for path in commit.files:
            leaf = leaf_of(laid.get(path))
            if leaf is not None:
                listed[path] = leaf
        parent = f"parent {ids[-1]}\n" if ids else ""
        head = f"tree {_tree_id(listed)}\n{parent}author {author}\ncommitter {author}\n\n"
        # As `git commit -m` does.
        ids.append(_object_id(b"commit", head.encode() + commit.message.removesuffix(b"\n") + b"\n"))
    return tuple(ids)


def _tree_id(listed: Mapping[bytes, Leaf]) -> str:
    below: dict[bytes, dict[bytes, Leaf]] = {}
    rows: dict[bytes, Leaf] = {}
    for path, leaf in listed.items():
        first, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(first, {})[rest] = leaf
        else:
            rows[first] = leaf
    # Git sorts a directory as if its name ended in a slash.
    rows |= {name + b"/": (0o40000, _tree_id(inside)) for name, inside in below.items()}
    body = b"".join(
        b"%o %s\0" % (mode, name.removesuffix(b"/")) + bytes.fromhex(object_id)
        for name, (mode, object_id) in sorted(rows.items())
    )
    return _object_id(b"tree", body)


def _object_id(kind: bytes, body: bytes) -> str:
    return hashlib.sha1(b"%s %d\0" % (kind, len(body)) + body).hexdigest()
