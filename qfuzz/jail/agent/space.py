"""The process space of replies: a pid namespace below the agent's own, in which the agent can't be seen.

What can't be seen can't be signalled, traced, re-limited, reniced or pinned. The space has an init of its own that
does nothing; it keeps the agent's capabilities, so a reply may not trace it either. A space in which a reply left
anything alive is destroyed as a whole, which the kernel does without a race, and a new one is made.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

from . import linux
from .command import ENDED, Command
from .memory import MemoryWatch

_PROC_FLAGS = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC


class SpaceError(Exception):
    """The process space could not be made; the text says which step failed."""


class ProcessSpace:
    """Processes that the agent starts are born into it."""

    def __init__(self, memory_bytes: int) -> None:
        self._memory_bytes = memory_bytes
        self._own_space = os.open("/proc/self/ns/pid", os.O_RDONLY)
        self._own_proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self._own_children = _open_children(self._own_proc)
        self._sockets = os.open(f"{os.getpid()}/net/sockstat", os.O_RDONLY, dir_fd=self._own_proc)
        self._renewed = False
        self._open()

    def _open(self) -> None:
        if self._renewed:
            linux.setns(self._own_space, linux.CLONE_NEWPID)
            linux.umount("/proc/sys")
            linux.umount("/proc")
        self._renewed = True
        linux.unshare(linux.CLONE_NEWPID)
        ready, tell = os.pipe()
        self._init = os.fork()
        if self._init == 0:
            _be_init(tell)
        os.close(tell)
        answer = os.read(ready, 200)
        os.close(ready)
        if answer != b"ready":
            raise SpaceError(answer.decode("utf-8", "replace") or "init of the process space died")
        self._proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self._init_children = _open_children(self._proc)
        self._only_init = b"%d " % self._init

    def end_others(self, run: Command) -> None:
        """Kills what a run left alive; the kernel does it without a race when the space's init dies."""
        if run.how != ENDED or not self.is_empty():
            self._renew()

    def watch(self) -> Callable[[], str]:
        return MemoryWatch(self._proc, self._pids, self._count_sockets, self._memory_bytes).look

    def unharmed(self) -> bool:
        """A connection in TIME_WAIT outlives its processes and keeps its port."""
        return b" tw 0 " in os.pread(self._sockets, 512, 0)

    def _count_sockets(self) -> int:
        return int(os.pread(self._sockets, 64, 0).split()[2])

    def pid_inside(self, pid: int) -> int:
        """What a child of the agent is called in the space."""
        fd = os.open(f"{pid}/status", os.O_RDONLY, dir_fd=self._own_proc)
        try:
            status = os.read(fd, 1 << 13)
        finally:
            os.close(fd)
        return int(status.partition(b"\nNSpid:")[2].partition(b"\n")[0].split()[-1])

    def is_running(self, pid: int) -> bool:
        return linux.is_running(self._proc, pid)

    def _pids(self) -> list[str]:
        return [name for name in os.listdir(self._proc) if name.isdigit() and name != "1"]

    def is_empty(self) -> bool:
        """Whether nothing lives here but init.

        Every process of the space descends from a child of init or of the agent: orphans go to init, and clone with
        CLONE_PARENT makes a sibling, which is a child of the agent.
        """
        if os.waitpid(self._init, os.WNOHANG)[0]:
            return False
        if self._own_children is None or self._init_children is None:
            return not self._pids()
        return os.pread(self._own_children, 64, 0) == self._only_init and not os.pread(self._init_children, 1, 0)

    def _renew(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._init, signal.SIGKILL)
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        os.close(self._proc)
        if self._init_children is not None:
            os.close(self._init_children)
        self._open()


def _open_children(proc: int) -> int | None:
    try:
        return os.open("1/task/1/children", os.O_RDONLY, dir_fd=proc)
    except FileNotFoundError:
        # Kernels without CONFIG_PROC_CHILDREN.
        return None


def _be_init(tell: int) -> None:
    """Mounts /proc for the space, reports, drops all descriptors, and sleeps for good. Never returns."""
    try:
        linux.mount("proc", "/proc", "proc", _PROC_FLAGS)
        linux.mount("/proc/sys", "/proc/sys", "", linux.MS_BIND)
        linux.mount("", "/proc/sys", "", linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | _PROC_FLAGS)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            try:
                signal.signal(number, signal.SIG_DFL)
            except OSError:
                continue
        # The kernel reaps the children of a process that ignores SIGCHLD.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.chdir("/")
        os.write(tell, b"ready")
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        while True:
            signal.pause()
    except BaseException as error:
        os.write(tell, repr(error).encode()[:200])
        os._exit(1)
