"""The audit: whatever no expectation speaks of must be as the fixture laid it."""

from __future__ import annotations

from functools import lru_cache

from qfuzz.model.observation import Entry, Kind, Tree
from qfuzz.model.task import Task
from qfuzz.oracle.expect import expected_paths, shown
from qfuzz.oracle.laid import laid_entries, parents_of


def audit(task: Task, tree: Tree) -> str:
    """What is extra, changed or missing beside the expected files, in one line; empty if nothing is.

    A file of `may_create` may be there or not, as a regular file; so may the directories that lead to it or to an
    expected path.
    """
    if tree.truncated:
        return "the work directory holds more than can be read"
    spoken_of, free, free_parents, laid = _plan(task)
    for path, entry in tree.entries.items():
        if path in spoken_of:
            continue
        before = laid.get(path)
        if before is not None:
            if entry != before:
                return f"{shown(path)} was changed"
        elif path in free:
            if entry.kind is not Kind.FILE:
                return f"{shown(path)} is a {entry.kind.value}, not a regular file"
        elif not (path in free_parents and entry.kind is Kind.DIR):
            return f"{shown(path)} should not be there"
    missing = [path for path in laid if path not in tree.entries and path not in spoken_of]
    return f"{shown(min(missing))} is missing" if missing else ""


class _ById:
    """A task as a cache key by identity: hashing its contents would cost more than the plan does."""

    __slots__ = ("task",)

    def __init__(self, task: Task) -> None:
        self.task = task

    def __hash__(self) -> int:
        return id(self.task)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.task is self.task


_Plan = tuple[frozenset[bytes], frozenset[bytes], frozenset[bytes], dict[bytes, Entry]]


def _plan(task: Task) -> _Plan:
    return _cached_plan(_ById(task))


@lru_cache(maxsize=256)
def _cached_plan(key: _ById) -> _Plan:
    task = key.task
    spoken_of = expected_paths(task)
    free = frozenset(task.may_create)
    free_parents = frozenset(parent for path in spoken_of | free for parent in parents_of(path))
    return spoken_of, free, free_parents, laid_entries(task.fixture)
