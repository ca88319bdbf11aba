"""Hypothesis's example database as a table of the store, so that runs of `qfuzz fuzz` share what they found.

Apart from the store, for it loads Hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import RLock

from hypothesis.database import ExampleDatabase

from qfuzz.store.store import Store


class StoredExamples(ExampleDatabase):
    """The table `examples` of the store at `path`, which is made if it is not there.

    Any thread may call it, and any number of processes share a file. A row that is no pair of blobs is passed over, as
    if it were not there. Every method raises StoreError where the file can't be used: also where it may only be read,
    or the disk is full.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._store = Store(path, any_thread=True)
        self._lock = RLock()

    def close(self) -> None:
        with self._lock:
            self._store.close()

    def __enter__(self) -> StoredExamples:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredExamples) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"StoredExamples({str(self.path)!r})"

    def save(self, key: bytes, value: bytes) -> None:
        with self._lock:
            added = self._store.add_example(bytes(key), bytes(value))
        if added:
            self._broadcast_change(("save", (key, value)))

    def fetch(self, key: bytes) -> Iterable[bytes]:
        with self._lock:
            return self._store.examples(bytes(key))

    def delete(self, key: bytes, value: bytes) -> None:
        with self._lock:
            removed = self._store.remove_example(bytes(key), bytes(value))
        if removed:
            self._broadcast_change(("delete", (key, value)))

    def _start_listening(self) -> None:
        """Listeners hear of what this object changes; of other processes they hear nothing."""

    def _stop_listening(self) -> None:
        pass
