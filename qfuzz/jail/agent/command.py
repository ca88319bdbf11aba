"""Starting one command, feeding and draining its pipes, and waiting for that process alone."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Mapping

ENDED, TIMED_OUT, OVER_LIMIT, ABANDONED = range(4)
"""The process ended; its time was up; `watch` named a limit; the host has gone."""

_PIPE_CAPACITY = 1 << 16
_FIRST_WAIT_SECONDS = 0.005
"""Pipes are looked at only after this long: most commands end sooner, and waking for each of their writes costs."""

_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


class Stream:
    """One output pipe. Keeps the first `keep` bytes and throws the rest away; `seen` counts all."""

    def __init__(self, keep: int) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.data = b""
        self.seen = 0
        self._keep = keep

    @property
    def truncated(self) -> bool:
        return self.seen > len(self.data)

    def drain(self) -> None:
        """Reads what is there, at most a few pipes full, so that a fast writer can't hold the caller."""
        for _ in range(16):
            try:
                chunk = os.read(self.reader, _PIPE_CAPACITY)
            except BlockingIOError:
                return
            if not chunk:
                return
            self.seen += len(chunk)
            room = self._keep - len(self.data)
            if room > 0:
                self.data += chunk[:room]
            if len(chunk) < _PIPE_CAPACITY:
                return

    def drain_all(self) -> None:
        """Reads to the end of what was written; only when nobody can write any more."""
        before = -1
        while self.seen != before:
            before = self.seen
            self.drain()

    def close(self) -> None:
        os.close(self.reader)
        os.close(self.writer)


class Feed:
    """A pipe that gives a command its standard input and is closed when all of it is written."""

    def __init__(self, data: bytes) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        self._rest = memoryview(data)
        self.pump()

    def pump(self) -> None:
        try:
            while self._rest:
                self._rest = self._rest[os.write(self.writer, self._rest) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            pass
        os.close(self.writer)
        self.writer = -1

    def started(self) -> None:
        """The command has its copy of the reading end; ours would keep writes from failing when it stops reading."""
        os.close(self.reader)

    def close(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)


class Command:
    """One run of a program. `how` and `status` (as waitpid gives it) say how it ended."""

    def __init__(
        self,
        executable: bytes,
        argv: list[bytes],
        environment: Mapping[bytes, bytes],
        stdin: bytes | None,
        keep_bytes: int,
        most_bytes: int,
    ) -> None:
        """Starts the program; raises OSError where it can't be executed.

        `keep_bytes` of each output stream are kept; writing more than `most_bytes` in all ends the run.
        """
        self._most_bytes = most_bytes
        self.out = Stream(keep_bytes)
        self.err = Stream(keep_bytes)
        self.feed = None if stdin is None else Feed(stdin)
        self.how = ENDED
        self.status = 0
        self.limit = ""
        source: tuple[object, ...] = (os.POSIX_SPAWN_OPEN, 0, b"/dev/null", os.O_RDONLY, 0)
        if self.feed is not None:
            source = (os.POSIX_SPAWN_DUP2, self.feed.reader, 0)
        actions = [source, (os.POSIX_SPAWN_DUP2, self.out.writer, 1), (os.POSIX_SPAWN_DUP2, self.err.writer, 2)]
        self.began = time.monotonic()
        try:
            self.pid = os.posix_spawn(
                executable, argv, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_SIGNALS
            )
        except OSError:
            self.close()
            raise
        if self.feed is not None:
            self.feed.started()

    def wait(self, channel: int, timeout: float, watch: Callable[[], str]) -> None:
        """Waits until the process ends, its time is up, or `watch` (asked every few milliseconds) names a limit.

        The process is reaped only in the first case. `channel` is watched for a host that has gone.
        """
        process = os.pidfd_open(self.pid)
        try:
            poll = select.poll()
            poll.register(process, select.POLLIN)
            poll.register(channel, select.POLLRDHUP)
            self.how = self._wait(poll, process, timeout, watch)
        finally:
            os.close(process)
        if self.how == ENDED:
            self.status = os.waitpid(self.pid, 0)[1]
        self.seconds = time.monotonic() - self.began

    def _wait(self, poll: select.poll, process: int, timeout: float, watch: Callable[[], str]) -> int:
        end = self.began + timeout
        pause = min(_FIRST_WAIT_SECONDS, timeout)
        next_look = self.began + 0.05
        pumping = False
        while True:
            events = poll.poll(pause * 1000)
            for fd, _ in events:
                if fd == process:
                    return ENDED
                if fd == self.out.reader:
                    self.out.drain()
                elif fd == self.err.reader:
                    self.err.drain()
                elif self.feed is not None and fd == self.feed.writer:
                    self.feed.pump()
                    if self.feed.writer < 0:
                        poll.unregister(fd)
                else:
                    return ABANDONED
            now = time.monotonic()
            if now >= end:
                return TIMED_OUT
            if self.out.seen + self.err.seen > self._most_bytes:
                self.limit = "output"
                return OVER_LIMIT
            if now >= next_look:
                self.limit = watch()
                if self.limit:
                    return OVER_LIMIT
                next_look = now + 0.02
            if not pumping:
                pumping = True
                poll.register(self.out.reader, select.POLLIN)
                poll.register(self.err.reader, select.POLLIN)
                if self.feed is not None and self.feed.writer >= 0:
                    poll.register(self.feed.writer, select.POLLOUT)
            pause = min(end, next_look) - now

    def drain(self) -> None:
        """Takes what is left in the pipes; everybody who could write is dead."""
        self.out.drain_all()
        self.err.drain_all()

    def close(self) -> None:
        self.out.close()
        self.err.close()
        if self.feed is not None:
            self.feed.close()
