"""A task: fixture, instruction and expected final state, for one family and payload. All contents are bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from qfuzz.model.content import JsonValue

SCHEMA_VERSION = 1
CREATED_FILE_MODE = 0o644
"""Mode of a file that a program creates under the fixed umask 022."""
GIT_NAME = "A User"
GIT_EMAIL = "user@example.com"
GIT_TIME = 1_700_000_000
"""Author and committer time of every commit, in seconds since 1970, UTC."""


@dataclass(frozen=True, slots=True)
class FixtureFile:
    """A regular file that exists before the reply runs. `path` is relative to the work directory."""

    path: bytes
    content: bytes
    mode: int = CREATED_FILE_MODE


@dataclass(frozen=True, slots=True)
class FixtureSymlink:
    path: bytes
    target: bytes


@dataclass(frozen=True, slots=True)
class FixtureCommit:
    """A commit made before the reply runs: the named fixture files, as they are in the fixture, with `message`."""

    message: bytes
    files: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class FixtureGit:
    """A repository in the work directory: commits in order on branch `main`, then `staged` paths added to the index."""

    commits: tuple[FixtureCommit, ...] = ()
    staged: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Fixture:
    """The work directory before the reply runs. `git` None means no repository."""

    files: tuple[FixtureFile, ...] = ()
    dirs: tuple[bytes, ...] = ()
    symlinks: tuple[FixtureSymlink, ...] = ()
    git: FixtureGit | None = None


@dataclass(frozen=True, slots=True)
class ExpectFile:
    """`path` is a regular file with exactly these bytes.

    Its mode must be the fixture's, or 0644 where the fixture has no such file.
    """

    path: bytes
    content: bytes


@dataclass(frozen=True, slots=True)
class ExpectArgv:
    """`path` is a regular file that holds each argument followed by one NUL byte."""

    path: bytes
    args: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class ExpectJson:
    """`path` is a regular file, UTF-8 JSON without duplicate keys, equal to `value` (1 and 1.0 and true differ)."""

    path: bytes
    value: JsonValue


@dataclass(frozen=True, slots=True)
class ExpectTree:
    """Each path of `files` is a regular file with these bytes; no path of `gone` exists."""

    files: Mapping[bytes, bytes]
    gone: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectLines:
    """`path` is a regular file of newline-ended lines, equal to `lines` as a multiset (search order is not fixed).

    `strip_prefix` is removed once from the front of each line that has it.
    """

    path: bytes
    lines: tuple[bytes, ...]
    strip_prefix: bytes = b""


@dataclass(frozen=True, slots=True)
class ExpectGitHead:
    """HEAD's message (one final newline not counted), the paths HEAD changed against its parent, commits in all.

    The parents of HEAD form one line back to the fixture's last commit, and nothing is left staged.
    HEAD holds every path as the work directory does, and main is the only ref.
    """

    message: bytes
    files: tuple[bytes, ...]
    commits: int


Expectation = ExpectFile | ExpectArgv | ExpectJson | ExpectTree | ExpectLines | ExpectGitHead


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `payloads` maps a role ("content", "message", ...) to the exact literal that must survive.

    `reference` must pass and `naive` must pass at tier 0 and fail at tiers 1 to 3; foreign sets may leave either out
    (None). `references` are further right answers, style name to program; they are not part of the interchange format.
    """

    task_id: str
    family: str
    tier: int
    hazards: tuple[str, ...]
    instruction: str
    payloads: Mapping[str, bytes]
    fixture: Fixture
    expect: tuple[Expectation, ...]
    may_create: tuple[bytes, ...] = ()
    reference: bytes | None = None
    naive: bytes | None = None
    references: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    def __post_init__(self) -> None:
        assert 0 <= self.tier <= 3, f"tier {self.tier} is outside 0 to 3"
        assert self.task_id, "empty task_id"
