"""Reading breaker files: every case with its place, its name, and the work directory that it runs in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from qfuzz.gen.public import load_public
from qfuzz.model.case import DIGEST_DIGITS, Case, Expect, TaskName
from qfuzz.model.case_codec import decode_case, encode_case, identity, ordered
from qfuzz.model.content import sha256_hex
from qfuzz.model.errors import InputError
from qfuzz.model.jsonl import read_records
from qfuzz.model.task import Fixture, Task
from qfuzz.model.text import one_line
from qfuzz.store.keys import task_key

_NAME_DIGITS = 6

Tasks = Callable[[], Mapping[str, Task]]
"""Answers with the tasks that cases may name; asked only if one does."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A case of a file. `where` is `file:line`; `name` is readable, and unique in the file.

    `task` and `fixture` are what the case names: the fixture of the task, or its own.
    """

    case: Case
    where: str
    name: str
    task: Task | None
    fixture: Fixture


def public_by_id() -> Mapping[str, Task]:
    """The public tasks, which every case may name."""
    return {task.task_id: task for task in load_public()}


def read_cases(path: Path, tasks: Tasks = public_by_id, *, name: str = "") -> tuple[Placed, ...]:
    """The cases of one file, in its order. Places call the file `name`, where that is not its path.

    Raises InputError with `file:line` for a line that is no case, names a task that is unknown or was edited since, or
    repeats another one; and for a file that can't be read or holds none.
    """
    found: list[tuple[Case, str]] = []
    first: dict[bytes, int] = {}
    called = name or str(path)
    for record in read_records(path, decode_case, name=called, what="breaker"):
        where = f"{called}:{record.number}"
        earlier = first.setdefault(identity(record.value), record.number)
        if earlier != record.number:
            raise InputError(f"the same transport, reply and task as line {earlier}", where=where)
        found.append((record.value, where))
    names = names_of([case for case, _ in found])
    return tuple(_placed(case, where, name, tasks) for (case, where), name in zip(found, names, strict=True))


def _placed(case: Case, where: str, name: str, tasks: Tasks) -> Placed:
    task = case.task
    if isinstance(task, TaskName):
        known = tasks().get(task.task_id)
        if known is None:
            raise InputError(f"unknown task {task.task_id!r}", where=where, hint="name its task set with --tasks")
        if task_name(known) != task:
            raise InputError(f"task {task.task_id!r} was edited since", where=where, hint="export the breaker again")
        task = known
    return Placed(case, where, name, task, case.fixture if task is None else task.fixture)


def task_name(task: Task) -> TaskName:
    return TaskName(task.task_id, task_key(task)[:DIGEST_DIGITS])


def names_of(cases: Iterable[Case]) -> list[str]:
    """`task over transport`, and the start of a digest of the case where that alone would name several."""
    listed = list(cases)
    plain = [one_line(f"{case.label} over {case.transport}") for case in listed]
    several = Counter(plain)
    return [
        name if several[name] == 1 else f"{name} {sha256_hex(identity(case))[:_NAME_DIGITS]}"
        for name, case in zip(plain, listed, strict=True)
    ]


def over(transport: str, files: Iterable[tuple[Placed, ...]]) -> tuple[Placed, ...]:
    """The different programs of these files over another transport, which each is expected to survive.

    `where` is the first place that a program has.
    """
    moved: dict[bytes, Placed] = {}
    for placed in (each for cases in files for each in cases):
        case = Case(transport, Expect.SURVIVES, placed.case.program, task=placed.case.task, fixture=placed.case.fixture)
        moved.setdefault(identity(case), replace(placed, case=case))
    names = names_of(placed.case for placed in moved.values())
    return tuple(replace(placed, name=name) for placed, name in zip(moved.values(), names, strict=True))


def file_bytes(cases: Iterable[Case]) -> bytes:
    """The content of a breaker file: the same for the same cases, in whatever order they come."""
    return b"".join(map(encode_case, ordered(cases)))
