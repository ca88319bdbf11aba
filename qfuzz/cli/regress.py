"""`qfuzz regress`: replay breaker files, and fail where a case is not as expected."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TextIO

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.options import load_tasks, open_pool, run_options, tasks_option, userland_option
from qfuzz.engine.forms import form_maker
from qfuzz.engine.here import require_here
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Isolation
from qfuzz.model.errors import QfuzzError
from qfuzz.model.forms import Forms
from qfuzz.model.task import Task
from qfuzz.model.whole_file import refuse_other_kinds, whole_file
from qfuzz.regress.files import Placed, over, public_by_id, read_cases
from qfuzz.regress.judge import Replayed, Standing
from qfuzz.regress.junit import Told, junit_xml
from qfuzz.regress.run import explained, replay_cases, transports_of
from qfuzz.regress.text import case_lines, case_record, exit_status, summary
from qfuzz.transports.loader import resolve


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES...")
@tasks_option
@click.option(
    "--transport",
    metavar="STACK",
    help="Replay the programs of all files over this transport, which each should survive.",
)
@click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a JUnit XML report too."
)
@click.option(
    "--explain",
    "most",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Look for the causes of at most N cases that broke; the others get one line.",
)
@click.option(
    "--skip-missing",
    is_flag=True,
    help="Cases over transports that this machine lacks are no error; without it the status is 2 if nothing is worse.",
)
@config_option
@run_options
@userland_option
@click.option("--json", "as_json", is_flag=True, help="JSON Lines on stdout, one object a case.")
def command(
    files: tuple[Path, ...],
    task_sets: tuple[Path, ...],
    transport: str | None,
    junit: Path | None,
    most: int,
    skip_missing: bool,
    jobs: int,
    timeout: float,
    isolation: Isolation,
    userland: str,
    as_json: bool,
) -> int:
    """Replay FILES of breakers, and print every case that is not as its file expects.

    Everything is run: no store is read or written. Exit status: 0 all as expected, 1 some are not, 2 bad input, no
    jail, or a case that could not be judged. A case that is known as broken and survives is not as expected either.
    Cases over a transport that this machine lacks are left out: stderr lists them, with the command that gets it.

    \b
    Example:
        qfuzz regress tests/*.breakers.jsonl --junit report.xml
        qfuzz regress corpus/breakers/nested.breakers.jsonl --transport quoted
    """
    known = _tasks(task_sets)
    listed = [read_cases(path, known) for path in files]
    cases: tuple[Placed, ...] = tuple(each for of_file in listed for each in of_file)
    if transport is not None:
        require_here(resolve(transport), isolation)
        cases = over(transport, listed)
    found, lacking = transports_of(cases, isolation)
    stacks = tuple({stack.name: stack for stack in found.values()}.values())
    if junit is not None:
        refuse_other_kinds(junit)
    report = _Report(sys.stderr if as_json else sys.stdout, as_json, most)
    with ExitStack() as cleanup:
        stream = None if junit is None else cleanup.enter_context(whole_file(junit))
        pool = cleanup.enter_context(open_pool(jobs, isolation, userland, transports=stacks))
        failed: dict[str, QfuzzError] = {}
        machines = machinery(pool, timeout, stacks, None if transport is not None else failed)
        lacking |= {name: failed[stack.name] for name, stack in found.items() if stack.name in failed}
        make = cleanup.enter_context(form_maker(machines, strict=False))
        for replayed in replay_cases(cases, machines, timeout, jobs, lacking):
            report.add(replayed, make)
        if stream is not None:
            stream.write(junit_xml(report.told, refused_is_fault=transport is None, left_out_is_fault=not skip_missing))
    print(summary(report.counts), file=report.stream)
    return exit_status(report.counts, refused_is_fault=transport is None, left_out_is_fault=not skip_missing)


def _tasks(task_sets: tuple[Path, ...]) -> Callable[[], Mapping[str, Task]]:
    """The tasks that cases may name: the public ones, and those of --tasks, read at once to find what is bad there."""
    further = load_tasks(task_sets) if task_sets else {}
    return cache(lambda: {**public_by_id(), **further})


class _Report:
    """Prints what is not as expected as it comes, and keeps what a report at the end needs."""

    def __init__(self, stream: TextIO, as_json: bool, most: int) -> None:
        self.stream = stream
        self.counts: Counter[Standing] = Counter()
        self.told: list[Told] = []
        self._as_json = as_json
        self._left = most

    def add(self, replayed: Replayed, make: Callable[[Breaker], Forms]) -> None:
        self.counts[replayed.standing] += 1
        page = None
        if not replayed.as_expected and self._left:
            page = explained(replayed, make)
            self._left -= page is not None
        lines = tuple(case_lines(replayed, page))
        self.told.append(Told(replayed, lines))
        if self._as_json:
            print(json.dumps(case_record(replayed), ensure_ascii=False))
        if replayed.standing is Standing.LEFT_OUT:
            print(*lines, file=sys.stderr, flush=True)
        elif not replayed.as_expected:
            print("\n".join(lines), end="\n\n", file=self.stream, flush=True)
