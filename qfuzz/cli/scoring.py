"""What `score` and `report` do: gather executions, have them scored, print. Loads numpy, so it is imported late."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from qfuzz.cli.gather import reply_files
from qfuzz.cli.options import load_known_tasks, load_tasks, open_pool
from qfuzz.cli.stored import open_store
from qfuzz.engine.events import Judged
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.plan import DIRECT
from qfuzz.engine.record import Recorder
from qfuzz.engine.run import RunPlan, replay
from qfuzz.engine.samples import ReplySource, check_replies
from qfuzz.jail.pool import Isolation
from qfuzz.model.errors import HarnessError, InputError
from qfuzz.model.task import Fixture, Task
from qfuzz.model.userland import GNU
from qfuzz.model.verdict import Outcome
from qfuzz.report.progress import progress_display
from qfuzz.report.score_blocks import Wanted, blocks
from qfuzz.report.score_csv import csv_rows
from qfuzz.report.score_executions import execution_blocks, execution_records
from qfuzz.report.score_page import Block, markdown_lines, print_page
from qfuzz.report.score_records import records
from qfuzz.score.build import GROUPINGS, Request, build
from qfuzz.score.ledger import only_replies
from qfuzz.score.pairs import Pair, default_pairs, parse_pair
from qfuzz.score.read import read_ledger
from qfuzz.score.result import Report
from qfuzz.score.tasksets import named_sets
from qfuzz.store.keys import context_key, sample_key
from qfuzz.store.store import Store
from qfuzz.transports.loader import resolve

CELLS = ("rr", "rn", "nr", "nn")


def request_of(
    pairs: tuple[str, ...],
    task_sets: tuple[Path, ...],
    userlands: tuple[str, ...],
    seed: int,
    draws: int,
    *,
    allow_unpaired: bool,
) -> Request:
    """The request that the options make; raises UsageError and InputError."""
    wanted = tuple({pair.name: pair for pair in map(parse_pair, pairs)}.values())
    sets = None
    if task_sets:
        load_tasks(task_sets)
        sets = named_sets({path.stem: load_tasks((path,)).values() for path in task_sets})
    return Request(wanted or None, sets, userlands or (GNU,), draws, seed, allow_unpaired)


def score_store(db: Path, request: Request) -> Report:
    """The report on all that the store holds."""
    with open_store(db, reading=True) as store:
        return build(*read_ledger(store), request)


def score_replies(
    replies: tuple[Path, ...],
    task_sets: tuple[Path, ...],
    db: Path,
    request: Request,
    jobs: int,
    timeout: float,
    isolation: Isolation,
) -> Report:
    """Makes what executions the store lacks, under each userland, and reports on these replies alone."""
    with ExitStack() as cleanup:
        files = reply_files(replies, cleanup)
        tasks = load_known_tasks(task_sets)
        source = check_replies(files, tasks)
        contracts, keys = _of_replies(source, tasks)
        pairs = request.pairs or default_pairs(contracts)
        store = cleanup.enter_context(Store(db))
        contexts = [
            _replay(source, tasks, store, _paths(pairs), userland, jobs, timeout, isolation)
            for userland in request.userlands
        ]
        ledger, metadata = read_ledger(store)
        return build(only_replies(ledger, keys, contexts), metadata, replace(request, pairs=pairs))


def _of_replies(source: ReplySource, tasks: dict[str, Task]) -> tuple[set[str], set[str]]:
    """The contracts of the replies with a task, and their keys in the store."""
    contracts, keys = set(), set()
    for sample in source.samples(tasks, Fixture()):
        if sample.task is not None:
            contracts.add(sample.reply.contract)
            keys.add(sample_key(sample.reply, sample.occurrence))
    if not keys:
        raise InputError("no reply has a task, so there is nothing to score", hint="`qfuzz diff` compares such replies")
    return contracts, keys


def _paths(pairs: Iterable[Pair]) -> list[str]:
    names = (name for pair in pairs for name in pair.transports)
    return [name for name in dict.fromkeys(names) if name != DIRECT]


def _replay(
    source: ReplySource,
    tasks: dict[str, Task],
    store: Store,
    paths: list[str],
    userland: str,
    jobs: int,
    timeout: float,
    isolation: Isolation,
) -> str:
    """Replays under one userland; returns the key of the context. Raises HarnessError where executions failed on us."""
    stacks = tuple(map(resolve, paths))
    with open_pool(jobs, isolation, userland, transports=stacks) as pool:
        context = context_of(pool, timeout)
        plan = RunPlan(
            source.samples(tasks, Fixture()),
            source.count,
            resolve(DIRECT),
            stacks,
            context,
            jobs,
        )
        files = ", ".join(file.name for file in source.files)
        recorder = Recorder(store, files, lambda: datetime.now(UTC).isoformat())
        failed = 0
        with progress_display(source.count) as progress:
            for event in replay(plan, machinery(pool, timeout, stacks), store.observations):
                recorder.handle(event)
                if isinstance(event, Judged):
                    progress.advance()
                    failed += any(
                        result.verdict is not None and result.verdict.outcome is Outcome.HARNESS_ERROR
                        for result in (event.direct, *event.results)
                    )
    if failed:
        raise HarnessError(f"{failed} replies could not be run, through no fault of theirs", hint="run again")
    return context_key(context)


def print_report(report: Report, form: str, by: str | None, listed: tuple[str, ...]) -> None:
    """On standard output, as text, json, csv or markdown; with `listed` the executions of these cells instead."""
    if form == "json":
        found = execution_records(report, listed) if listed else records(report)
        for record in found:
            print(json.dumps(record, ensure_ascii=False))
    elif form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(csv_rows(report))
    else:
        page = execution_blocks(report, listed) if listed else blocks(report, Wanted((by,) if by else ()))
        _print_page(page, markdown=form == "markdown")


def print_whole(report: Report, *, plain: bool, executions: bool) -> None:
    """Every table of a report, and the executions behind them."""

    def page() -> Iterator[Block]:
        yield from blocks(report, Wanted(GROUPINGS))
        if executions:
            yield from execution_blocks(report, CELLS)

    _print_page(page(), markdown=not plain)


def _print_page(page: Iterator[Block], *, markdown: bool) -> None:
    if markdown:
        for line in markdown_lines(page):
            print(line)
    else:
        print_page(page, sys.stdout)
