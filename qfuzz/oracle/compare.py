"""Divergence: do two executions differ on a decisive channel, and does a second pair say the same?"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from qfuzz.model.observation import Ending, Observation
from qfuzz.model.verdict import Channel

_ORDER = (Channel.STATUS, Channel.STDOUT, Channel.TREE)


def differing_channels(left: Observation, right: Observation) -> tuple[Channel, ...]:
    """The decisive channels on which two observations differ, in the order status, stdout, tree.

    Where something was cut off, what was kept decides: two cut streams with the same start count as equal. stderr
    decides nothing: its wording and interleaving differ between any two runs of a pipeline.
    """
    same = {
        # A shell between reports the signal n of its child as exit status 128+n, which `code` evens out.
        Channel.STATUS: left.status.code == right.status.code,
        Channel.STDOUT: left.stdout == right.stdout,
        Channel.TREE: left.tree == right.tree and left.git == right.git,
    }
    return tuple(channel for channel in _ORDER if not same[channel])


class Stability(enum.Enum):
    """What the pairs of runs showed."""

    SAME = "same"
    DIVERGED = "diverged"
    NONDETERMINISTIC = "nondeterministic"
    DIRECT_TIMEOUT = "direct-timeout"
    """The direct run did not end, so there is nothing whole to compare with."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """`channels` are those on which direct and transported differ, for a confirmed divergence only."""

    stability: Stability
    channels: tuple[Channel, ...] = ()

    @property
    def diverged(self) -> bool:
        return self.stability is Stability.DIVERGED

    @property
    def differs(self) -> bool | None:
        """Whether the path did something else; None where the pairs showed neither."""
        return self.diverged if self.stability in (Stability.SAME, Stability.DIVERGED) else None


def needs_second_pair(direct: Observation, transported: Observation) -> bool:
    """Whether a transported run differs from the first direct run, so that only a second pair can settle it."""
    return bool(differing_channels(direct, transported))


def compare(direct: tuple[Observation, ...], transported: tuple[Observation, ...]) -> Comparison:
    """Compare runs taken in the order direct, transported, direct, transported, and so on.

    `direct` has two runs or more. `transported` has one run where it equalled the first direct run, or where it did not
    end, which an execution of its own has confirmed; else as many as there are pairs. The reply is nondeterministic if
    direct runs differ from each other, or if the pairs do not all differ on the same channels.
    """
    if direct[0].status.ending is Ending.TIMEOUT:
        return Comparison(Stability.DIRECT_TIMEOUT)
    assert len(direct) >= 2, "direct runs twice"
    if any(differing_channels(direct[0], other) for other in direct[1:]):
        return Comparison(Stability.NONDETERMINISTIC)
    first = differing_channels(direct[0], transported[0])
    if not first:
        return Comparison(Stability.SAME)
    confirmed = len(transported) >= 2 or transported[0].status.ending is Ending.TIMEOUT
    assert confirmed, "a difference is settled by a second pair"
    if any(differing_channels(direct[0], other) != first for other in transported[1:]):
        return Comparison(Stability.NONDETERMINISTIC)
    return Comparison(Stability.DIVERGED, first)
