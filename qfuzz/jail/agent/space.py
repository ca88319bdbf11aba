"""The process space of replies: a pid namespace below the agent's own, in which the agent can't be seen.

What can't be seen can't be signalled, traced, re-limited, reniced or pinned. The space has an init of its own that
does nothing; it keeps the agent's capabilities, so a reply may not trace it either. A space in which a reply left
anything alive is destroyed as a whole, which the kernel does without a race, and a new one is made.
"""

from __future__ import annotations

import contextlib
import os
import signal

from . import linux

_PROC_FLAGS = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC


class SpaceError(Exception):
    """The process space could not be made; the text says which step failed."""


class ProcessSpace:
    """Processes that the agent starts are born into it. `proc` is its /proc, `own_proc` the agent's (descriptors)."""

    def __init__(self) -> None:
        self._own_space = os.open("/proc/self/ns/pid", os.O_RDONLY)
        self.own_proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self._own_children = _open_children(self.own_proc)
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
        self.proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        self._init_children = _open_children(self.proc)
        self._only_init = b"%d " % self._init

    def is_empty(self) -> bool:
        """Whether nothing lives here but init.

        Every process of the space descends from a child of init or of the agent: orphans go to init, and clone with
        CLONE_PARENT makes a sibling, which is a child of the agent.
        """
        if os.waitpid(self._init, os.WNOHANG)[0]:
            return False
        if self._own_children is None or self._init_children is None:
            return sum(name.isdigit() for name in os.listdir(self.proc)) == 1
        return os.pread(self._own_children, 64, 0) == self._only_init and not os.pread(self._init_children, 1, 0)

    def renew(self) -> None:
        """Kills everything in the space, waits until it is gone, and makes a new one; raises SpaceError or OSError."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._init, signal.SIGKILL)
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        os.close(self.proc)
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
