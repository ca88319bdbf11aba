"""What a replayed case shows: is it as its file expects? A pure function of what was seen."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from qfuzz.engine.events import Result
from qfuzz.model.case import Expect, Failure, Way
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.compare import Stability
from qfuzz.oracle.describe import describe_difference
from qfuzz.oracle.judge import judge
from qfuzz.regress.files import Placed


class Standing(enum.Enum):
    """How a case stands. Only the first is good.

    `BROKE`: it should survive and does not. `MENDED`: it should be broken and survives. `OTHERWISE`: it is broken in
    another way than the file says. `REFUSED`: the transport can't carry it, which is no damage and nothing shown.
    `UNJUDGED`: nothing can be said, for the reason given. `LEFT_OUT`: it was not run, for this machine lacks
    its transport.
    """

    AS_EXPECTED = "as-expected"
    BROKE = "broke"
    MENDED = "mended"
    OTHERWISE = "otherwise"
    REFUSED = "refused"
    UNJUDGED = "unjudged"
    LEFT_OUT = "left-out"


@dataclass(frozen=True, slots=True)
class Replayed:
    """A case that was replayed. `direct` and `transported` are the first runs, None where nothing ran.

    `failure` is how it broke, None where it did not or where that can't be told; `what` says in one line what was seen.
    """

    placed: Placed
    standing: Standing
    what: str
    failure: Failure | None = None
    direct: Observation | None = None
    transported: Observation | Rejection | None = None

    @property
    def as_expected(self) -> bool:
        return self.standing is Standing.AS_EXPECTED


@dataclass(frozen=True, slots=True)
class _Seen:
    """`broken` None: nothing can be said, for the reason in `what`."""

    broken: bool | None
    what: str
    failure: Failure | None = None


def judge_case(placed: Placed, direct: Result, result: Result, timeout_seconds: float) -> Replayed:
    """How a case stands after its direct result and the one over its transport."""
    transported = result.observation
    outcome = result.undelivered if isinstance(result.undelivered, Rejection) else transported
    if isinstance(result.undelivered, Refusal):
        refusal = result.undelivered
        what = f"{refusal.boundary} can't carry it: {refusal.reason} (byte {refusal.offset})"
        return Replayed(placed, Standing.REFUSED, what, None, direct.observation, None)
    seen = _seen(placed, direct, result, timeout_seconds)
    standing = _standing(placed, seen)
    return Replayed(placed, standing, seen.what, seen.failure, direct.observation, outcome)


def _standing(placed: Placed, seen: _Seen) -> Standing:
    case = placed.case
    if seen.broken is None:
        return Standing.UNJUDGED
    if case.expect is Expect.SURVIVES:
        return Standing.BROKE if seen.broken else Standing.AS_EXPECTED
    if not seen.broken:
        return Standing.MENDED
    same = seen.failure is None or seen.failure == case.failure
    return Standing.AS_EXPECTED if same else Standing.OTHERWISE


def _seen(placed: Placed, direct: Result, result: Result, timeout_seconds: float) -> _Seen:
    for each in (direct, result):
        if each.verdict is not None and each.verdict.outcome is Outcome.HARNESS_ERROR:
            return _Seen(None, each.verdict.detail)
    if isinstance(direct.undelivered, (Refusal, Rejection)):
        return _Seen(None, "it can't be run directly, so there is nothing to compare with")
    observed = direct.observation
    if observed is None or observed.status.ending is Ending.TIMEOUT:
        return _Seen(None, f"does not end in {timeout_seconds:g} s directly, so there is nothing to compare with")
    if isinstance(result.undelivered, Rejection):
        what = f"{result.undelivered.boundary}: {result.undelivered.message}"
        return _Seen(True, what, Failure(Way.REJECTED))
    compared, transported = result.comparison, result.observation
    assert compared is not None, "what ran directly and over a transport is compared"
    assert transported is not None, "what is compared has run"
    if compared.stability is Stability.SAME:
        return _Seen(False, "does what it does directly")
    if compared.stability is Stability.DIVERGED:
        failure = Failure(way_of(transported), compared.channels)
        return _Seen(True, describe_difference(observed, transported, compared.channels), failure)
    return _by_verdict(placed, observed, transported)


def _by_verdict(placed: Placed, direct: Observation, transported: Observation) -> _Seen:
    """What never does the same twice can be judged by its task alone, where it has one that it solves directly."""
    if placed.task is None or not judge(placed.task, direct).passed:
        return _Seen(None, "does not do the same twice, so nothing can be shown; take it out, or make it stable")
    verdict = judge(placed.task, transported)
    if verdict.passed:
        return _Seen(False, "solves its task, as it does directly; it never does the same twice")
    return _Seen(True, f"{verdict.outcome.value}: {verdict.detail}; it never does the same twice")


def way_of(transported: Observation) -> Way:
    """How a transported run failed that is known to differ."""
    if transported.status.ending is Ending.TIMEOUT:
        return Way.TIMEOUT
    return Way.STATUS if transported.status.code else Way.SILENT
