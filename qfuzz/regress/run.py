"""Replaying cases: directly and over the transport of each, afresh, confirmed as every difference is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from qfuzz.engine.attempt import Attempt, Machinery
from qfuzz.engine.events import Result, Sample
from qfuzz.engine.here import require_here
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.ordered import ordered_map
from qfuzz.engine.plan import Plan
from qfuzz.escape.faults import TargetError
from qfuzz.jail.pool import Isolation
from qfuzz.model.errors import HostError, QfuzzError, UsageError
from qfuzz.model.forms import Forms
from qfuzz.model.reply import Reply
from qfuzz.regress.files import Placed
from qfuzz.regress.judge import Replayed, Standing, judge_case
from qfuzz.report.explain import Explained
from qfuzz.store.keys import fixture_key
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

_NONE_LACKING: Mapping[str, QfuzzError] = MappingProxyType({})

_NO_CONTEXT = ""
"""Keys only tell runs of one sample apart here: nothing is recalled and nothing stored."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Cases that run the same program in the same place: they share their direct runs."""

    cases: tuple[Placed, ...]
    fixture_key: str


def transports_of(
    cases: Sequence[Placed], isolation: Isolation = "bwrap"
) -> tuple[dict[str, Transport], dict[str, QfuzzError]]:
    """The transports that cases name, by that name; and why others can't be had here and with this isolation.

    That is a HostError, or a TargetError where an escaping function of the user's own is not there.

    Raises UsageError, with a case's place, for an unknown one.
    """
    found: dict[str, Transport] = {}
    lacking: dict[str, QfuzzError] = {}
    for placed in cases:
        name = placed.case.transport
        if name in found or name in lacking:
            continue
        try:
            transport = resolve(name)
        except UsageError as error:
            raise UsageError(error.what, where=placed.where, hint=error.hint) from None
        try:
            require_here(transport, isolation)
        except (HostError, TargetError) as error:
            lacking[name] = error
        else:
            found[name] = transport
    return found, lacking


def replay_cases(
    cases: Sequence[Placed],
    machinery: Machinery,
    timeout_seconds: float,
    jobs: int,
    lacking: Mapping[str, QfuzzError] = _NONE_LACKING,
) -> Iterator[Replayed]:
    """Each case as it stands, in order, whatever the number of jobs. Nothing is recalled from anywhere.

    `transports_of` says before which of their transports are `lacking`: cases over these are not run, for that reason.
    What this machine lacks leaves a case out; a path of the user's own that does not work leaves it unjudged. For an
    unknown one UsageError is raised.
    """
    transports = {name: resolve(name) for name in {placed.case.transport for placed in cases}}
    groups = _groups([placed for placed in cases if placed.case.transport not in lacking])
    direct = resolve("direct")

    def replayed(group: _Group) -> dict[int, Replayed]:
        named = {placed.case.transport: transports[placed.case.transport] for placed in group.cases}
        distinct = {transport.name: transport for transport in named.values()}
        first = group.cases[0]
        sample = Sample(0, Reply(first.case.program), None, "", first.fixture, group.fixture_key)
        plan = Plan.make(sample, _NO_CONTEXT, (direct, *distinct.values()))
        straight, results = Attempt(plan, machinery, {}, lambda *_: None).make()
        by_name: dict[str, Result] = {result.transport: result for result in results}
        return {
            id(placed): judge_case(placed, straight, by_name[transports[placed.case.transport].name], timeout_seconds)
            for placed in group.cases
        }

    done: dict[int, Replayed] = {}
    coming = ordered_map(replayed, groups, jobs)
    for placed in cases:
        if placed.case.transport in lacking:
            why = lacking[placed.case.transport]
            standing = Standing.LEFT_OUT if isinstance(why, HostError) else Standing.UNJUDGED
            yield Replayed(placed, standing, str(why))
            continue
        while id(placed) not in done:
            done.update(next(coming))
        yield done.pop(id(placed))


def _groups(cases: Sequence[Placed]) -> list[_Group]:
    grouped: dict[tuple[bytes, str], list[Placed]] = {}
    for placed in cases:
        key = placed.case.program, fixture_key(placed.fixture)
        grouped.setdefault(key, []).append(placed)
    return [_Group(tuple(same), key) for (_, key), same in grouped.items()]


def explained(replayed: Replayed, make: Callable[[Breaker], Forms]) -> Explained | None:
    """What `qfuzz explain` shows of a case that broke; None where there is nothing to explain."""
    if replayed.failure is None or replayed.direct is None or replayed.transported is None:
        return None
    placed = replayed.placed
    transport = resolve(placed.case.transport)
    breaker = Breaker(placed.case.program, None, placed.fixture, transport, replayed.direct, replayed.transported)
    title = f"{placed.where}: {placed.name}"
    return Explained("", title, placed.case.program, transport, replayed.direct, replayed.transported, make(breaker))
