"""A run over a path of the user's own, of which nothing is known but what its processes do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from . import messages
from .service import Service
from .shells import Shells, Started

_GRACE_SECONDS = 0.05
"""What ends together with its parent may still be about to when that one has ended."""


class Own:
    """What a request says of such a path."""

    def __init__(self, head: bytes, take: Callable[[int], list[bytes]]) -> None:
        self.shell, self.ready_seconds, service, ready = messages.OWN.unpack(head)
        self.service = take(service)
        self.ready = take(ready)


class Space(Protocol):
    """The processes of a run, as `serve.Space`."""

    def is_empty(self) -> bool: ...

    def is_running(self, pid: int) -> bool: ...


class OwnPath:
    """One run: `begin`, then the command, `look` when it has ended, `end` when all else has.

    Without `shells` nothing is watched. Afterwards `flags` are those of the answer, and `fault` says why the run is
    void, or nothing.
    """

    def __init__(self, own: Own, shells: Shells | None, space: Space, log: int) -> None:
        self._own = own
        self._shells = shells
        self._space = space
        self._log = log
        self._service: Service | None = None
        self._started: list[Started] = []
        self.flags = 0
        self.fault = ""

    def begin(self, environment: Mapping[bytes, bytes], *, stopped: bool, cwd: int) -> Mapping[bytes, bytes]:
        """Starts the service, and then stands in for shells. The environment of the command.

        Raises ServiceError, and OSError; `end` must follow in any case. `cwd`, the service's, is left current.
        """
        os.fchdir(cwd)
        if self._own.service:
            self._service = Service(self._own.service, environment, self._log)
            self._service.wait_ready(self._own.ready, self._own.ready_seconds)
        if self._shells is None:
            return environment
        return self._shells.lay(environment, self._own.shell if stopped else 0)

    def look(self, *, ended: bool) -> None:
        """What is alive now. `ended`: the command did, by itself."""
        is_daemon = self._service is not None and self._service.is_daemon
        if self._service is not None:
            self.fault = self._service.stop()
            self._service = None
        if not ended or is_daemon:
            return
        until = time.monotonic() + _GRACE_SECONDS
        while not self._space.is_empty():
            if time.monotonic() >= until:
                self.flags |= messages.ANSWER_LEFT
                break
            time.sleep(0.002)
        if self.flags and self._is_running(self._own.shell):
            self.flags |= messages.ANSWER_EARLY

    def _is_running(self, shell: int) -> bool:
        started = [] if self._shells is None else self._shells.started()
        return 0 < shell <= len(started) and self._space.is_running(started[shell - 1].pid)

    def end(self) -> None:
        """Ends the service, if nobody did, and takes the stand-ins away."""
        if self._service is not None:
            self._service.stop()
            self._service = None
        if self._shells is not None:
            self._started = self._shells.started()
            self._shells.lift()

    def count(self) -> int:
        """How many shells started."""
        return len(self._started)

    def arrived(self) -> bytes | None:
        """The program of the shell that is meant, or the programs of all, joined by NUL."""
        if not self._own.shell:
            return b"\0".join(one.text or b"" for one in self._started)
        return self._started[self._own.shell - 1].text if self._own.shell <= len(self._started) else None
