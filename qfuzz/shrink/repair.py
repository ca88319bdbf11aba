"""Which characters a boundary must protect to restore the direct result, and which of them fail by themselves.

A trial protects some of the active characters of a reply and runs the result over the transport. Two facts are asked
of it: whether the direct result is back, and in which class the run fails if not.

**Repair set.** A set of characters whose protection restores the direct result, such that leaving out any one of them,
or any matched pair of quotes, does not. One at a time would be too weak: a lone quote fails as a syntax error, so the
two of a pair hide each other.

**Causes.** Minimal sets of characters that, alone unprotected while every other active one is protected, fail in the
class of the breaker. Independent faults come out as several causes; sets that share a character are one tangled cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

Offsets = frozenset[int]
Pair = tuple[int, int]


class OutOfTrials(Exception):
    """Raised by trials that may run no more."""


class TrialsOf(Protocol):
    """Runs the reply with some characters protected, and is expected to remember what it has run.

    Two questions and not one answer: the second can need more runs than the first. Either may raise OutOfTrials.
    """

    def restores(self, protected: Offsets) -> bool:
        """Whether the direct result is back."""

    def fails_alike(self, protected: Offsets) -> bool:
        """Whether the run fails in the class of the breaker."""


@dataclass(frozen=True, slots=True)
class RepairForm:
    """`repair_set` and each of `causes` are sorted offsets among `active`; `causes` are sorted by their first offset.

    `restorable` False: protecting every active character does not bring the direct result back, so nothing can be
    said. `finished` False: the budget of trials ended first; the repair set restores all the same, and may not be
    minimal.
    """

    restorable: bool
    finished: bool = True
    repair_set: tuple[int, ...] = ()
    causes: tuple[tuple[int, ...], ...] = ()
    active: tuple[int, ...] = ()


def repair_form(active: Sequence[int], pairs: Iterable[Pair], trials: TrialsOf) -> RepairForm:
    """Repair set and causes of a breaker. The same answers of `trials` give the same form.

    `active` are the offsets of the active characters, `pairs` the matched quotes among them.
    """
    search = _Search(frozenset(active), sorted(set(pairs)), trials)
    try:
        if not trials.restores(search.active):
            return RepairForm(restorable=False)
    except OutOfTrials:
        return RepairForm(restorable=False, finished=False)
    finished = True
    try:
        search.find_repair_set()
        search.find_causes()
    except OutOfTrials:
        finished = False
    causes = sorted(tuple(sorted(cause)) for cause in _untangled(search.causes))
    return RepairForm(True, finished, tuple(sorted(search.repair_set)), tuple(causes), tuple(sorted(search.active)))


class _Search:
    def __init__(self, active: Offsets, pairs: list[Pair], trials: TrialsOf) -> None:
        self.active = active
        self.repair_set = active
        self.causes: list[Offsets] = []
        self._pairs = [frozenset(pair) for pair in pairs]
        self._trials = trials

    def find_repair_set(self) -> None:
        """Leaves `repair_set` minimal. It restores at every moment, so an interrupted search has a valid one."""
        # Causes ask the same of the whole set, so these trials serve twice.
        needless = [unit for unit in self._units(self.active) if self._trials.restores(self.active - unit)]
        together = self.active.difference(*needless)
        if self._trials.restores(together):
            self.repair_set = together
        else:
            self._leave_out(needless)
        while self._leave_out(self._units(self.repair_set)):
            pass

    def _leave_out(self, units: Iterable[Offsets]) -> bool:
        """One pass over units of the repair set, leaving out what is not needed; whether there was any."""
        before = self.repair_set
        for unit in units:
            if unit <= self.repair_set and self._trials.restores(self.repair_set - unit):
                self.repair_set -= unit
        return self.repair_set != before

    def find_causes(self) -> None:
        """Singles, then pairs of quotes, then what is left by delta debugging; each is minimal."""
        singles = [frozenset((offset,)) for offset in sorted(self.active)]
        self.causes += [unit for unit in singles if self._alone_fails_alike(unit)]
        covered = frozenset().union(*self.causes)
        self.causes += [pair for pair in self._pairs if not pair & covered and self._alone_fails_alike(pair)]
        # Characters that the repair does not need can't be what is left, and would only be tried in vain.
        rest = self.repair_set.difference(*self.causes)
        while rest and self._alone_fails_alike(rest):
            cause = self._minimal_cause(rest)
            self.causes.append(cause)
            rest -= cause
        if not self.causes and self._alone_fails_alike(self.active):
            self.causes.append(self._minimal_cause(self.active))

    def _minimal_cause(self, failing: Offsets) -> Offsets:
        """A subset that fails alike and none of whose units can be left out."""
        current = failing
        while True:
            # A whole half first: most of a large set is usually beside the point.
            ordered = sorted(current)
            half = len(ordered) // 2
            halves = [frozenset(ordered[:half]), frozenset(ordered[half:])] if half > 1 else []
            smaller = next((part for part in halves if self._alone_fails_alike(part)), None)
            if smaller is None:
                reduced = (current - unit for unit in self._units(current) if unit != current)
                smaller = next((part for part in reduced if self._alone_fails_alike(part)), None)
            if smaller is None:
                return current
            current = smaller

    def _units(self, within: Offsets) -> list[Offsets]:
        """What may be left out at once: each matched pair, and each character, from the left."""
        pairs = [pair for pair in self._pairs if pair <= within]
        return pairs + [frozenset((offset,)) for offset in sorted(within)]

    def _alone_fails_alike(self, unprotected: Offsets) -> bool:
        return self._trials.fails_alike(self.active - unprotected)


def _untangled(causes: Iterable[Offsets]) -> list[Offsets]:
    """Causes that share a character, joined."""
    joined: list[Offsets] = []
    for cause in causes:
        apart = [other for other in joined if not other & cause]
        joined = [*apart, cause.union(*(other for other in joined if other & cause))]
    return joined
