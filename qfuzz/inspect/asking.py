"""What one evaluation asks: its contract, its tasks, and the paths over which each reply is scored."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qfuzz.collect.clean import parse_rules
from qfuzz.collect.prompts import Contract, parse_contract
from qfuzz.engine.here import require_here
from qfuzz.gen.public import DATASET_VERSION, PUBLIC_DIGEST, load_public
from qfuzz.gen.read import read_tasks
from qfuzz.model.bounds import LEAST_SECONDS, MOST_JOBS, MOST_SECONDS
from qfuzz.model.content import JsonValue, sha256_hex
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

Several = str | int | Sequence[str | int] | None
"""A parameter of the command line that may be repeated: Inspect splits `a,b` into a list, and reads `1` as a number."""


@dataclass(frozen=True, slots=True)
class Asking:
    """`further_paths` are the transports beside direct; `rules` clean replies; `tasks` are by id, in order."""

    contract: Contract
    tasks: Mapping[str, Task]
    further_paths: tuple[Transport, ...]
    rules: tuple[str, ...]
    task_set: Mapping[str, JsonValue]


def make_asking(
    contract: str, tasks: str | None, families: Several, tiers: Several, transports: Several, clean: Several
) -> Asking:
    """From parameters as the command line gives them. Raises UsageError and InputError, and HostError for a path that
    can't be had here: before a model is asked, and paid."""
    wanted = parse_contract(contract)
    all_tasks, task_set = _task_set(tasks)
    chosen = _chosen(all_tasks, set(_texts(families)), set(_texts(tiers)))
    paths = [resolve(name) for name in _texts(transports)]
    if wanted.disclosed is not None:
        paths.insert(0, wanted.disclosed)
    further = {path.name: path for path in paths if path.name != "direct"}
    for path in further.values():
        require_here(path, "bwrap")
    return Asking(
        contract=wanted,
        tasks={task.task_id: task for task in chosen},
        further_paths=tuple(further.values()),
        rules=parse_rules(",".join(_texts(clean))),
        task_set=task_set,
    )


def checked_limits(jobs: object, timeout: object) -> tuple[int, float]:
    """Executions at a time, one for each core by default, and seconds for each. Raises UsageError for what the options
    of the command line would not take."""
    if jobs is None:
        jobs = min(os.cpu_count() or 1, MOST_JOBS)
    if isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS:
        raise UsageError(f"jobs: expected a whole number from 1 to {MOST_JOBS}, not {jobs!r}")
    seconds = float(timeout) if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) else math.nan
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise UsageError(f"timeout: expected {LEAST_SECONDS} to {MOST_SECONDS} seconds, not {timeout!r}")
    return jobs, seconds


def _task_set(path: str | None) -> tuple[Sequence[Task], Mapping[str, JsonValue]]:
    if path is None:
        return load_public(), {"name": "public", "version": DATASET_VERSION, "sha256": PUBLIC_DIGEST}
    found = [record.value for record in read_tasks(Path(path))]
    return found, {"name": os.path.basename(path), "sha256": sha256_hex(Path(path).read_bytes())}


def _texts(value: Several) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, (str, int)):
        return [part.strip() for part in str(value).split(",")]
    return [str(part).strip() for part in value]


def _chosen(tasks: Sequence[Task], families: set[str], tiers: set[str]) -> list[Task]:
    for what, named, known in (
        ("family", families, {task.family for task in tasks}),
        ("tier", tiers, {str(task.tier) for task in tasks}),
    ):
        for name in sorted(named - known):
            raise UsageError(f"the task set has no {what} {name!r}", hint=f"it has: {', '.join(sorted(known))}")
    return [
        task for task in tasks if (not families or task.family in families) and (not tiers or str(task.tier) in tiers)
    ]
