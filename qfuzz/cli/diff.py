"""`qfuzz diff`: replay replies over transports and say what each of them broke."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.gather import reply_files, source_notes
from qfuzz.cli.options import load_known_tasks, open_pool, run_options, tasks_option, userland_option
from qfuzz.cli.stacks import ALL, transports_of, without_failed
from qfuzz.collect.prompts import parse_contract
from qfuzz.engine.arrived import ArrivedAt, arrivals
from qfuzz.engine.attempt import Machinery
from qfuzz.engine.events import Event, Judged
from qfuzz.engine.forms import form_maker, forms_key
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.record import Recorder
from qfuzz.engine.run import RunPlan, replay
from qfuzz.engine.samples import ReplySource, check_replies, read_fixture
from qfuzz.engine.shrinking import Found, breakers_of, shrink
from qfuzz.jail.pool import Isolation, Pool
from qfuzz.model.errors import QfuzzError, UsageError
from qfuzz.model.task import Fixture
from qfuzz.model.text import counted, one_line
from qfuzz.report.arrived import ArrivalReport, arrival_records
from qfuzz.report.overview import print_overview
from qfuzz.report.progress import progress_display
from qfuzz.report.records import judged_records
from qfuzz.report.tally import Tally
from qfuzz.report.text import BreakerList, print_table
from qfuzz.store.store import Store
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import DEFAULT_TRANSPORTS, resolve


@click.command()
@click.argument("replies", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="REPLIES...")
@tasks_option
@config_option
@click.option(
    "--transport",
    "transports",
    multiple=True,
    metavar="STACK",
    help="A transport or a stack of them; may be repeated. 'all': every known one that can be had here. "
    f"Default: {', '.join(DEFAULT_TRANSPORTS)}.",
)
@click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("qfuzz.db"),
    show_default=True,
    help="The store. What it holds already is not executed again.",
)
@run_options
@userland_option
@click.option("--fixture", type=click.Path(path_type=Path), help="The work directory of replies without a task.")
@click.option("--command-field", metavar="NAME", help="The (dotted) key that holds the command, instead of 'reply'.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines, and list them, instead of stopping.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=500,
    show_default=True,
    metavar="N",
    help="Print at most N breakers a transport; the database has all.",
)
@click.option("--no-shrink", is_flag=True, help="Do not look for causes and minimal forms of the breakers.")
@click.option("--strict", is_flag=True, help="A smaller reply must still pass its task directly.")
@click.option("--arrived", is_flag=True, help="Compare what reaches the last shell with the reply; do not start it.")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines on stdout, one object a judged execution.")
def command(
    replies: tuple[Path, ...],
    task_sets: tuple[Path, ...],
    transports: tuple[str, ...],
    db: Path,
    jobs: int,
    timeout: float,
    isolation: Isolation,
    userland: str,
    fixture: Path | None,
    command_field: str | None,
    skip_bad: bool,
    top: int,
    no_shrink: bool,
    strict: bool,
    arrived: bool,
    as_json: bool,
) -> int:
    """Replay REPLIES (JSON Lines, or Inspect logs) directly and over transports, and print what each transport broke.

    Every reply runs twice directly and once over each transport; a difference is confirmed by a second pair. Exit
    status: 0 no breaker, 1 breakers, 2 bad input or no jail.

    \b
    Example:
        qfuzz diff replies.jsonl --transport nested --transport "json-naive > nested"
    """
    with ExitStack() as cleanup:
        files = reply_files(replies, cleanup)
        stacks = transports_of(transports or DEFAULT_TRANSPORTS, isolation)
        tasks = load_known_tasks(task_sets)
        laid = Fixture() if fixture is None else read_fixture(fixture)
        source = check_replies(files, tasks, command_field=command_field, skip_bad=skip_bad)
        _say_skipped(source)
        _say_unknown_contracts(source)
        if arrived:
            pool = cleanup.enter_context(open_pool(jobs, isolation, userland, transports=stacks))
            samples = source.samples(tasks, laid)
            machines, stacks = _tested(pool, timeout, stacks, transports)
            _check_seen(machines)
            stopped = machines.stopped_text
            return _arrived(arrivals(samples, stacks, stopped, jobs), stacks, top, as_json)
        store = cleanup.enter_context(Store(db))
        pool = cleanup.enter_context(open_pool(jobs, isolation, userland, transports=stacks))
        machines, stacks = _tested(pool, timeout, stacks, transports)
        plan = RunPlan(
            samples=source.samples(tasks, laid),
            count=source.count,
            direct=resolve("direct"),
            transports=stacks,
            context=context_of(pool, timeout),
            jobs=jobs,
        )
        events = replay(plan, machines, store.observations)
        recorder = Recorder(store, ", ".join(map(_shown, replies)), lambda: datetime.now(UTC).isoformat())
        tally = Tally()
        breakers = BreakerList(tuple(stack.name for stack in stacks), top)
        judged = _listen(events, source.count, recorder, tally, breakers, as_json)
        if no_shrink:
            for _ in judged:
                pass
        else:
            make = cleanup.enter_context(form_maker(machines, strict=strict))
            found = (each for event in judged for each in breakers_of(event, {stack.name: stack for stack in stacks}))

            def key(one: Found) -> str:
                return forms_key(one.key, one.breaker, strict=strict)

            for shrunk in shrink(found, make, lambda one: store.forms(key(one)), jobs):
                if shrunk.forms is not None and not shrunk.recalled:
                    store.write_forms(key(shrunk.found), shrunk.found.key, shrunk.forms)
                breakers.add_forms(shrunk)
    out = sys.stderr if as_json else sys.stdout
    (print_overview if ALL in transports else print_table)(tally, out)
    for line in source_notes(source):
        print(line, file=out)
    if top or ALL not in transports:
        breakers.print(out)
    if tally.harness_errors and not tally.breakers:
        # Not "nothing found": a part was not looked at.
        return 2
    return 1 if tally.breakers else 0


def _tested(
    pool: Pool, timeout: float, stacks: tuple[Transport, ...], names: tuple[str, ...]
) -> tuple[Machinery, tuple[Transport, ...]]:
    """The machinery, and the transports that it can be used with."""
    failed: dict[str, QfuzzError] = {}
    machines = machinery(pool, timeout, stacks, failed)
    return machines, without_failed(stacks, failed, names)


def _shown(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _arrived(found: Iterator[ArrivedAt], stacks: tuple[Transport, ...], top: int, as_json: bool) -> int:
    report = ArrivalReport(stacks, top)
    for at in found:
        report.add(at)
        if as_json:
            for record in arrival_records(at):
                print(json.dumps(record, ensure_ascii=False))
    report.print(sys.stderr if as_json else sys.stdout)
    if report.failures and not report.faults:
        return 2
    return 1 if report.faults else 0


def _check_seen(machines: Machinery) -> None:
    for name in machines.unseen:
        raise UsageError(
            f"{name} starts no shell with the reply as an argument or a file, so what arrives can't be seen",
            hint="leave out --arrived",
        )


def _say_skipped(source: ReplySource) -> None:
    for error in source.skipped:
        print(f"skipped {error}", file=sys.stderr)
    if source.skipped:
        print(f"skipped {counted(len(source.skipped), 'bad line')} in all", file=sys.stderr)


def _say_unknown_contracts(source: ReplySource) -> None:
    """A mistyped contract would quietly be a group of its own."""
    for name, count in source.contracts.items():
        try:
            parse_contract(name)
        except UsageError as error:
            hint = f" ({error.hint})" if error.hint else ""
            print(f"warning: {one_line(error.what)} in {counted(count, 'reply', 'replies')}{hint}", file=sys.stderr)


def _listen(
    events: Iterator[Event], count: int, recorder: Recorder, tally: Tally, breakers: BreakerList, as_json: bool
) -> Iterator[Judged]:
    """Hand every event to every reader, and on; the store comes first, so that what is shown has been kept."""
    with progress_display(count) as progress:
        for event in events:
            recorder.handle(event)
            if isinstance(event, Judged):
                tally.add(event)
                breakers.add(event)
                progress.advance()
                if as_json:
                    for record in judged_records(event):
                        print(json.dumps(record, ensure_ascii=False))
                yield event
