"""Counts of a run, by contract and transport: what the table of `qfuzz diff` shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from qfuzz.engine.events import Judged, Result
from qfuzz.model.delivery import Rejection
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.compare import Stability

_MOST_REASONS = 5
_MOST_PLACES = 5


@dataclass(slots=True)
class Counts:
    """Counts of samples for one contract and transport, either all with a task or all without.

    With a task: `judged` samples ran or were rejected, of which `direct_passed` pass directly, `transported_passed`
    over the transport, `kept` on both. `failed` fail over it and `failed_with_exit_0` of these end with status 0.
    Without: `compared`, of which `diverged`. `no_direct` could not be started directly, so there is nothing to hold
    the transport to; these, `refused` and `harness_errors` are counted nowhere else.
    """

    judged: int = 0
    direct_passed: int = 0
    transported_passed: int = 0
    kept: int = 0
    failed: int = 0
    failed_with_exit_0: int = 0
    compared: int = 0
    diverged: int = 0
    breakers: int = 0
    rejected: int = 0
    refused: int = 0
    no_direct: int = 0
    nondeterministic: int = 0
    direct_timeouts: int = 0
    harness_errors: int = 0

    def damage_points(self) -> float | None:
        """RN - RR in percentage points, a loss negative; None without data."""
        return 100 * (self.transported_passed - self.direct_passed) / self.judged if self.judged else None

    def retention(self) -> float | None:
        """Share of direct passes that also pass transported; None where there is no direct pass."""
        return self.kept / self.direct_passed if self.direct_passed else None


@dataclass(slots=True)
class Places:
    """How many replies, and where the first of them are."""

    count: int = 0
    first: list[str] = field(default_factory=list)


class Row(NamedTuple):
    """Counts and what they are counts of."""

    model: str
    contract: str
    transport: str
    with_task: bool
    counts: Counts


class MatchedCells(NamedTuple):
    """Pass rates in percent: raw replies directly, raw replies over the transport, replies told of it over it."""

    model: str
    transport: str
    rr: float
    rn: float
    nn: float


class Tally:
    """Counts by model, contract, transport and whether there is a task, in order of first appearance."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str, bool], Counts] = {}
        self._reasons: Counter[str] = Counter()
        self.unsettled: dict[Stability, Places] = {
            stability: Places() for stability in (Stability.NONDETERMINISTIC, Stability.DIRECT_TIMEOUT)
        }
        """Replies without a task that could not be compared over some transport, by the reason."""

    def add(self, event: Judged) -> None:
        reply = event.sample.reply
        with_task = event.sample.task is not None
        if not with_task:
            self._keep_unsettled(event)
        for result in event.results:
            key = (reply.model, reply.contract, result.transport, with_task)
            self._keep_reason(result)
            _count(self._counts.setdefault(key, Counts()), event.direct, result, with_task)

    def _keep_reason(self, result: Result) -> None:
        if result.verdict is None or result.verdict.outcome is not Outcome.HARNESS_ERROR:
            return
        if result.verdict.detail in self._reasons or len(self._reasons) < _MOST_REASONS:
            self._reasons[result.verdict.detail] += 1

    def _keep_unsettled(self, event: Judged) -> None:
        seen = {result.comparison.stability for result in event.results if result.comparison is not None}
        for stability, places in self.unsettled.items():
            if stability in seen:
                places.count += 1
                if len(places.first) < _MOST_PLACES:
                    places.first.append(event.sample.where or f"reply {event.sample.index + 1}")

    def rows(self) -> Iterator[Row]:
        for key, counts in self._counts.items():
            yield Row(*key, counts)

    @property
    def breakers(self) -> int:
        return sum(counts.breakers for counts in self._counts.values())

    @property
    def harness_errors(self) -> int:
        return sum(counts.harness_errors for counts in self._counts.values())

    @property
    def reasons(self) -> Mapping[str, int]:
        """Some of the reasons of harness errors, in order of first appearance, and how often they were given."""
        return self._reasons

    def matched_cells(self) -> Iterator[MatchedCells]:
        """For each model and transport with raw replies and replies that were told of it: RR, RN and NN in percent."""
        for (model, contract, transport, with_task), raw in self._counts.items():
            told = self._counts.get((model, f"disclosed:{transport}", transport, True))
            if contract == "raw" and with_task and raw.judged and told is not None and told.judged:
                yield MatchedCells(
                    model,
                    transport,
                    100 * raw.direct_passed / raw.judged,
                    100 * raw.transported_passed / raw.judged,
                    100 * told.transported_passed / told.judged,
                )


def _count(counts: Counts, direct: Result, result: Result, with_task: bool) -> None:
    outcome = None if result.verdict is None else result.verdict.outcome
    if outcome is Outcome.REFUSED:
        counts.refused += 1
    elif outcome is Outcome.HARNESS_ERROR:
        counts.harness_errors += 1
    elif direct.undelivered is not None:
        counts.no_direct += 1
    else:
        _count_executed(counts, direct, result, with_task)


def _count_executed(counts: Counts, direct: Result, result: Result, with_task: bool) -> None:
    stability = None if result.comparison is None else result.comparison.stability
    counts.breakers += result.breaker
    counts.rejected += isinstance(result.undelivered, Rejection)
    counts.nondeterministic += stability is Stability.NONDETERMINISTIC
    counts.direct_timeouts += stability is Stability.DIRECT_TIMEOUT
    counts.diverged += stability is Stability.DIVERGED
    if not with_task:
        counts.compared += stability in (Stability.SAME, Stability.DIVERGED)
        return
    assert direct.verdict is not None, "a task gives the direct run a verdict"
    assert result.verdict is not None, "a task gives every run a verdict"
    passed = result.verdict.passed
    counts.judged += 1
    counts.direct_passed += direct.verdict.passed
    counts.transported_passed += passed
    counts.kept += passed and direct.verdict.passed
    counts.failed += not passed
    exited_0 = result.observation is not None and result.observation.status.code == 0
    counts.failed_with_exit_0 += not passed and exited_0
