"""A breaker of the store, with all that finding its forms needs."""

from __future__ import annotations

import json
from collections.abc import Iterable

from qfuzz.engine.laboratory import Breaker
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.errors import StoreError, UsageError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.model.userland import userland_name
from qfuzz.oracle.compare import Stability
from qfuzz.store.keys import fixture_key, launch_key, observation_key, short_id
from qfuzz.store.store import Store, StoredBreaker
from qfuzz.transports.loader import resolve


def breaker_of(judged: StoredBreaker, given: Fixture, store: Store) -> Breaker:
    """The breaker that was stored; `given` is the work directory of a reply without a task.

    Raises StoreError for an execution that is none to explain, or that ran in another work directory.
    """
    name = short_id(judged.key)
    if not judged.breaker:
        if not is_stable(judged) and judged.task is None:
            raise StoreError("does not do the same twice, and has no task that could judge it", where=name)
        raise StoreError("is no breaker: there is nothing to explain", where=name)
    direct = direct_of(judged, given, store)
    if direct is None:
        raise StoreError("ran in another work directory", where=name, hint="name it with --fixture")
    transport = resolve(judged.transport)
    transported = judged.transported if judged.transported is not None else transport.deliver(judged.program)
    if not isinstance(transported, (Observation, Rejection)):
        raise StoreError(f"{judged.transport} no longer rejects it", where=name, hint="run `qfuzz diff` again")
    laid = fixture_of(judged, given)
    return Breaker(judged.program, judged.task, laid, transport, direct, transported, by_verdict=not is_stable(judged))


def is_stable(judged: StoredBreaker) -> bool:
    """Whether it did the same when it was repeated, so that what it did over the transport has a cause there."""
    return judged.stability != Stability.NONDETERMINISTIC.value


def fixture_of(judged: StoredBreaker, given: Fixture) -> Fixture:
    return given if judged.task is None else judged.task.fixture


def direct_of(judged: StoredBreaker, given: Fixture, store: Store) -> Observation | None:
    """The direct run that a stored execution was compared with; None where it ran in another work directory."""
    straight = resolve("direct").deliver(judged.program)
    assert isinstance(straight, Launch), "what has run directly can be started"
    where = fixture_key(fixture_of(judged, given))
    key = observation_key(judged.context, where, launch_key(straight), 0)
    return store.observations([key]).get(key)


def userland_of(store: Store, judged: Iterable[StoredBreaker]) -> str:
    """The userland under which all of these ran; raises UsageError where they did not all run under the same one."""
    names = set()
    for each in judged:
        ((context,),) = store.select("select context from contexts where key = ?", (each.context,))
        names.add(userland_name(json.loads(context)))
    if len(names) > 1:
        raise UsageError(f"these ran under several userlands ({', '.join(sorted(names))})", hint="name those of one")
    return names.pop()
