"""`qfuzz explain`: one breaker in one screen."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from qfuzz.api import explain
from qfuzz.cli.config import config_option
from qfuzz.cli.options import open_pool, run_options
from qfuzz.cli.stored import fixture_option, open_store
from qfuzz.engine.forms import form_maker, forms_key
from qfuzz.engine.machinery import machinery
from qfuzz.engine.samples import read_fixture
from qfuzz.engine.stored import breaker_of, userland_of
from qfuzz.jail.pool import Isolation, Pool
from qfuzz.model.errors import UsageError
from qfuzz.model.reply_codec import are_replies, read_program
from qfuzz.model.task import Fixture
from qfuzz.model.userland import GNU
from qfuzz.report.explain import Explained, explained_record, explained_text
from qfuzz.store.keys import short_id
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

Opened = Callable[[Sequence[Transport], str], Pool]


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--reply", type=click.Path(path_type=Path), help="A file with one reply (- reads it), instead of an ID.")
@click.option("--transport", metavar="STACK", help="The transport for --reply.")
@click.option("--db", type=click.Path(path_type=Path), default=Path("qfuzz.db"), show_default=True, help="The store.")
@fixture_option
@click.option("--strict", is_flag=True, help="A smaller reply must still pass its task directly.")
@config_option
@run_options
@click.option("--json", "as_json", is_flag=True, help="The same content as one JSON object.")
def command(
    id_: str | None,
    reply: Path | None,
    transport: str | None,
    db: Path,
    fixture: Path | None,
    strict: bool,
    jobs: int,
    timeout: float,
    isolation: Isolation,
    as_json: bool,
) -> int:
    """Say which characters of a breaker did it, on the smallest forms, and how to deliver it whole.

    ID is one that `qfuzz diff` printed. Forms that the store lacks are found by running. Exit status: 0 explained, 1
    the reply of --reply works the same on the path, 2 bad input.

    \b
    Example:
        qfuzz explain 33e34c0fcb0aa55b
        qfuzz explain --reply command.sh --transport nested
    """
    if (id_ is None) == (reply is None) or (reply is None) != (transport is None):
        raise UsageError("give either an ID or --reply FILE with --transport STACK")
    laid = Fixture() if fixture is None else read_fixture(fixture)
    with ExitStack() as cleanup:

        def opened(transports: Sequence[Transport], userland: str) -> Pool:
            return open_pool(jobs, isolation, userland, transports=transports)

        if id_ is not None:
            explained = _stored(id_, db, laid, strict, opened, timeout, cleanup)
        else:
            assert reply is not None, "checked above"
            assert transport is not None, "checked above"
            program = read_program(reply)
            name = "standard input" if str(reply) == "-" else str(reply)
            if are_replies(program):
                raise UsageError(
                    "holds reply records, and not one program",
                    where=name,
                    hint="give it to `qfuzz diff`, and an ID that it prints to `qfuzz explain`",
                )
            pool = cleanup.enter_context(opened([resolve(transport)], GNU))
            fresh = explain(
                program, transport, fixture=laid, timeout_seconds=timeout, strict=strict, pool=pool, title=name
            )
            if fresh is None:
                said = f"{name} works over {transport} as it does directly"
                print(json.dumps({"reply": name, "transport": transport, "works": True}) if as_json else said)
                return 1
            explained = fresh
    if as_json:
        print(json.dumps(explained_record(explained), ensure_ascii=False))
    else:
        for line in explained_text(explained):
            print(line)
    return 0


def _stored(
    id_: str, db: Path, laid: Fixture, strict: bool, opened: Opened, timeout: float, cleanup: ExitStack
) -> Explained:
    store = cleanup.enter_context(open_store(db, reading=True))
    judged = store.judged(id_)
    breaker = breaker_of(judged, laid, store)
    key = forms_key(judged.key, breaker, strict=strict)
    forms = store.forms(key)
    if forms is None:
        pool = cleanup.enter_context(opened([breaker.transport], userland_of(store, [judged])))
        machines = machinery(pool, timeout, [breaker.transport])
        make = cleanup.enter_context(form_maker(machines, strict=strict))
        forms = make(breaker)
        if not store.read_only:
            store.write_forms(key, judged.key, forms)
    name = "a reply" if judged.task is None else judged.task.task_id
    title = f"{short_id(judged.key)}: {name} over {judged.transport}"
    return Explained(
        short_id(judged.key),
        title,
        breaker.program,
        breaker.transport,
        breaker.direct,
        breaker.transported,
        forms,
        stable=not breaker.by_verdict,
    )
