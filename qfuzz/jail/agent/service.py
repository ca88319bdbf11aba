"""A program that a path of the user's own needs beside it: started before the path, and asked whether it is ready."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping, Sequence

_ENV = b"/usr/bin/env"
_LOG = "service.log"
_PAUSE_SECONDS = 0.02
_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


class ServiceError(Exception):
    """The service did not become ready, or ended; the text says what was seen, in one line."""


class Service:
    """`words` are a command for env(1). Its output goes to a file in the directory `log`, with that of `ready`."""

    def __init__(self, words: Sequence[bytes], environment: Mapping[bytes, bytes], log: int) -> None:
        self._environment = environment
        self._log = os.open(_LOG, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600, dir_fd=log)
        self._folder = log
        self._pid = self._start(words)
        self._status: int | None = None

    def _start(self, words: Sequence[bytes]) -> int:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, b"/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, self._log, 1),
            (os.POSIX_SPAWN_DUP2, self._log, 2),
        ]
        return os.posix_spawn(
            _ENV,
            [b"env", *words],
            self._environment,
            file_actions=actions,
            setsid=True,
            setsigmask=(),
            setsigdef=_SIGNALS,
        )

    def wait_ready(self, ready: Sequence[bytes], seconds: float) -> None:
        """Runs `ready` until it ends with status 0; raises ServiceError after `seconds`, or where the service fails.

        A service that ends with status 0 before is one that goes on in the background.
        """
        end = time.monotonic() + seconds
        status: int | None = None
        while True:
            if self._poll() not in (None, 0):
                raise ServiceError(f"the service ended with status {self._status}{self._said()}")
            answer = self._asked(ready, end)
            if answer == 0:
                return
            status = status if answer is None else answer
            if time.monotonic() >= end:
                what = "gave no answer" if status is None else f"ended with status {status}"
                raise ServiceError(f"the service was not ready in {seconds:g} s: `ready` {what}{self._said()}")
            time.sleep(_PAUSE_SECONDS)

    def _asked(self, ready: Sequence[bytes], end: float) -> int | None:
        pid = self._start(ready)
        while True:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= end:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return None
            time.sleep(0.002)

    def stop(self) -> str:
        """Kills it; what went wrong with it since it was ready, or nothing."""
        fault = ""
        if self._status is None and self._poll() is not None:
            fault = f"the service ended while the path was in use, with status {self._status}{self._said()}"
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
        os.close(self._log)
        return fault

    @property
    def is_daemon(self) -> bool:
        """Whether it goes on in the background, where nobody waits for it."""
        return self._status == 0

    def _poll(self) -> int | None:
        if self._status is None:
            try:
                found, status = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:
                found, status = self._pid, 0
            if found:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def _said(self) -> str:
        """The last line that it, or `ready`, wrote."""
        try:
            fd = os.open(_LOG, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self._folder)
        except OSError:
            return ""
        try:
            os.lseek(fd, max(0, os.fstat(fd).st_size - 2_000), os.SEEK_SET)
            lines = os.read(fd, 2_000).decode("utf-8", "backslashreplace").split("\n")
        finally:
            os.close(fd)
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f", saying: {last[:300]}" if last else ""
