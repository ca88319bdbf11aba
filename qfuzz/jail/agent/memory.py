"""Watching how much memory the processes of a run hold. No limit of the kernel counts them together."""

from __future__ import annotations

import os
from collections.abc import Callable

_PAGE = os.sysconf("SC_PAGE_SIZE")


class MemoryWatch:
    """Names the limit "memory" once the processes of a run hold more than `limit_bytes` together.

    Resident pages are summed first; shared ones count once a process there, so a sum over the limit is checked
    against the proportional size. Shared anonymous memory can be held without being resident: growth of all shared
    memory of the machine by more than the limit counts where these processes have as much address space.
    """

    def __init__(self, proc: int, list_pids: Callable[[], list[str]], limit_bytes: int) -> None:
        """`proc` is a descriptor of a /proc, `list_pids` lists the run's processes as they are called there."""
        self._proc = proc
        self._list_pids = list_pids
        self._limit = limit_bytes
        self._shared_before: int | None = None

    def look(self) -> str:
        information = self._machine()
        shared, available = information.get(b"Shmem", 0), information.get(b"MemAvailable", 0)
        if self._shared_before is None:
            self._shared_before = shared
        pids = self._list_pids()
        size = resident = 0
        for pid in pids:
            fields = self._read(f"{pid}/statm").split()
            if len(fields) > 1:
                size += int(fields[0]) * _PAGE
                resident += int(fields[1]) * _PAGE
        if resident > self._limit and sum(map(self._proportional, pids)) > self._limit:
            return "memory"
        if shared - self._shared_before > self._limit and size > self._limit:
            return "memory"
        # The machine is about to run out, and this run is a good part of the reason.
        if available < self._limit // 8 and resident > self._limit // 4:
            return "memory"
        return ""

    def _proportional(self, pid: str) -> int:
        for line in self._read(f"{pid}/smaps_rollup").splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
        return 0

    def _machine(self) -> dict[bytes, int]:
        found = {}
        for line in self._read("meminfo").splitlines():
            name, _, value = line.partition(b":")
            if name in (b"Shmem", b"MemAvailable"):
                found[name] = int(value.split()[0]) * 1024
        return found

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
