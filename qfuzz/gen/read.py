"""Reading a task set, ours or a foreign one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from qfuzz.model.errors import InputError
from qfuzz.model.jsonl import Record, read_records
from qfuzz.model.task import Task
from qfuzz.model.task_codec import decode_task


def read_tasks(path: Path, on_bad: Callable[[InputError], None] | None = None) -> Iterator[Record[Task]]:
    """The tasks of a JSON Lines file with their line numbers, streamed.

    A task id that has occurred before is a bad line too. Raises InputError with `file:line` for the first bad line, or
    gives it to `on_bad` and goes on; see `read_records` for what always raises.
    """
    first_line: dict[str, int] = {}
    for record in read_records(path, decode_task, on_bad):
        task_id = record.value.task_id
        if task_id in first_line:
            error = InputError(
                f"task {task_id!r} occurs twice, first in line {first_line[task_id]}", where=f"{path}:{record.number}"
            )
            if on_bad is None:
                raise error
            on_bad(error)
            continue
        first_line[task_id] = record.number
        yield record
