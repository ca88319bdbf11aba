"""Watching how much memory the processes of a run hold. No limit of the kernel counts them together."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SOCKET_BYTES = 208 << 10
"""What Linux lets a socket buffer by default (net.core.wmem_default)."""


class _Machine(NamedTuple):
    """Bytes of shared and of available memory of the whole machine."""

    shared: int
    available: int


class MemoryWatch:
    """Names the limit "memory" once the processes of a run hold more than `limit_bytes` together.

    Resident pages are summed first; shared ones count once a process there, so a sum over the limit is checked
    against the proportional size. What is held without being resident is seen by what the machine loses: growth of
    all shared memory, or loss of available memory, by more than the limit counts where these processes have as much
    address space, or sockets that can buffer as much.
    """

    def __init__(
        self, proc: int, list_pids: Callable[[], list[str]], count_sockets: Callable[[], int], limit_bytes: int
    ) -> None:
        """`proc` is a descriptor of a /proc, `list_pids` lists the run's processes as they are called there."""
        self._proc = proc
        self._list_pids = list_pids
        self._count_sockets = count_sockets
        self._limit = limit_bytes
        self._before: _Machine | None = None

    def look(self) -> str:
        now = self._machine()
        if self._before is None:
            self._before = now
        pids = self._list_pids()
        size = resident = 0
        for pid in pids:
            fields = self._read(f"{pid}/statm").split()
            if len(fields) > 1:
                size += int(fields[0]) * _PAGE
                resident += int(fields[1]) * _PAGE
        buffered = self._count_sockets() * _SOCKET_BYTES
        limit = self._limit
        exceeded = (
            (resident > limit and sum(map(self._proportional, pids)) > limit)
            or (now.shared - self._before.shared > limit and size > limit)
            or (self._before.available - now.available > limit and buffered > limit)
            # The machine is about to run out, and this run is a good part of the reason.
            or (now.available < limit // 8 and resident + buffered > limit // 4)
        )
        return "memory" if exceeded else ""

    def _proportional(self, pid: str) -> int:
        for line in self._read(f"{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
        return 0

    def _machine(self) -> _Machine:
        found = {}
        for line in self._read("meminfo").splitlines():
            name, _, value = line.partition(b":")
            if name in (b"Shmem", b"MemAvailable"):
                found[name] = int(value.split()[0]) * 1024
        return _Machine(found.get(b"Shmem", 0), found.get(b"MemAvailable", 0))

    def _read(self, path: str) -> bytes:
        """A file of /proc, or nothing where the process has ended meanwhile."""
        try:
            fd = os.open(path, os.O_RDONLY, dir_fd=self._proc)
        except OSError:
            return b""
        try:
            return os.read(fd, 1 << 16)
        except OSError:
            return b""
        finally:
            os.close(fd)
