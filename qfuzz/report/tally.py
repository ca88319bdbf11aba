"""Counts of a run, by contract and transport: what the table of `qfuzz diff` shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qfuzz.engine.events import Judged, Result
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.compare import Stability

NOT_EXECUTED = (Outcome.REFUSED, Outcome.HARNESS_ERROR)


@dataclass(slots=True)
class Counts:
    """Counts of samples for one contract and transport.

    Those with a task: `judged` samples were delivered or rejected, of which `direct_passed` pass directly,
    `transported_passed` over the transport, `kept` on both. `failed` fail over it and `failed_with_exit_0` of these end
    with status 0. Those without: `compared`, of which `diverged`. The rest counts samples of both kinds.
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
    nondeterministic: int = 0
    direct_timeouts: int = 0
    harness_errors: int = 0

    def damage_points(self) -> float | None:
        """RN - RR in percentage points, a loss negative; None without data."""
        return 100 * (self.transported_passed - self.direct_passed) / self.judged if self.judged else None

    def retention(self) -> float | None:
        """Share of direct passes that also pass transported; None where there is no direct pass."""
        return self.kept / self.direct_passed if self.direct_passed else None


class Tally:
    """Counts by (model, contract, transport), in order of first appearance."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], Counts] = {}

    def add(self, event: Judged) -> None:
        reply = event.sample.reply
        for result in event.results:
            counts = self._counts.setdefault((reply.model, reply.contract, result.transport), Counts())
            _count(counts, event.direct, result)

    def rows(self) -> Iterator[tuple[str, str, str, Counts]]:
        for (model, contract, transport), counts in self._counts.items():
            yield model, contract, transport, counts

    @property
    def breakers(self) -> int:
        return sum(counts.breakers for counts in self._counts.values())

    @property
    def harness_errors(self) -> int:
        return sum(counts.harness_errors for counts in self._counts.values())


def _count(counts: Counts, direct: Result, result: Result) -> None:
    outcome = None if result.verdict is None else result.verdict.outcome
    stability = None if result.comparison is None else result.comparison.stability
    counts.breakers += result.breaker
    counts.rejected += outcome is Outcome.REJECTED
    counts.refused += outcome is Outcome.REFUSED
    counts.harness_errors += outcome is Outcome.HARNESS_ERROR
    counts.nondeterministic += stability is Stability.NONDETERMINISTIC
    counts.direct_timeouts += stability is Stability.DIRECT_TIMEOUT
    if outcome in NOT_EXECUTED:
        return
    if direct.verdict is not None and outcome is not None:
        passed = outcome is Outcome.PASS
        counts.judged += 1
        counts.direct_passed += direct.verdict.passed
        counts.transported_passed += passed
        counts.kept += passed and direct.verdict.passed
        counts.failed += not passed
        exited_0 = result.observation is not None and result.observation.status.code == 0
        counts.failed_with_exit_0 += not passed and exited_0
    else:
        counts.compared += stability in (Stability.SAME, Stability.DIVERGED)
    counts.diverged += stability is Stability.DIVERGED
