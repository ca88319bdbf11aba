"""Packing a request and reading an answer. An answer is untrusted input: every defect is a ProtocolError."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from qfuzz.jail.agent import frames, messages, tree
from qfuzz.jail.environment import SIDE_FILES
from qfuzz.jail.execution import Execution, Tap
from qfuzz.jail.git_fixture import repository_files
from qfuzz.model.observation import Capture, Ending, Entry, Kind, Status, Tree, file_entry
from qfuzz.model.task import Fixture

_SIDE_PREFIX = f"{SIDE_FILES}/".encode()
_KINDS = (Kind.FILE, Kind.DIR, Kind.SYMLINK, Kind.FIFO, Kind.SOCKET, Kind.OTHER)
_MOST_SHELLS = 1 << 20
_ENDINGS = {messages.EXITED: Ending.EXIT, messages.SIGNALED: Ending.SIGNAL, messages.TIMED_OUT: Ending.TIMEOUT}


class ProtocolError(Exception):
    """An answer that no agent in good health gives."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent said about one run. `git` None: there is no repository. `spent`: use the jail no more.

    `status` None: nothing ran, because of `error` (with `errno`); `laid` tells whether the fixture was there by then,
    `served` whether the service of a path of the user's own was. Of such a path: `shells` started, `left` something
    alive, and `early`, the shell that runs the reply among it.
    """

    status: Status | None
    stdout: Capture
    stderr: Capture
    tree: Tree
    git: Tree | None
    seconds: float
    spent: bool
    arrived: bytes | None = None
    limit: str = ""
    errno: int = 0
    error: str = ""
    laid: bool = True
    served: bool = True
    shells: int = 0
    left: bool = False
    early: bool = False


@dataclass(frozen=True, slots=True)
class _PackedFixture:
    counts: tuple[int, int, int]
    fields: Sequence[bytes] = field(repr=False)


@functools.lru_cache(maxsize=64)
def _pack_fixture(fixture: Fixture) -> _PackedFixture:
    files = [(file.path, file.content, file.mode) for file in fixture.files]
    directories = list(fixture.dirs)
    if fixture.git is not None:
        repository = repository_files(fixture)
        files += repository.files
        directories += repository.directories
    links = fixture.symlinks
    directories = _with_parents(directories, [path for path, _, _ in files] + [link.path for link in links])
    fields = [
        *directories,
        *(path for path, _, _ in files),
        *(content for _, content, _ in files),
        _pack_modes([mode for _, _, mode in files]),
        *(link.path for link in links),
        *(link.target for link in links),
    ]
    return _PackedFixture((len(directories), len(files), len(links)), fields)


def _with_parents(directories: Sequence[bytes], others: Sequence[bytes]) -> list[bytes]:
    """The directories and those that lead to them and to the other paths, each after its parent."""
    found = set(directories)
    for path in (*directories, *others):
        parts = path.split(b"/")
        found.update(b"/".join(parts[:depth]) for depth in range(1, len(parts)))
    return sorted(found, key=lambda path: path.split(b"/"))


def _pack_modes(modes: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(modes)}I", *modes)


def pack_request(execution: Execution, side_files: str = SIDE_FILES) -> bytes:
    """The frame that asks an agent for this run; raises FrameError where it is too large, or no command.

    `side_files` is where the agent keeps side files, for one that can't keep them at SIDE_FILES: arguments that are
    paths below SIDE_FILES are changed to lead there.
    """
    launch = execution.launch
    argv = launch.argv
    if any(b"\0" in word for word in (launch.executable, *argv)):
        raise frames.FrameError("an argument holds a NUL")
    if side_files != SIDE_FILES:
        prefix = f"{side_files}/".encode()
        argv = tuple(
            prefix + word.removeprefix(_SIDE_PREFIX) if word.startswith(_SIDE_PREFIX) else word for word in argv
        )
    packed = _pack_fixture(execution.fixture)
    flags = (
        (messages.REQUEST_STDIN if launch.stdin is not None else 0)
        | (messages.REQUEST_TAP if execution.tap is not Tap.OFF else 0)
        | (messages.REQUEST_STOP if execution.tap is Tap.STOP else 0)
        | (messages.REQUEST_OWN if launch.own is not None else 0)
    )
    head = messages.REQUEST.pack(
        execution.timeout_seconds, flags, launch.inner_shells, len(launch.argv), *packed.counts, len(launch.files)
    )
    fields = [head, launch.executable, *argv]
    if launch.stdin is not None:
        fields.append(launch.stdin)
    if launch.own is not None:
        service, ready = launch.own.service, launch.own.ready
        fields += [
            messages.OWN.pack(execution.shells, launch.own.ready_seconds, len(service), len(ready)),
            *(*service, *ready),
        ]
    fields += packed.fields
    for side_file in launch.files:
        assert side_file.path.startswith(_SIDE_PREFIX), f"side file outside {SIDE_FILES}: {side_file.path!r}"
        fields.append(side_file.path[len(_SIDE_PREFIX) :])
    fields += [side_file.content for side_file in launch.files]
    fields.append(_pack_modes([side_file.mode for side_file in launch.files]))
    return frames.pack(fields)


def read_answer(fields: Sequence[bytes]) -> Answer:
    """An answer from its fields; raises ProtocolError for anything that is not exactly one."""
    if len(fields) < 4 or len(fields[0]) != messages.ANSWER.size:
        raise ProtocolError("the answer has no head")
    outcome, value, flags, seconds, paths, git_paths, shells = messages.ANSWER.unpack(fields[0])
    if len(fields) != 4 + 3 * (paths + git_paths):
        raise ProtocolError(f"{len(fields)} fields for {paths} paths and {git_paths} of a repository")
    if not 0 <= seconds < 1e6:
        raise ProtocolError(f"the run took {seconds} seconds")
    ending = _ENDINGS.get(outcome)
    if shells > _MOST_SHELLS:
        raise ProtocolError(f"{shells} shells started")
    if ending is None and outcome not in (messages.NOT_STARTED, messages.NOT_LAID, messages.NOT_SERVED):
        raise ProtocolError(f"outcome {outcome}")
    git_start = 4 + 3 * paths
    return Answer(
        status=None if ending is None else Status(ending, value),
        stdout=Capture(fields[1], bool(flags & messages.ANSWER_STDOUT_CUT)),
        stderr=Capture(fields[2], bool(flags & messages.ANSWER_STDERR_CUT)),
        tree=_read_tree(fields[4:git_start], paths, bool(flags & messages.ANSWER_TREE_CUT)),
        git=_read_tree(fields[git_start:], git_paths, bool(flags & messages.ANSWER_GIT_CUT))
        if flags & messages.ANSWER_GIT
        else None,
        seconds=seconds,
        spent=bool(flags & messages.ANSWER_SPENT),
        arrived=fields[3] if flags & messages.ANSWER_ARRIVED else None,
        limit="memory" if flags & messages.ANSWER_MEMORY else "output" if flags & messages.ANSWER_OUTPUT else "",
        errno=0 if ending else value,
        error="" if ending else fields[3].decode("utf-8", "backslashreplace"),
        laid=outcome != messages.NOT_LAID,
        served=outcome != messages.NOT_SERVED,
        shells=shells,
        left=bool(flags & messages.ANSWER_LEFT),
        early=bool(flags & messages.ANSWER_EARLY),
    )


def _read_tree(fields: Sequence[bytes], count: int, truncated: bool) -> Tree:
    entries = {}
    for path, meta, content in zip(fields[:count], fields[count : 2 * count], fields[2 * count :], strict=True):
        if len(meta) != tree.META.size:
            raise ProtocolError(f"{len(meta)} bytes describe {path!r}")
        kind, mode, cut = tree.META.unpack(meta)
        if kind >= len(_KINDS):
            raise ProtocolError(f"{path!r} is of kind {kind}")
        if path in entries or not path:
            raise ProtocolError(f"the path {path!r} is there twice or empty")
        found = _KINDS[kind]
        entries[path] = (
            file_entry(mode, content, bool(cut)) if found is Kind.FILE else Entry(found, mode, content, bool(cut))
        )
    return Tree(entries, truncated)
