"""`qfuzz export`: the breakers of a store as a file that is made to be reviewed and committed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.stored import fixture_option, open_store
from qfuzz.engine.samples import read_fixture
from qfuzz.model.case import SUFFIX, Expect
from qfuzz.model.errors import StoreError, UsageError
from qfuzz.model.task import Fixture
from qfuzz.model.whole_file import refuse_other_kinds, whole_file
from qfuzz.regress.collect import merged, stored_cases
from qfuzz.regress.files import file_bytes, read_cases
from qfuzz.transports.loader import resolve


@click.command()
@click.option(
    "--breakers",
    "file",
    type=click.Path(path_type=Path),
    required=True,
    metavar=f"FILE{SUFFIX}",
    help="The file to write. Cases that it has already stay as they are.",
)
@click.option("--db", type=click.Path(path_type=Path), default=Path("qfuzz.db"), show_default=True, help="The store.")
@click.option(
    "--transport", "transports", multiple=True, metavar="STACK", help="Only breakers over this one; may be repeated."
)
@click.option(
    "--expect",
    type=click.Choice([each.value for each in Expect]),
    default=Expect.SURVIVES.value,
    show_default=True,
    help="What to expect of them from now on.",
)
@config_option
@fixture_option
def command(file: Path, db: Path, transports: tuple[str, ...], expect: str, fixture: Path | None) -> int:
    """Write the breakers of a store, each in its minimal form, as cases of a breaker file.

    `survives` is for a path that is to be mended, and kept so; `broken` for one that is known to break and shall say so
    when it no longer does. What is in the file already keeps its expectation and reason. Exit status: 0 written, 2
    nothing to write, or bad input.

    \b
    Example:
        qfuzz export --breakers tests/shell.breakers.jsonl --transport nested
    """
    if not file.name.endswith(SUFFIX) or file.name == SUFFIX:
        raise UsageError(f"is no name for a breaker file: it ends in {SUFFIX}", where=str(file))
    names = frozenset(resolve(name).name for name in transports)
    laid = Fixture() if fixture is None else read_fixture(fixture)
    refuse_other_kinds(file)
    old = [placed.case for placed in read_cases(file)] if file.exists() and file.stat().st_size else []
    notes: Counter[str] = Counter()
    new = []
    with open_store(db, reading=True) as store:
        for each in stored_cases(store, laid, names, Expect(expect)):
            notes[each.note] += bool(each.note)
            if each.case is not None:
                new.append(each.case)
    passed_over = "; ".join(f"{count} {note}" for note, count in notes.items() if count)
    if not new:
        raise StoreError("holds no breaker to export", where=str(db), hint=passed_over or "`qfuzz diff` finds them")
    cases, added = merged(old, new)
    with whole_file(file) as stream:
        stream.write(file_bytes(cases))
    print(f"{file}: {added} added, {len(old)} there before" + (f"; {passed_over}" if passed_over else ""))
    return 0
