"""Opening a store that must be there, and the fixture of its replies without a task."""

from __future__ import annotations

from pathlib import Path

import click

from qfuzz.cli.options import Decorated
from qfuzz.model.errors import StoreError
from qfuzz.store.store import Store


def fixture_option(function: Decorated) -> Decorated:
    """--fixture: the work directory of replies without a task."""
    option = click.option(
        "--fixture", type=click.Path(path_type=Path), help="The work directory of a reply without a task."
    )
    return option(function)


def open_store(path: Path, *, reading: bool = False) -> Store:
    """The store at `path`, which must exist; raises StoreError. (`qfuzz diff` makes one; reading one must not.)

    With `reading` one that can't be written will do.
    """
    if not path.is_file():
        raise StoreError("there is no store here", where=str(path), hint="`qfuzz diff --db` makes one")
    return Store(path, reading=reading)
