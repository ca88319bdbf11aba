"""Opening a store that must be there, and the fixture of its replies without a task."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import click

from qfuzz.cli.options import Decorated
from qfuzz.jail.userland import GNU
from qfuzz.model.errors import StoreError, UsageError
from qfuzz.store.store import Store, StoredBreaker


def fixture_option(function: Decorated) -> Decorated:
    """--fixture: the work directory of replies without a task."""
    option = click.option(
        "--fixture", type=click.Path(path_type=Path), help="The work directory of a reply without a task."
    )
    return option(function)


def open_store(path: Path) -> Store:
    """The store at `path`, which must exist; raises StoreError. (`qfuzz diff` makes one; reading one must not.)"""
    if not path.is_file():
        raise StoreError("there is no store here", where=str(path), hint="`qfuzz diff --db` makes one")
    return Store(path)


def userland_of(store: Store, judged: Iterable[StoredBreaker]) -> str:
    """The userland under which all of these ran; raises UsageError where they did not all run under the same one."""
    names = set()
    for each in judged:
        ((context,),) = store.select("select context from contexts where key = ?", (each.context,))
        userland = json.loads(context).get("userland")
        names.add(GNU if userland is None else str(userland["name"]))
    if len(names) > 1:
        raise UsageError(f"these ran under several userlands ({', '.join(sorted(names))})", hint="name those of one")
    return names.pop()
