"""The same task with another payload."""

from __future__ import annotations

from qfuzz.gen.family import Payloads
from qfuzz.gen.loader import families
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task


def rebuild(task: Task, payloads: Payloads) -> Task:
    """`task` with its literal replaced everywhere: instruction, fixture, expectations, references, naive program.

    Names that are not the payload stay as they are. Raises UsageError for a task of no known family, ValueError for a
    payload that the family does not accept.
    """
    if task.family not in families():
        raise UsageError(f"task {task.task_id} is of no family known here, so its payload can't be replaced")
    stem = task.task_id.removeprefix(f"{task.family}/t{task.tier}-")
    return families()[task.family].build(payloads, task.tier, stem)
