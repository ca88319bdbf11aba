"""Making minimal forms, as `diff`, `shrink` and `explain` share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from qfuzz.cli.options import Decorated
from qfuzz.engine.attempt import Machinery
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.minimize import GENERATION, minimize
from qfuzz.engine.parse_child import ParseChild
from qfuzz.gen.rebuild import with_payloads
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.errors import StoreError
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.store.keys import fixture_key, launch_key, observation_key, short_id
from qfuzz.store.store import Store, StoredBreaker
from qfuzz.transports.loader import resolve

STRICT_OFFSET = 1000
"""Strict forms are another generation, so that the two never pass for one another."""


def generation(strict: bool) -> int:
    """Under which number forms are kept in the store."""
    return GENERATION + (STRICT_OFFSET if strict else 0)


@contextmanager
def form_maker(machinery: Machinery, *, strict: bool) -> Iterator[Callable[[Breaker], Forms]]:
    """A function that finds the forms of a breaker; it may be called from several threads."""
    with ParseChild() as parser:

        def make(breaker: Breaker) -> Forms:
            rebuild = with_payloads(breaker.task) if breaker.task is not None else lambda _: None
            return minimize(breaker, machinery, rebuild, parser.spans, strict=strict)

        yield make


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


def breaker_of(judged: StoredBreaker, given: Fixture) -> Breaker:
    """The breaker that was stored; `given` is the work directory of a reply without a task.

    Raises StoreError for an execution that is none to explain, or that ran in another work directory.
    """
    transport = resolve(judged.transport)
    fixture = given if judged.task is None else judged.task.fixture
    straight = resolve("direct").deliver(judged.program)
    assert isinstance(straight, Launch), "what has run directly can be started"
    key = observation_key(judged.context, fixture_key(fixture), launch_key(straight), 0)
    if key != judged.direct_key:
        raise StoreError("ran in another work directory", where=short_id(judged.key), hint="name it with --fixture")
    delivery = transport.deliver(judged.program)
    transported = judged.transported if judged.transported is not None else delivery
    if judged.transport == "direct" or not isinstance(transported, (Observation, Rejection)):
        raise StoreError("is no breaker: there is nothing to explain", where=short_id(judged.key))
    return Breaker(judged.program, judged.task, fixture, transport, judged.direct, transported)
