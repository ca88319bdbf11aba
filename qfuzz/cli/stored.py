"""Reading stored breakers, as `shrink` and `explain` share it."""

from __future__ import annotations

from pathlib import Path

import click

from qfuzz.cli.options import Decorated
from qfuzz.engine.laboratory import Breaker
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.errors import StoreError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import Stability
from qfuzz.store.keys import fixture_key, launch_key, observation_key, short_id
from qfuzz.store.store import Store, StoredBreaker
from qfuzz.transports.loader import resolve


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


def breaker_of(judged: StoredBreaker, given: Fixture, store: Store) -> Breaker:
    """The breaker that was stored; `given` is the work directory of a reply without a task.

    Raises StoreError for an execution that is none to explain, or that ran in another work directory.
    """
    name = short_id(judged.key)
    if not judged.breaker:
        if judged.stability == Stability.NONDETERMINISTIC.value and judged.task is None:
            raise StoreError("does not do the same twice, and has no task that could judge it", where=name)
        raise StoreError("is no breaker: there is nothing to explain", where=name)
    transport = resolve(judged.transport)
    fixture = given if judged.task is None else judged.task.fixture
    straight = resolve("direct").deliver(judged.program)
    assert isinstance(straight, Launch), "what has run directly can be started"
    key = observation_key(judged.context, fixture_key(fixture), launch_key(straight), 0)
    direct = store.observations([key]).get(key)
    if direct is None:
        raise StoreError("ran in another work directory", where=name, hint="name it with --fixture")
    transported = judged.transported if judged.transported is not None else transport.deliver(judged.program)
    assert isinstance(transported, (Observation, Rejection)), "a breaker ran or was rejected"
    unstable = judged.stability == Stability.NONDETERMINISTIC.value
    return Breaker(judged.program, judged.task, fixture, transport, direct, transported, by_verdict=unstable)
