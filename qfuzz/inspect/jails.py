"""One pool of jails for all scorers of a process: opened once, used from threads, closed when the process ends."""

from __future__ import annotations

import atexit
import threading

from qfuzz.jail.pool import Pool

_lock = threading.Lock()
_pools: dict[int, Pool] = {}


def shared_pool(jobs: int) -> Pool:
    """The pool with `jobs` jails; it is opened by whoever asks first. Raises HostError where no jail can be had."""
    with _lock:
        if jobs not in _pools:
            if not _pools:
                atexit.register(close_jails)
            _pools[jobs] = Pool(jobs)
        return _pools[jobs]


def close_jails() -> None:
    """End every jail. A scorer that is still at work fails, and a later one opens a pool again."""
    with _lock:
        pools = list(_pools.values())
        _pools.clear()
    atexit.unregister(close_jails)
    for pool in pools:
        pool.close()
