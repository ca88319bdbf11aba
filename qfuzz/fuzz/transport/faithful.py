"""Holds many transports at once to what they claim: drawn programs do the same over each as directly.

An armor is such a claim too: a program that is armored for a transport, and carried by it, does what it does directly.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.events import Judged, Result, Sample
from qfuzz.engine.run import RunPlan, replay
from qfuzz.fuzz.transport.campaign import sample_of
from qfuzz.fuzz.transport.draw import drawn_cases
from qfuzz.model.content import JsonValue
from qfuzz.model.delivery import Delivery, Refusal
from qfuzz.model.verdict import Channel, Outcome
from qfuzz.oracle.compare import Stability
from qfuzz.oracle.declared import declared_exceptions
from qfuzz.strategies.cases import Case
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve


@dataclass(frozen=True, slots=True)
class Armored(Transport):
    """A transport that armors a program before it carries it, and so claims to be faithful."""

    @staticmethod
    def of(transport: Transport) -> Armored:
        return Armored(f"armor of {transport.name}", transport.boundaries, transport.starter)

    @property
    def faithful(self) -> bool:
        return True

    def deliver(self, text: bytes) -> Delivery:
        # Not `super()`: a dataclass with slots is made anew, and `super()` would mean the one before.
        armored = Transport.armor(self, text)
        if armored is None:
            return Refusal(self.name, 0, "has no lossless way")
        return Transport.deliver(self, armored)


@dataclass(frozen=True, slots=True)
class Divergence:
    """A program that did not do the same over a transport that claims to be faithful. `what` says how it is known."""

    transport: str
    case: Case
    what: str


@dataclass(frozen=True, slots=True)
class Held:
    """What was tried: numbers of programs, and by transport of those that were compared and refused.

    `unstable` programs did not do the same twice somewhere, or did not end directly; over that transport they are not
    compared.
    """

    programs: int
    compared: Mapping[str, int]
    refused: Mapping[str, int]
    unstable: int
    divergences: tuple[Divergence, ...]
    seconds: float


def hold(
    transports: Sequence[Transport],
    machinery: Machinery,
    context: Mapping[str, JsonValue],
    *,
    seed: int,
    jobs: int,
    examples: int | None = None,
    seconds: float | None = None,
) -> Held:
    """Run `examples` drawn programs, or as many as `seconds` allow, over all transports."""
    assert examples is not None or seconds is not None, "without end"
    began = time.monotonic()
    drawn: dict[int, Case] = {}

    def cases() -> Iterator[Case]:
        for _, case in drawn_cases(seed):
            if seconds is not None and time.monotonic() - began >= seconds:
                return
            yield case

    def samples() -> Iterator[Sample]:
        for index, case in enumerate(islice(cases(), examples)):
            drawn[index] = case
            yield sample_of(index, case)

    compared = dict.fromkeys((transport.name for transport in transports), 0)
    refused = dict.fromkeys(compared, 0)
    by_name = {transport.name: transport for transport in transports}
    divergences: list[Divergence] = []
    programs = unstable = 0
    plan = RunPlan(samples(), 0, resolve("direct"), tuple(transports), context, jobs)
    for event in replay(plan, machinery, lambda _: {}):
        if not isinstance(event, Judged):
            continue
        case = drawn.pop(event.sample.index)
        programs += 1
        unstable += any(_is_unstable(result) for result in event.results)
        for result in event.results:
            if result.verdict is not None and result.verdict.outcome is Outcome.REFUSED:
                refused[result.transport] += 1
            elif not _is_unstable(result):
                compared[result.transport] += 1
                what = _difference(event.direct, result, by_name[result.transport])
                if what:
                    divergences.append(Divergence(result.transport, case, what))
    return Held(programs, compared, refused, unstable, tuple(divergences), time.monotonic() - began)


def _is_unstable(result: Result) -> bool:
    unstable = (Stability.NONDETERMINISTIC, Stability.DIRECT_TIMEOUT)
    return result.comparison is not None and result.comparison.stability in unstable


def _difference(direct: Result, result: Result, transport: Transport) -> str:
    """How a result is not the same as the direct one; empty where it is, apart from what the transport declares."""
    if result.comparison is None:
        return "rejected" if result.verdict is None else f"{result.verdict.outcome.value}: {result.verdict.detail}"
    stability = result.comparison.stability
    if stability is Stability.SAME:
        return ""
    seen = direct.observation, result.observation
    if seen[0] is not None and seen[1] is not None and declared_exceptions(transport.exceptions, seen[0], seen[1]):
        return ""
    lost = () if transport.keeps_status else (Channel.STATUS,)
    channels = [channel.value for channel in result.comparison.channels if channel not in lost]
    return f"{stability.value} {', '.join(channels)}" if channels else ""
