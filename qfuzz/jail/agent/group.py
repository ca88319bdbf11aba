"""Processes without a namespace: found by descent, killed one by one. For reviewed replies only."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

from . import linux
from .command import ENDED, Command
from .memory import MemoryWatch


class ProcessGroup:
    """What the agent started, wherever it went: orphans come back to the agent as their subreaper."""

    def __init__(self, memory_bytes: int) -> None:
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1, "child_subreaper")
        self._memory_bytes = memory_bytes
        self._proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)

    def is_empty(self) -> bool:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        return not self._pids()

    def end_others(self, run: Command) -> None:
        """Kills the run's process group, then descendants until there is none."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        if run.how != ENDED:
            os.waitpid(run.pid, 0)
        while True:
            pids = self._pids()
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return

    def watch(self) -> Callable[[], str]:
        return MemoryWatch(self._proc, self._pids, lambda: 0, self._memory_bytes).look

    def unharmed(self) -> bool:
        return True

    def pid_inside(self, pid: int) -> int:
        return pid

    def is_running(self, pid: int) -> bool:
        return linux.is_running(self._proc, pid)

    def _pids(self) -> list[str]:
        """All descendants of the agent."""
        children: dict[int, list[int]] = {}
        for name in os.listdir(self._proc):
            if name.isdigit():
                children.setdefault(self._parent(name), []).append(int(name))
        found: list[int] = []
        waiting = [os.getpid()]
        while waiting:
            below = children.get(waiting.pop(), [])
            found += below
            waiting += below
        return [str(pid) for pid in found]

    def _parent(self, pid: str) -> int:
        try:
            fd = os.open(f"{pid}/stat", os.O_RDONLY, dir_fd=self._proc)
        except OSError:
            return 0
        try:
            # The name in parentheses may hold anything.
            return int(os.read(fd, 1 << 12).rpartition(b")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            return 0
        finally:
            os.close(fd)
