"""`qfuzz tasks`: list tasks, show one, export some."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from qfuzz.bash.hazards import HAZARDS
from qfuzz.gen.folders import write_folders
from qfuzz.gen.public import CANARY, load_public
from qfuzz.gen.read import read_tasks
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task
from qfuzz.model.task_codec import encode_task
from qfuzz.model.text import counted
from qfuzz.report.task_page import WIDTH, task_page
from qfuzz.report.visible import visible

F = TypeVar("F", bound=Callable[..., Any])


def _selection(function: F) -> F:
    options = (
        click.option(
            "--tasks", type=click.Path(path_type=Path), metavar="SET", help="A task set; else the public one."
        ),
        click.option("--family", multiple=True, metavar="NAME", help="Only this family; may be repeated."),
        click.option("--tier", multiple=True, type=click.IntRange(0, 3), help="Only this tier; may be repeated."),
        click.option("--hazard", multiple=True, metavar="NAME", help="Only tasks with this hazard; all, if repeated."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group(invoke_without_command=True)
@_selection
@click.pass_context
def command(
    ctx: click.Context, tasks: Path | None, family: tuple[str, ...], tier: tuple[int, ...], hazard: tuple[str, ...]
) -> None:
    """List tasks: id and hazards. Subcommands show one and export.

    \b
    Examples:
        qfuzz tasks --family sed-replace --hazard ampersand
        qfuzz tasks show write-file/t3-sandpiper
        qfuzz tasks export --folders exported
    """
    if ctx.invoked_subcommand is not None:
        if tasks or family or tier or hazard:
            raise UsageError(f"options of the list stand before {ctx.invoked_subcommand!r}", hint="put them behind it")
        return
    count = 0
    for task in _select(tasks, family, tier, hazard):
        count += 1
        for line in _row(task):
            click.echo(line)
    click.echo(counted(count, "task"))


@command.command()
@click.argument("task_id")
@click.option("--tasks", type=click.Path(path_type=Path), metavar="SET", help="A task set; else the public one.")
def show(task_id: str, tasks: Path | None) -> None:
    """Print one task for a reader; control characters are made visible.

    \b
    Example:
        qfuzz tasks show git-commit/t2-mizzen
    """
    for task in _load(tasks):
        if task.task_id == task_id:
            click.echo(task_page(task), nl=False)
            return
    raise UsageError(f"there is no task {task_id!r}", where=str(tasks or "the public set"), hint="see qfuzz tasks")


@command.command()
@_selection
@click.option("--folders", type=click.Path(path_type=Path), metavar="DIR", help="Write one folder a task into new DIR.")
def export(
    tasks: Path | None, family: tuple[str, ...], tier: tuple[int, ...], hazard: tuple[str, ...], folders: Path | None
) -> None:
    """Write tasks as JSON Lines to stdout, or as folders.

    A folder holds task.json, instruction.txt, fixture/ and, where the task has them, reference.sh and naive.sh.

    \b
    Examples:
        qfuzz tasks export --tier 0 > controls.jsonl
        qfuzz tasks export --family json-write --folders exported
    """
    canary = CANARY if tasks is None else ""
    selected = _select(tasks, family, tier, hazard)
    if folders is not None:
        click.echo(f"{folders}: {counted(write_folders(folders, selected, canary), 'task')}", err=True)
        return
    for task in selected:
        sys.stdout.buffer.write(encode_task(task, canary))


def _load(tasks: Path | None) -> Iterator[Task]:
    if tasks is None:
        return iter(load_public())
    return (record.value for record in read_tasks(tasks))


def _select(
    tasks: Path | None, family: tuple[str, ...], tier: tuple[int, ...], hazard: tuple[str, ...]
) -> Iterator[Task]:
    _known("hazard", hazard, HAZARDS)
    if tasks is None:
        # A foreign set may have families of its own.
        _known("family", family, FAMILY_NAMES)
    for task in _load(tasks):
        named = (not family or task.family in family) and (not tier or task.tier in tier)
        if named and set(hazard) <= set(task.hazards):
            yield task


def _known(what: str, names: tuple[str, ...], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {what} {name!r}", hint=f"known: {', '.join(known)}")


_ID_COLUMNS = 32


def _row(task: Task) -> Iterator[str]:
    name = visible(task.task_id)
    hazards = textwrap.wrap(", ".join(map(visible, task.hazards)) or "-", WIDTH - _ID_COLUMNS)
    if len(name) >= _ID_COLUMNS:
        yield name
        name = ""
    for line in hazards:
        yield f"{name:<{_ID_COLUMNS}}{line}"
        name = ""
