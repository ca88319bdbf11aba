"""One run after another: lay, start, wait, kill, read, wipe, check, answer."""

from __future__ import annotations

import os
import signal
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from . import command, files, messages, tree
from .own_path import Own, OwnPath
from .service import ServiceError
from .shells import Shells
from .tap import Tap

_ROOT_MODE = 0o7777
_SETTLE_SECONDS = 1.0


@dataclass(frozen=True)
class Bounds:
    """How much of what a run leaves is reported."""

    output_bytes: int
    discarded_bytes: int
    tree_paths: int
    tree_depth: int
    tree_bytes: int
    file_bytes: int
    git_paths: int
    git_bytes: int


class Request:
    """A request's fields by name."""

    def __init__(self, fields: list[bytes]) -> None:
        numbers = messages.REQUEST.unpack(fields[0])
        self.timeout, flags, self.inner_shells, argv, directories, file_count, symlinks, side_files = numbers
        self.tapped = bool(flags & messages.REQUEST_TAP)
        self.stopped = bool(flags & messages.REQUEST_STOP)
        rest = iter(fields[1:])

        def take(count: int) -> list[bytes]:
            return [next(rest) for _ in range(count)]

        self.executable = next(rest)
        self.argv = take(argv)
        self.stdin = next(rest) if flags & messages.REQUEST_STDIN else None
        self.own = Own(next(rest), take) if flags & messages.REQUEST_OWN else None
        self.directories = take(directories)
        self.files = list(zip(take(file_count), take(file_count), _modes(next(rest))))
        self.symlinks = take(symlinks), take(symlinks)
        self.side_files = list(zip(take(side_files), take(side_files), _modes(next(rest))))


