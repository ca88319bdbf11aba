"""`qfuzz shrink`: find the minimal forms of stored breakers again."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.options import open_pool, run_options
from qfuzz.cli.stored import fixture_option, open_store
from qfuzz.engine.forms import form_maker, forms_key
from qfuzz.engine.machinery import machinery
from qfuzz.engine.minimize import Interrupted
from qfuzz.engine.samples import read_fixture
from qfuzz.engine.stored import breaker_of, userland_of
from qfuzz.jail.pool import Isolation
from qfuzz.model.forms import Forms
from qfuzz.model.task import Fixture
from qfuzz.report.causes import causes_of, placed
from qfuzz.report.visible import visible
from qfuzz.store.keys import short_id


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--db", type=click.Path(path_type=Path), default=Path("qfuzz.db"), show_default=True, help="The store.")
@click.option("--strict", is_flag=True, help="A smaller reply must still pass its task directly.")
@fixture_option
@config_option
@run_options
def command(
    ids: tuple[str, ...],
    db: Path,
    strict: bool,
    fixture: Path | None,
    jobs: int,
    timeout: float,
    isolation: Isolation,
) -> int:
    """Find repair set, causes, payload and minimal reply of breakers again, and keep them.

    An ID is one that `qfuzz diff` printed.

    \b
    Example:
        qfuzz shrink 33e34c0fcb0aa55b --strict
    """
    with ExitStack() as cleanup:
        laid = Fixture() if fixture is None else read_fixture(fixture)
        store = cleanup.enter_context(open_store(db))
        found = [store.judged(id_) for id_ in ids]
        breakers = [breaker_of(judged, laid, store) for judged in found]
        transports = list({breaker.transport.name: breaker.transport for breaker in breakers}.values())
        pool = cleanup.enter_context(open_pool(jobs, isolation, userland_of(store, found), transports=transports))
        machines = machinery(pool, timeout, transports)
        make = cleanup.enter_context(form_maker(machines, strict=strict))
        for judged, breaker in zip(found, breakers, strict=True):
            try:
                forms = make(breaker)
            except Interrupted as stopped:
                _print(judged.key, stopped.forms)
                raise
            store.write_forms(forms_key(judged.key, breaker, strict=strict), judged.key, forms)
            _print(judged.key, forms)
    return 0


def _print(key: str, forms: Forms) -> None:
    print(f"{short_id(key)}: {forms.executions} executions")
    for cause in causes_of(forms):
        print(f"  cause: {placed(cause)}")
    if forms.reply is not None:
        so_far = "" if forms.reply.finished else " so far"
        print(f"  smallest{so_far}: {visible(forms.reply.program)}".replace("\n", "\n            "))
