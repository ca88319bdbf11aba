"""Which set a task belongs to: the public one, the published held-out one, or one that the user named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from qfuzz.gen.heldout import HELD_OUT_NAME, HELD_OUT_VERSION, load_held_out
from qfuzz.gen.public import DATASET_VERSION, load_public
from qfuzz.model.content import sha256_hex
from qfuzz.model.task import Task
from qfuzz.store.keys import task_key

PUBLIC_NAME = "public"
UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class TaskSet:
    """`version` is empty where the set has none. `digest` binds the texts of its tasks, in no order: see `set_digest`.

    `keys` are the keys of its tasks, as the store has them.
    """

    name: str
    version: str
    digest: str
    keys: frozenset[str]

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}".strip()


def set_digest(keys: Iterable[str]) -> str:
    """SHA-256 over the keys of the tasks (each the SHA-256 of a task's whole text), sorted, one a line."""
    return sha256_hex("\n".join(sorted(keys)).encode())


def task_set(name: str, tasks: Iterable[Task], version: str = "") -> TaskSet:
    keys = frozenset(map(task_key, tasks))
    return TaskSet(name, version, set_digest(keys), keys)


def shipped_sets() -> list[TaskSet]:
    """The sets that this version of qfuzz holds."""
    return [
        task_set(PUBLIC_NAME, load_public(), DATASET_VERSION),
        task_set(HELD_OUT_NAME, load_held_out(), HELD_OUT_VERSION),
    ]


def named_sets(tasks: Mapping[str, Iterable[Task]]) -> list[TaskSet]:
    """Sets by the name that the user gave; one that is shipped goes by its own name and version."""
    shipped = {each.keys: each for each in shipped_sets()}
    given = (task_set(name, found) for name, found in tasks.items())
    return [shipped.get(each.keys, each) for each in given]


def sets_of(stored: Iterable[str]) -> list[TaskSet]:
    """The sets that the stored tasks belong to: shipped ones, and one for all others."""
    keys = frozenset(stored)
    known = [each for each in shipped_sets() if each.keys & keys]
    rest = keys.difference(*(each.keys for each in known))
    return [*known, *([TaskSet(UNNAMED, "", set_digest(rest), rest)] if rest else [])]
