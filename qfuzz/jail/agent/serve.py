"""One run after another: lay, start, wait, kill, read, wipe, check, answer."""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from . import command, files, messages, tree

_ROOT_MODE = 0o7777


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
        self.timeout, self.flags, self.layers, argv, directories, file_count, symlinks, side_files = numbers
        rest = iter(fields[1:])

        def take(count: int) -> list[bytes]:
            return [next(rest) for _ in range(count)]

        self.executable = next(rest)
        self.argv = take(argv)
        self.stdin = next(rest) if self.flags & messages.REQUEST_STDIN else None
        self.directories = take(directories)
        self.files = list(zip(take(file_count), take(file_count), _modes(next(rest))))
        self.symlinks = take(symlinks), take(symlinks)
        self.side_files = list(zip(take(side_files), take(side_files), _modes(next(rest))))
        self.shell = next(rest)
        self.arrived = next(rest) if self.flags & messages.REQUEST_ARRIVED else None


def _modes(packed: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(packed) // 4}I", packed)


class Place:
    """A directory that a reply can write. It must be empty, with its mode and no attributes, before the next reply."""

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        self._mode = os.fstat(self.fd).st_mode & _ROOT_MODE
        self._attributes = os.listxattr(self.fd)

    def restore(self) -> bool:
        """Whether the directory is as it was."""
        files.wipe(self.fd)
        if os.fstat(self.fd).st_mode & _ROOT_MODE != self._mode:
            os.fchmod(self.fd, self._mode)
        return os.listxattr(self.fd) == self._attributes


@dataclass(frozen=True)
class Surroundings:
    """What differs between a jail and a bare directory.

    `end_others` kills all that a run left alive. `watch` makes a fresh check of one run's memory. `unharmed` says
    whether the next run finds what this one found.
    """

    work: Place
    others: tuple[Place, ...]
    side: int
    environment: Mapping[bytes, bytes]
    channel: int
    end_others: Callable[[int, int], None]
    watch: Callable[[], Callable[[], str]]
    unharmed: Callable[[], bool]


def serve(request: Request, around: Surroundings, bounds: Bounds) -> list[bytes] | None:
    """The answer's fields; None when the host has gone."""
    work = around.work.fd
    try:
        files.lay_directories(work, request.directories)
        for path, content, mode in request.files:
            files.lay_file(work, path, content, mode)
        files.lay_symlinks(work, *request.symlinks)
        for path, content, mode in request.side_files:
            files.lay_side_file(around.side, path, content, mode)
    except OSError as error:
        return _no_run(messages.NOT_LAID, error, around)
    try:
        run = command.Command(
            request.executable,
            request.argv,
            around.environment,
            request.stdin,
            bounds.output_bytes,
            bounds.discarded_bytes,
        )
    except OSError as error:
        return _no_run(messages.NOT_STARTED, error, around)
    try:
        run.wait(around.channel, request.timeout, around.watch())
        if run.how == command.ABANDONED:
            return None
        around.end_others(run.pid, run.how)
        run.drain()
    finally:
        run.close()
    return _answer(run, around, bounds)


def _no_run(outcome: int, error: OSError, around: Surroundings) -> list[bytes]:
    spent = _restore(around)
    head = messages.ANSWER.pack(outcome, (error.errno or 0) & 255, spent, 0.0, 0, 0)
    return [head, b"", b"", str(error).encode("utf-8", "surrogateescape")]


def _answer(run: command.Command, around: Surroundings, bounds: Bounds) -> list[bytes]:
    seen = tree.TreeReader(bounds.tree_paths, bounds.tree_depth, bounds.tree_bytes, bounds.file_bytes)
    seen.read(around.work.fd, skip=tree.GIT_NAME)
    flags = 0
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
    flags |= _restore(around)
    answer = [b"", run.out.data, run.err.data, b""]
    answer += seen.paths
    answer += seen.metas
    answer += seen.contents
    git_files = 0
    if repository is not None:
        git_files = len(repository.paths)
        answer += repository.paths
        answer += repository.metas
        answer += repository.contents
    answer[0] = messages.ANSWER.pack(outcome, value, flags, run.seconds, len(seen.paths), git_files)
    return answer


def _restore(around: Surroundings) -> int:
    """Wipes all places; ANSWER_SPENT where something can't be put back."""
    try:
        good = around.work.restore()
        for place in around.others:
            good &= place.restore()
        if os.listdir(around.side):
            files.wipe(around.side)
        good &= around.unharmed()
    except OSError:
        good = False
    return 0 if good else messages.ANSWER_SPENT
