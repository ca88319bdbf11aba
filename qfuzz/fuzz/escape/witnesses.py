"""Witnesses of earlier runs, in Hypothesis's example database: one set of words a target and lane."""

from __future__ import annotations

from hypothesis.database import ExampleDatabase

from qfuzz.fuzz.escape.lane import Lane


class Witnesses:
    """The words of one target in `database`, which it closes if that can be closed. Raises what the database raises."""

    def __init__(self, database: ExampleDatabase, target: str) -> None:
        self._database = database
        self._target = target

    def known(self, lane: Lane) -> list[bytes]:
        """Sorted, so that the order in which a database gives them decides nothing."""
        return sorted(self._database.fetch(self._key(lane)))

    def add(self, lane: Lane, word: bytes) -> None:
        self._database.save(self._key(lane), word)

    def remove(self, lane: Lane, word: bytes) -> None:
        self._database.delete(self._key(lane), word)

    def close(self) -> None:
        close = getattr(self._database, "close", None)
        if close is not None:
            close()

    def _key(self, lane: Lane) -> bytes:
        parts = ("escape", self._target, lane.shell.name, lane.context.value)
        return b"\0".join(part.encode("utf-8", "surrogateescape") for part in parts)
