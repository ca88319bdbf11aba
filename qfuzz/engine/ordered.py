"""A parallel map that keeps the order of its input and a bounded number of items in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_WINDOW_PER_JOB = 16


def ordered_map(
    function: Callable[[Item], Answer], items: Iterable[Item], jobs: int, window_per_job: int = _WINDOW_PER_JOB
) -> Iterator[Answer]:
    """`function` of each item, `jobs` at a time, in the order of the items, which are read lazily.

    `window_per_job` items a job are read ahead. What `function` raises is raised here, at its item's turn. Closing
    early cancels what has not begun.
    """
    waiting = iter(items)
    running: deque[Future[Answer]] = deque()
    workers = ThreadPoolExecutor(jobs, thread_name_prefix="qfuzz-work")
    try:
        while True:
            for item in waiting:
                running.append(workers.submit(function, item))
                if len(running) >= jobs * window_per_job:
                    break
            if not running:
                return
            yield running.popleft().result()
    finally:
        workers.shutdown(wait=False, cancel_futures=True)
