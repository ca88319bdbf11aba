"""What reaches the last shell, compared with the reply byte for byte, while nothing of the reply runs.

Sound for transports that should carry text untouched; free of danger and of nondeterminism. What an outer shell on the
way expands (a command substitution between double quotes, say) is executed by it, in the jail: that is the damage.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from qfuzz.engine.events import Sample
from qfuzz.engine.ordered import ordered_map
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import PathError
from qfuzz.model.task import Fixture
from qfuzz.transports.base import Transport


class Arrival(enum.Enum):
    SAME = "same"
    CHANGED = "changed"
    LOST = "lost"
    """No text reached a last shell: an outer one could not parse what it got, or started something else."""
    UNSEEN = "not seen"
    """A shell on the way is one that no recorder can stand before."""
    REJECTED = "rejected"
    REFUSED = "refused"
    FAILED = "harness-error"
    """A path of the user's own failed at the text."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """One text over one transport. `text` is what arrived, None where nothing did.

    `offset` is that of the first byte that differs, None where none does. `undelivered`: the transport started nothing,
    or a path of the user's own failed.
    """

    transport: str
    arrival: Arrival
    text: bytes | None = None
    offset: int | None = None
    undelivered: Refusal | Rejection | PathError | None = None


@dataclass(frozen=True, slots=True)
class ArrivedAt:
    """A sample and what became of its text, in the order of transports."""

    sample: Sample
    arrivals: tuple[Arrived, ...]


Stopped = Callable[[Launch, Fixture], bytes | None]
"""Starts a launch whose last shell does not start, and answers with the text that would have reached it."""


def arrivals(
    samples: Iterable[Sample], transports: tuple[Transport, ...], stopped: Stopped, jobs: int
) -> Iterator[ArrivedAt]:
    """Every sample over every transport, in the order of samples."""

    def each(sample: Sample) -> ArrivedAt:
        return ArrivedAt(sample, tuple(_arrived(sample, transport, stopped) for transport in transports))

    return ordered_map(each, samples, jobs)


def _arrived(sample: Sample, transport: Transport, stopped: Stopped) -> Arrived:
    try:
        return _delivered(sample, transport, stopped)
    except PathError as error:
        return Arrived(transport.name, Arrival.FAILED, undelivered=error)


def _delivered(sample: Sample, transport: Transport, stopped: Stopped) -> Arrived:
    program = sample.reply.program
    delivery = transport.deliver(program)
    if isinstance(delivery, Refusal):
        return Arrived(transport.name, Arrival.REFUSED, undelivered=delivery)
    if isinstance(delivery, Rejection):
        return Arrived(transport.name, Arrival.REJECTED, undelivered=delivery)
    # Without an inner shell the text that is handed over is what arrives, and nothing need be started.
    text: bytes | None = delivery.program
    if delivery.inner_shells:
        text = None if delivery.hides_arrival else stopped(delivery, sample.fixture)
    if text is None:
        return Arrived(transport.name, Arrival.LOST if transport.sees_arrival else Arrival.UNSEEN)
    whole_inside = transport.adds_text and program in text
    offset = None if whole_inside else first_difference(program, text)
    return Arrived(transport.name, Arrival.SAME if offset is None else Arrival.CHANGED, text, offset)


def first_difference(left: bytes, right: bytes) -> int | None:
    """The offset of the first byte at which two texts differ, or None where they are equal."""
    if left == right:
        return None
    pairs = zip(left, right, strict=False)
    return next((offset for offset, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))
