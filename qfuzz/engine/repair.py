"""Repair set and causes of a breaker, found by running protected forms of its reply over the transport."""

from __future__ import annotations

from collections.abc import Callable

from qfuzz.bash.pairs import matched_pairs
from qfuzz.engine.laboratory import Breaker, Laboratory
from qfuzz.model.forms import MarkedChar, Repair, marked
from qfuzz.shrink.repair import Offsets, OutOfTrials, RepairForm, repair_form


class Trials:
    """The questions of the search, asked of a laboratory. Two choices of characters that give one text are one run."""

    def __init__(self, breaker: Breaker, laboratory: Laboratory) -> None:
        self._breaker = breaker
        self._laboratory = laboratory

    def restores(self, protected: Offsets) -> bool:
        return self._laboratory.is_right(self._laboratory.transported(self._text(protected), self._breaker.fixture))

    def fails_alike(self, protected: Offsets) -> bool:
        return not self.restores(protected) and self._kind(self._text(protected)) == self._kind(self._breaker.program)

    def _text(self, protected: Offsets) -> bytes:
        return self._breaker.transport.protect(self._breaker.program, protected)

    def _kind(self, text: bytes) -> str:
        return self._laboratory.kind(text, self._breaker.task, self._breaker.fixture, self._breaker.direct)


def find_repair(breaker: Breaker, laboratory: Laboratory, context_of: Callable[[int], str]) -> Repair | None:
    """Repair set and causes, or None where the transport has no protection for single characters.

    `context_of` gives the quoting context of a byte of the reply.
    """
    program, transport = breaker.program, breaker.transport
    if not transport.protects_characters():
        return None
    rules = dict(transport.active(program))
    trials = Trials(breaker, laboratory)
    form = repair_form(tuple(rules), matched_pairs(program, rules), trials)
    if breaker.by_verdict and not _holds_again(form, trials, laboratory):
        return None

    def mark(offset: int) -> MarkedChar:
        return marked(program, offset, context_of(offset), rules[offset])

    return Repair(
        form.restorable,
        form.finished,
        tuple(map(mark, form.repair_set)),
        tuple(tuple(map(mark, cause)) for cause in form.causes),
        transport.protect(program, form.repair_set),
    )


def _holds_again(form: RepairForm, trials: Trials, laboratory: Laboratory) -> bool:
    """Whether the repair set restores and each cause fails in runs of their own: one run of what changes proves little.

    Causes that are several faults joined fail in some class, and are not asked for it.
    """
    if not form.restorable:
        return True
    laboratory.forget()
    active = frozenset(form.active)
    try:
        return trials.restores(frozenset(form.repair_set)) and not any(
            trials.restores(active - frozenset(cause)) for cause in form.causes
        )
    except OutOfTrials:
        return False
