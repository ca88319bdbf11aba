"""The payload's part in a breaker, found by putting other payloads in its place and running both paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qfuzz.engine.laboratory import Breaker, Laboratory
from qfuzz.model.forms import PayloadPart
from qfuzz.model.observation import Observation
from qfuzz.model.task import Task
from qfuzz.oracle.judge import judge
from qfuzz.shrink.payload import PayloadForm, payload_form
from qfuzz.shrink.repair import OutOfTrials

Rebuild = Callable[[Mapping[str, bytes]], Task | None]
"""The task of other payloads, or None where its family does not make it."""


def find_payload(breaker: Breaker, laboratory: Laboratory, rebuild: Rebuild) -> PayloadPart | None:
    """The payload's part; None where there is no task, or the budget ended first."""
    task = breaker.task
    if task is None:
        return None
    kind = laboratory.kind(breaker.program, task, task.fixture, breaker.direct)

    def passes_direct(other: Task, program: bytes) -> bool:
        outcome = laboratory.direct(program, other.fixture)
        return isinstance(outcome, Observation) and judge(other, outcome).passed

    def breaks(other: Task, program: bytes) -> bool:
        # Direct first: most programs that are tried in vain fail there, and then the second run is saved.
        if not passes_direct(other, program):
            return False
        direct = laboratory.direct(program, other.fixture)
        assert isinstance(direct, Observation), "what passes has run"
        return laboratory.kind(program, other, other.fixture, direct) == kind

    try:
        return _part(payload_form(task, breaker.program, rebuild, passes_direct, breaks))
    except OutOfTrials:
        return None


def _part(form: PayloadForm) -> PayloadPart:
    reason = None if form.reason is None else form.reason.value
    return PayloadPart(form.status.value, form.role, form.stack, form.minimal, form.program, reason)