def _modes(packed: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(packed) // 4}I", packed)


class Place:
    """A directory that a reply can write. It must be empty, with its mode and no attributes, before the next reply.

    `spared` are names in it that replies can't change and wiping must leave alone.
    """

    def __init__(self, path: str, spared: Sequence[str] = ()) -> None:
        self._spared = frozenset(spared)
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        self._mode = os.fstat(self.fd).st_mode & _ROOT_MODE
        self._attributes = os.listxattr(self.fd)

    def restore(self) -> bool:
        """Whether the directory is as it was."""
        files.wipe(self.fd, self._spared)
        if os.fstat(self.fd).st_mode & _ROOT_MODE != self._mode:
            os.fchmod(self.fd, self._mode)
        return os.listxattr(self.fd) == self._attributes


class Space(Protocol):
    """The processes of a run, besides the one that the agent waits for."""

    def is_empty(self) -> bool:
        """Whether nothing of the run is alive, once the process that the agent waits for has ended."""

    def end_others(self, run: command.Command) -> None:
        """Kills all that the run left alive and waits until it is gone."""

    def watch(self) -> Callable[[], str]:
        """A fresh check of one run's memory; it names the limit that is exceeded, or nothing."""

    def unharmed(self) -> bool:
        """Whether the next run finds what this one found."""

    def pid_inside(self, pid: int) -> int:
        """What the run's own processes call a child of the agent."""

    def is_running(self, pid: int) -> bool:
        """Whether a process of the run, as it calls itself, has not ended."""


@dataclass(frozen=True)
class Surroundings:
    """Where runs happen. `side` takes side files; `channel` leads to the host."""

    work: Place
    others: Sequence[Place]
    side: int
    tap: Tap
    shells: Shells
    environment: Mapping[bytes, bytes]
    channel: int
    space: Space


def serve(request: Request, around: Surroundings, bounds: Bounds) -> list[bytes] | None:
    """The answer's fields; None when the host has gone."""
    try:
        _lay(request, around)
    except OSError as error:
        return _no_run(messages.NOT_LAID, error, around)
    environment = around.environment
    own = None
    try:
        if request.own is not None:
            own = OwnPath(request.own, around.shells if request.tapped else None, around.space, around.others[-1].fd)
            environment = own.begin(environment, stopped=request.stopped, cwd=around.others[1].fd)
            os.fchdir(around.work.fd)
        elif request.tapped:
            shells = request.inner_shells if request.stopped else 0
            environment = {**environment, **around.tap.variables(environment[b"PATH"], shells)}
        run = command.Command(
            request.executable, request.argv, environment, request.stdin, bounds.output_bytes, bounds.discarded_bytes
        )
    except OSError as error:
        if own is not None:
            own.end()
        return _no_run(messages.NOT_STARTED, error, around)
    except ServiceError as error:
        assert own is not None
        own.end()
        return _no_run(messages.NOT_SERVED, error, around)
    try:
        first = around.space.pid_inside(run.pid) if request.tapped else 0
        run.wait(around.channel, request.timeout, around.space.watch())
        if own is not None:
            own.look(ended=run.how == command.ENDED)
        if request.tapped and run.how == command.ENDED:
            _settle(around.space)
        around.space.end_others(run)
        if run.how == command.ABANDONED:
            return None
        run.drain()
    finally:
        run.close()
        if own is not None:
            own.end()
    if own is not None:
        if own.fault:
            return _no_run(messages.NOT_SERVED, ServiceError(own.fault), around)
        return _answer(run, own.arrived(), around, bounds, own.flags, own.count())
    arrived = around.tap.arrived(first, request.inner_shells) if request.tapped else None
    return _answer(run, arrived, around, bounds)


def _settle(space: Space) -> None:
    """Waits a little for what a tapped run left in the background, or chance decides whether its shell is seen."""
    until = time.monotonic() + _SETTLE_SECONDS
    while not space.is_empty() and time.monotonic() < until:
        time.sleep(0.005)


def _lay(request: Request, around: Surroundings) -> None:
    work = around.work.fd
    files.lay_directories(work, request.directories)
    for path, content, mode in request.files:
        files.lay_file(work, path, content, mode)
    files.lay_symlinks(work, *request.symlinks)
    for path, content, mode in request.side_files:
        files.lay_side_file(around.side, path, content, mode)
    if request.tapped and request.own is None:
        around.tap.lay()


def _no_run(outcome: int, error: Exception, around: Surroundings) -> list[bytes]:
    spent = _restore(around)
    head = messages.ANSWER.pack(outcome, (getattr(error, "errno", 0) or 0) & 255, spent, 0.0, 0, 0, 0)
    return [head, b"", b"", str(error).encode("utf-8", "surrogateescape")]


def _answer(
    run: command.Command,
    arrived: bytes | None,
    around: Surroundings,
    bounds: Bounds,
    flags: int = 0,
    shells: int = 0,
) -> list[bytes]:
    seen = tree.TreeReader(bounds.tree_paths, bounds.tree_depth, bounds.tree_bytes, bounds.file_bytes)
    seen.read(around.work.fd, skip=tree.GIT_NAME)
    repository = None
    if tree.is_directory(around.work.fd, tree.GIT_NAME):
        repository = tree.TreeReader(bounds.git_paths, bounds.tree_depth, bounds.git_bytes, bounds.git_bytes)
        repository.read_below(around.work.fd, tree.GIT_NAME)
        flags |= messages.ANSWER_GIT | (messages.ANSWER_GIT_CUT if repository.truncated else 0)
    if run.how == command.ENDED:
        signaled = os.WIFSIGNALED(run.status)
        outcome = messages.SIGNALED if signaled else messages.EXITED
        value = os.WTERMSIG(run.status) if signaled else os.WEXITSTATUS(run.status)
    elif run.how == command.TIMED_OUT:
        outcome, value = messages.TIMED_OUT, 0
    else:
        outcome, value = messages.SIGNALED, signal.SIGKILL
    if seen.truncated:
        flags |= messages.ANSWER_TREE_CUT
    if run.out.truncated:
        flags |= messages.ANSWER_STDOUT_CUT
    if run.err.truncated:
        flags |= messages.ANSWER_STDERR_CUT
    if run.limit:
        flags |= messages.ANSWER_MEMORY if run.limit == "memory" else messages.ANSWER_OUTPUT
    if arrived is not None:
        flags |= messages.ANSWER_ARRIVED
    flags |= _restore(around)
    answer = [b"", run.out.data, run.err.data, arrived or b""]
    answer += seen.paths
    answer += seen.metas
    answer += seen.contents
    git_files = 0
    if repository is not None:
        git_files = len(repository.paths)
        answer += repository.paths
        answer += repository.metas
        answer += repository.contents
    answer[0] = messages.ANSWER.pack(outcome, value, flags, run.seconds, len(seen.paths), git_files, shells)
    return answer


def _restore(around: Surroundings) -> int:
    """Wipes all places; ANSWER_SPENT where something can't be put back."""
    try:
        good = around.work.restore()
        for place in around.others:
            good &= place.restore()
        if os.listdir(around.side):
            files.wipe(around.side)
        good &= around.space.unharmed()
    except OSError:
        good = False
    return 0 if good else messages.ANSWER_SPENT
