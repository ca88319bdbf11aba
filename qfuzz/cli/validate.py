"""`qfuzz validate`: prove a task set by running it."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from qfuzz.cli.options import load_tasks, open_pool, run_options
from qfuzz.engine.machinery import machinery
from qfuzz.engine.validate import TaskReport, validate
from qfuzz.gen.rebuild import reference_styles
from qfuzz.jail.pool import Isolation
from qfuzz.model.text import counted, one_line
from qfuzz.report.console import Console
from qfuzz.report.progress import progress_display
from qfuzz.report.text import WIDTH
from qfuzz.transports.loader import resolve


@click.command()
@click.argument("task_set", required=False, type=click.Path(path_type=Path), metavar="[SET]")
@run_options
def command(task_set: Path | None, jobs: int, timeout: float, isolation: Isolation) -> int:
    """Prove a task set (JSON Lines; the public one by default) by running it.

    Every reference passes in every quoting style; the naive program passes at tier 0 and fails above; constant replies
    and the references of other tasks pass nothing; no wrong final state passes. Exit status 1 on any fault.

    \b
    Example:
        qfuzz gen --seed 7 --out heldout.jsonl && qfuzz validate heldout.jsonl
    """
    tasks = load_tasks(() if task_set is None else (task_set,))
    with open_pool(jobs, isolation) as pool, progress_display(len(tasks)) as progress:
        reports = []
        run = machinery(pool, timeout).run
        for report in validate(tasks.values(), reference_styles, resolve("direct"), run, jobs):
            progress.advance()
            reports.append(report)
    _print_table(reports)
    faults = [(report.task_id, fault) for report in reports for fault in report.faults]
    for task_id, fault in faults:
        print(one_line(f"{task_id}: {fault}"))
    print(f"{counted(len(reports), 'task')}, {counted(len(faults), 'fault')}")
    return 1 if faults else 0


_COLUMNS = ("tasks", "right", "naive passes", "naive fails", "constant", "others'", "wrong states", "faults")


def _print_table(reports: list[TaskReport]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("family", no_wrap=True, min_width=17)
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    families = dict.fromkeys(report.family for report in reports)
    for family in families:
        of_it = [report for report in reports if report.family == family]
        cells = (
            len(of_it),
            sum(report.references for report in of_it),
            sum(report.naive == "passes" for report in of_it),
            sum(report.naive == "fails" for report in of_it),
            sum(report.constants for report in of_it),
            sum(report.others for report in of_it),
            sum(report.mutants for report in of_it),
            sum(len(report.faults) for report in of_it),
        )
        table.add_row(family, *map(str, cells))
    Console(file=sys.stdout, width=WIDTH, highlight=False).print(table)
