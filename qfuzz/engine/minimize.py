"""All minimal forms of a breaker: what arrived, the payload's part, repair set and causes, the minimal reply."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from qfuzz.bash.scan import contexts
from qfuzz.engine.attempt import Machinery
from qfuzz.engine.laboratory import Breaker, Laboratory, Patience
from qfuzz.engine.payload import Rebuild, find_payload
from qfuzz.engine.reduce import Reducer, ReductionInterrupted
from qfuzz.engine.repair import find_repair
from qfuzz.model.delivery import Launch
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Observation
from qfuzz.shrink.passes.view import Parser
from qfuzz.shrink.repair import OutOfTrials

GENERATION = 2
"""Raised when other forms come out for the same breaker, so that stored ones of before are made anew."""

MAX_EXECUTIONS = 80
"""For payload, repair set and causes of one breaker."""

EXECUTIONS_PER_CHARACTER = 3
MAX_EXECUTIONS_OVER_STACKS = 600
"""Over several layers every blank can be active, and that one is needed shows only in runs of its own."""

MAX_REPLY_EXECUTIONS = 1000
"""For its minimal reply. The number of programs that are tried ends the search long before."""


_RUNS_BY_VERDICT = 2
"""Fresh runs on each path that must have the verdicts of the first ones."""


class Interrupted(KeyboardInterrupt):
    """The keyboard stopped the search for forms; `forms` holds what was found by then, and is not to be kept."""

    def __init__(self, forms: Forms) -> None:
        super().__init__()
        self.forms = forms


def minimize(
    breaker: Breaker,
    machinery: Machinery,
    rebuild: Rebuild,
    spans: Parser,
    *,
    strict: bool = False,
    patience: Patience | None = None,
) -> Forms:
    """The forms of one breaker. Equal breakers have equal forms, whatever else runs meanwhile.

    `rebuild` makes the task of other payloads, `spans` parses Bash. With `strict` a smaller reply must still pass its
    task directly. When the patience is over, the forms are what was found until then.
    """
    laboratory = Laboratory(breaker, machinery, _budget(breaker), patience)
    if breaker.by_verdict:
        return _by_verdict(breaker, machinery, laboratory, rebuild)
    payload = repair = best = None
    reducing = Laboratory(breaker, machinery, MAX_REPLY_EXECUTIONS, patience)
    try:
        payload = find_payload(breaker, laboratory, rebuild)
        repair = find_repair(breaker, laboratory, _context_of(breaker.program))
        with suppress(OutOfTrials):
            best = Reducer(breaker, reducing, spans, strict=strict).minimal_reply(repair)
        arrived = _arrived(breaker, machinery)
    except KeyboardInterrupt as stopped:
        if isinstance(stopped, ReductionInterrupted):
            best = stopped.best
        executions = laboratory.executions + reducing.executions
        raise Interrupted(Forms(None, repair, payload, best, executions)) from None
    return Forms(arrived, repair, payload, best, laboratory.executions + reducing.executions)


def _by_verdict(breaker: Breaker, machinery: Machinery, laboratory: Laboratory, rebuild: Rebuild) -> Forms:
    """The forms of a breaker that does not do the same twice, where at least its verdicts do.

    A smaller reply has no task that would judge it, so none is looked for.
    """
    arrived = _arrived(breaker, machinery)
    task, fixture = breaker.task, breaker.fixture
    assert task is not None, "verdicts are of a task"
    kinds = set()
    for _ in range(_RUNS_BY_VERDICT):
        laboratory.forget()
        if not laboratory.is_right(laboratory.direct(breaker.program, fixture)):
            return Forms(arrived, None, None, None, laboratory.executions)
        kinds.add(laboratory.kind(breaker.program, task, fixture, breaker.direct))
    if len(kinds) > 1 or laboratory.is_right(laboratory.transported(breaker.program, fixture)):
        return Forms(arrived, None, None, None, laboratory.executions)
    payload = find_payload(breaker, laboratory, rebuild)
    repair = find_repair(breaker, laboratory, _context_of(breaker.program))
    return Forms(arrived, repair, payload, None, laboratory.executions)


def _budget(breaker: Breaker) -> int:
    if sum(bool(boundary.rules) for boundary in breaker.transport.boundaries) < 2:
        return MAX_EXECUTIONS
    active = len(breaker.transport.active(breaker.program))
    return min(MAX_EXECUTIONS + EXECUTIONS_PER_CHARACTER * active, MAX_EXECUTIONS_OVER_STACKS)


def _context_of(program: bytes) -> Callable[[int], str]:
    scan = contexts(program)
    return lambda offset: scan.context(offset).value


def _arrived(breaker: Breaker, machinery: Machinery) -> bytes | None:
    if isinstance(breaker.transported, Observation) and breaker.transported.tapped:
        return breaker.transported.arrived
    delivery = breaker.transport.deliver(breaker.program)
    return machinery.recorder().text(delivery, breaker.fixture) if isinstance(delivery, Launch) else None
