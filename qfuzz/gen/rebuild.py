"""From a task back to its family: what the interchange format leaves out can be built again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qfuzz.gen.loader import families
from qfuzz.model.task import Task
from qfuzz.model.task_codec import encode_task


def reference_styles(task: Task) -> Mapping[str, bytes]:
    """The task's right programs by style name.

    A task that its family builds again to the byte has every style of the family; another one, of a foreign set or
    edited, has the reference that it carries, or none.
    """
    rebuilt = rebuild(task)
    if rebuilt is not None:
        return rebuilt.references
    return {} if task.reference is None else {"reference": task.reference}


def rebuild(task: Task) -> Task | None:
    """The same task as its family makes it now, or None where that is another one."""
    family = families().get(task.family)
    prefix = f"{task.family}/t{task.tier}-"
    if family is None or not task.task_id.startswith(prefix):
        return None
    try:
        built = family.build(task.payloads, task.tier, task.task_id.removeprefix(prefix))
    except ValueError:
        return None
    return built if encode_task(built) == encode_task(task) else None


def with_payloads(task: Task) -> Callable[[Mapping[str, bytes]], Task | None]:
    """A function from other payloads to the task that the family makes of them; None where it makes none.

    Of a task that its family does not make to the byte, none is made: it may be of a foreign set.
    """
    original = rebuild(task)
    if original is None:
        return lambda _: None
    family = families()[task.family]
    stem = task.task_id.removeprefix(f"{task.family}/t{task.tier}-")

    def build(payloads: Mapping[str, bytes]) -> Task | None:
        try:
            return family.build(payloads, task.tier, stem)
        except ValueError:
            return None

    return build
