"""What one execution left behind. Bytes throughout, with `truncated` where a bound cut something off."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

OBSERVED = 3
"""Counts what is observed: what an older version saw less of is no match for what this one sees."""


class Ending(enum.Enum):
    EXIT = "exit"
    SIGNAL = "signal"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Status:
    """How the command ended. `value` is the exit status (0 to 255), the signal number, or 0 for a timeout."""

    ending: Ending
    value: int

    def __post_init__(self) -> None:
        assert 0 <= self.value <= 255, f"status value {self.value} is outside 0 to 255"

    @property
    def code(self) -> int | None:
        """The status as a shell reports it in `$?` (signal n as 128+n); None for a timeout."""
        if self.ending is Ending.TIMEOUT:
            return None
        return self.value if self.ending is Ending.EXIT else 128 + self.value


@dataclass(frozen=True, slots=True)
class Capture:
    """The start of an output stream. `truncated`: more was written than is kept here."""

    data: bytes = b""
    truncated: bool = False


class Kind(enum.Enum):
    FILE = "file"
    DIR = "dir"
    SYMLINK = "symlink"
    FIFO = "fifo"
    SOCKET = "socket"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of the work directory, never followed. `mode` has the permission bits (0 for a symlink).

    `content` is the file's bytes or the link's target, b"" for other kinds. `truncated`: not all of the file could be
    read. `digest`: of a file longer than KEPT_BYTES the SHA-256 of what was read stands for it, and `content` is its
    beginning; empty for others.
    """

    kind: Kind
    mode: int
    content: bytes = b""
    truncated: bool = False
    digest: str = ""


KEPT_BYTES = 256 << 10
"""The longest file whose content is kept whole: many observations are held and stored at a time."""

_BEGINNING_BYTES = 4 << 10


def file_entry(mode: int, content: bytes, truncated: bool = False) -> Entry:
    """The entry of a regular file. Two files of more than KEPT_BYTES are equal if their digests are."""
    if len(content) <= KEPT_BYTES:
        return Entry(Kind.FILE, mode, content, truncated)
    return Entry(Kind.FILE, mode, content[:_BEGINNING_BYTES], truncated, hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, slots=True)
class Tree:
    """Every path below the work directory except what lies inside `.git`; keys are relative, without `./`.

    `truncated`: there were more paths, deeper nesting or more bytes than the bounds allow, so equality is not known.
    """

    entries: Mapping[bytes, Entry]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class GitCommit:
    """A commit reachable from HEAD. `changed` is the set of paths that differ from the first parent, sorted."""

    commit_id: str
    parents: tuple[str, ...]
    message: bytes
    changed: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, order=True)
class GitIndexEntry:
    """One entry of the index: mode as git lists it, hexadecimal object id, stage 1 to 3 in a conflict, else 0."""

    path: bytes
    mode: int
    object_id: str
    stage: int = 0


@dataclass(frozen=True, slots=True)
class GitState:
    """HEAD's history, newest first along first parents, what the index holds, and all that refs and settings say.

    `commits` is the number of commits reachable from HEAD by any parent. `staged` are the paths whose index entry
    differs from HEAD's tree, sorted. `branch` is HEAD's symbolic target or None when detached. `error` says why the
    repository could not be read and is empty otherwise. `refs` are pairs of a full name and what it holds (an object id
    or `ref: name`), sorted; `config` is the file of the repository's settings; `index` is sorted.
    """

    branch: bytes | None = None
    history: tuple[GitCommit, ...] = ()
    commits: int = 0
    staged: tuple[bytes, ...] = ()
    error: str = ""
    refs: tuple[tuple[bytes, bytes], ...] = ()
    config: bytes = b""
    index: tuple[GitIndexEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """One execution. `git` None: the work directory holds no repository.

    `parses`: whether `bash -n` (or the last shell's own -n) accepts the text that reached the last shell; None where
    that was not asked (it is asked for failures only). `arrived` is that text; `tapped`: it was looked for, so that
    None says that no text reached a last shell. A recorder sees it in a run of its own: in this one it would be seen.
    `seconds` is wall time inside the jail and decides nothing. `limit` names a resource bound that ended the run
    ("memory", "output") or is empty.
    """

    status: Status
    stdout: Capture
    stderr: Capture
    tree: Tree
    git: GitState | None = None
    seconds: float = 0.0
    parses: bool | None = None
    arrived: bytes | None = None
    tapped: bool = False
    limit: str = ""
