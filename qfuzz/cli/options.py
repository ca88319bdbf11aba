"""Options that several commands share, and the reading of task sets that they name."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from qfuzz.gen.heldout import load_held_out
from qfuzz.gen.public import load_public
from qfuzz.gen.read import read_tasks
from qfuzz.jail.pool import Isolation, Pool
from qfuzz.jail.userland import USERLANDS, find_userland
from qfuzz.model.bounds import LEAST_SECONDS, MOST_JOBS, MOST_SECONDS
from qfuzz.model.errors import InputError
from qfuzz.model.task import Task
from qfuzz.model.userland import GNU
from qfuzz.transports.base import Transport

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def a_number(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """A callback of options that take a number: NaN is in every range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("is not a number", context, parameter)
    return value


def run_options(function: Decorated) -> Decorated:
    """--jobs, --timeout and --isolation: how replies are executed."""
    isolation = click.option(
        "--isolation",
        type=click.Choice(["bwrap", "none"]),
        default="bwrap",
        show_default=True,
        help="Where replies run. 'none' gives up the jail and is for replies that somebody has read.",
    )
    timeout = click.option(
        "--timeout",
        type=click.FloatRange(min=LEAST_SECONDS, max=MOST_SECONDS),
        callback=a_number,
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="The longest that one execution may take.",
    )
    jobs = click.option(
        "--jobs",
        type=click.IntRange(1, MOST_JOBS),
        default=os.cpu_count() or 1,
        show_default="one for each core",
        metavar="N",
        help="Executions at the same time.",
    )
    return jobs(timeout(isolation(function)))


def open_pool(jobs: int, isolation: Isolation, userland: str = GNU, *, transports: Sequence[Transport] = ()) -> Pool:
    """The pool that --jobs, --isolation and --userland ask for; without a jail it says so. Raises HostError.

    Its jails show the folders that the layers of the user's own in `transports` need.
    """
    if isolation == "none":
        print("qfuzz: no jail: replies run as you do, in a temporary directory (--isolation none)", file=sys.stderr)
    shown = [path for each in transports for path in each.shown]
    return Pool(jobs, isolation=isolation, userland=find_userland(userland), shown=shown)


def userland_option(function: Decorated) -> Decorated:
    """--userland: whose tools a reply finds first."""
    option = click.option(
        "--userland",
        type=click.Choice(USERLANDS),
        default=GNU,
        show_default=True,
        help="Whose sed, grep, find, ... a reply finds first in PATH.",
    )
    return option(function)


def tasks_option(function: Decorated) -> Decorated:
    """--tasks: the sets whose tasks are known, instead of the public one."""
    option = click.option(
        "--tasks",
        "task_sets",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="SET",
        help="A task set (JSON Lines) to use instead of the public one; may be repeated.",
    )
    return option(function)


def load_tasks(task_sets: tuple[Path, ...]) -> dict[str, Task]:
    """The tasks of the named sets by id, or the public ones; raises InputError if two sets share an id."""
    if not task_sets:
        return {task.task_id: task for task in load_public()}
    tasks: dict[str, Task] = {}
    for path in task_sets:
        for record in read_tasks(path):
            if record.value.task_id in tasks:
                raise InputError(
                    f"task {record.value.task_id!r} is in another set too", where=f"{path}:{record.number}"
                )
            tasks[record.value.task_id] = record.value
    return tasks


def load_known_tasks(task_sets: tuple[Path, ...]) -> dict[str, Task]:
    """The tasks of the named sets by id, or all that are shipped: the public ones and the published held-out ones."""
    if task_sets:
        return load_tasks(task_sets)
    return {task.task_id: task for task in (*load_public(), *load_held_out())}
