"""Programs for transports to carry: every style of every reference, of the public set and of seeded variants."""

from __future__ import annotations

from collections.abc import Iterator

from qfuzz.gen.public import public_tasks
from qfuzz.gen.shape import Style
from qfuzz.gen.variants import variant_tasks
from qfuzz.model.task import Task

SEED = "conformance"
PER_FAMILY = 3


def programs() -> Iterator[tuple[Task, str, bytes]]:
    """Task, name of the program, program; more than 1,000 of them that are generated, all deterministic."""
    for task in public_tasks():
        yield from _of(task)
    for style in Style:
        for task in variant_tasks(SEED, style, per_family=PER_FAMILY):
            yield from _of(task)


def _of(task: Task) -> Iterator[tuple[Task, str, bytes]]:
    for name, program in task.references.items():
        yield task, name, program
    assert task.naive is not None
    yield task, "naive", task.naive
