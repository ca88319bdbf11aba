"""What the executions of one sample are: what each transport hands over, how often it may be run, under which keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qfuzz.engine.events import Sample
from qfuzz.model.delivery import Delivery, Launch
from qfuzz.model.errors import PathError
from qfuzz.store.keys import launch_key, observation_key
from qfuzz.transports.base import Transport

DIRECT = "direct"
PAIRS = 2
"""Pairs of runs that must differ alike before a difference counts as confirmed."""
PAIRS_IF_FAITHFUL = 8
"""The same over a transport that claims to carry everything. There a difference is far more often a race in the reply
(`ls | tee file` lists the file or not) than damage, and two pairs agree by chance in up to 1 of 16 such replies."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one sample needs: what each transport hands over, and the key of every observation that may be wanted.

    A path of the user's own may fail at it instead.

    `deliveries` are in the order direct, then each transport; `keys` maps a delivery's name to the keys of its runs, as
    many as there may be pairs.
    """

    sample: Sample
    context_key: str
    deliveries: Mapping[str, Delivery | PathError]
    keys: Mapping[str, tuple[str, ...]]

    @staticmethod
    def make(sample: Sample, context_key: str, transports: tuple[Transport, ...]) -> Plan:
        """`transports` has direct first."""
        deliveries = {transport.name: _delivered(transport, sample.reply.program) for transport in transports}
        pairs = {transport.name: PAIRS_IF_FAITHFUL if transport.faithful else PAIRS for transport in transports}
        # More than the pairs of this run: an earlier run may have made them, or this one may ask direct afresh.
        pairs[DIRECT] = PAIRS_IF_FAITHFUL
        keys = {}
        for name, delivery in deliveries.items():
            if isinstance(delivery, Launch):
                launch = launch_key(delivery)
                ordinals = range(pairs[name])
                keys[name] = tuple(observation_key(context_key, sample.fixture_key, launch, n) for n in ordinals)
        return Plan(sample, context_key, deliveries, keys)

    def wanted_keys(self) -> list[str]:
        return sorted({key for keys in self.keys.values() for key in keys})


def _delivered(transport: Transport, program: bytes) -> Delivery | PathError:
    try:
        return transport.deliver(program)
    except PathError as error:
        return error
