"""The places of a pool, each with a jail that may be replaced, and the gate before them all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager

from qfuzz.jail.warm import Jail, JailError
from qfuzz.model.errors import HarnessError


class Slot:
    """A place for one jail of each kind, which may be replaced. One of several users is made when it is asked for."""

    def __init__(self, starter: ThreadPoolExecutor, start: Callable[[int, bool], Jail], index: int) -> None:
        self._starter = starter
        self._start = start
        self._index = index
        self._coming: dict[bool, Future[Jail]] = {}
        self._begin(False)

    def _begin(self, id_mapped: bool) -> None:
        self._coming[id_mapped] = self._starter.submit(self._start, self._index, id_mapped)

    def jail(self, id_mapped: bool = False) -> Jail:
        """The jail, once it is ready; raises what starting it raised."""
        if id_mapped not in self._coming:
            self._begin(id_mapped)
        try:
            return self._coming[id_mapped].result()
        except CancelledError:
            raise JailError("the pool is closed") from None

    def replace(self, id_mapped: bool = False) -> None:
        """Ends the jail and has another one started meanwhile."""
        self._end(self._coming[id_mapped])
        try:
            self._begin(id_mapped)
        except RuntimeError:
            raise HarnessError("the pool is closed") from None

    def close(self) -> None:
        for coming in self._coming.values():
            self._end(coming)

    def _end(self, coming: Future[Jail]) -> None:
        coming.cancel()
        if coming.done() and not coming.cancelled() and coming.exception() is None:
            coming.result().close()


class Gate:
    """Lets any number of runs through together, or one alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._changed:
            while self._alone:
                self._changed.wait()
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                if not self._inside:
                    self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        with self._changed:
            while self._alone:
                self._changed.wait()
            self._alone = True
            while self._inside:
                self._changed.wait()
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()
