"""`qfuzz import`: the cases of breaker files into a store."""

from __future__ import annotations

from pathlib import Path

import click

from qfuzz.cli.options import load_tasks, tasks_option
from qfuzz.model.text import counted
from qfuzz.regress.collect import keep_cases
from qfuzz.regress.files import public_by_id, read_cases
from qfuzz.store.store import Store


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES...")
@tasks_option
@click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("qfuzz.db"),
    show_default=True,
    help="The store.",
)
def command(files: tuple[Path, ...], task_sets: tuple[Path, ...], db: Path) -> int:
    """Keep the cases of breaker FILES in a store, with their replies and tasks.

    `qfuzz export` writes them again. A case that the store has takes the expectation and the reason that it is given
    now. All files are read before anything is kept.

    \b
    Example:
        qfuzz import corpus/breakers/nested.breakers.jsonl
    """
    further = load_tasks(task_sets) if task_sets else {}
    cases = [placed for path in files for placed in read_cases(path, lambda: {**public_by_id(), **further})]
    with Store(db) as store:
        kept = keep_cases(cases, store)
    print(f"{db}: {counted(kept[True], 'case')} kept, {kept[False]} known before")
    return 0
