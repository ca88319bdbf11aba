"""The minimal reply of a breaker: the smallest program that still diverges under the same key."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qfuzz.bash.scan import contexts
from qfuzz.engine.laboratory import Breaker, Laboratory
from qfuzz.engine.repair import find_repair
from qfuzz.model.delivery import Refusal
from qfuzz.model.forms import Cause, MarkedChar, MinimalReply, Repair, marked
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.verdict import Channel
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.judge import judge
from qfuzz.shrink.passes.view import Parser
from qfuzz.shrink.reply import reduce_reply

MAX_CALLS = 300
"""Programs that are tried for one minimal reply."""

_REPEATS = 2
"""Further pairs of runs that must show the same before a minimal reply counts: three in all."""

TOKEN_RULE = "read otherwise on this path"


@dataclass(frozen=True, slots=True)
class FailureKey:
    """What must stay the same while a reply shrinks, so that it can't slide to another fault.

    `kind` says how the transported run ended: rejected, timeout, syntax, with a status, or silently; `channels` are
    those that differ.
    """

    kind: str
    channels: tuple[Channel, ...]


class ReductionInterrupted(KeyboardInterrupt):
    """The keyboard stopped the search; `best` is the smallest reply so far."""

    def __init__(self, best: MinimalReply) -> None:
        super().__init__()
        self.best = best


class Reducer:
    """Reduces the reply of one breaker. With `strict`, a candidate must still pass its task directly."""

    def __init__(self, breaker: Breaker, laboratory: Laboratory, spans: Parser, *, strict: bool) -> None:
        self._breaker = breaker
        self._laboratory = laboratory
        self._spans = spans
        self._strict = strict and breaker.task is not None
        self._key = self._key_of(breaker.program)

    def minimal_reply(self, original: Repair | None) -> MinimalReply | None:
        """The minimal reply with its own causes, or None where none is sure.

        It is stable in three runs; protecting its active characters restores it; its causes are causes of the original
        too, by character. A search whose result is not is made again with that asked of every candidate.
        """
        if self._key is None or Ending.TIMEOUT.value in self._key.kind:
            return None
        for careful in (False, True):
            reduction = reduce_reply(
                self._breaker.program, self._careful if careful else self._alike, spans=self._spans, budget=MAX_CALLS
            )
            if reduction.interrupted:
                raise ReductionInterrupted(MinimalReply(reduction.smallest, False, ()))
            try:
                causes = self._causes(reduction.smallest, original)
                sure = causes is not None and self._is_stable(reduction.smallest)
            except KeyboardInterrupt:
                raise ReductionInterrupted(MinimalReply(reduction.smallest, False, ())) from None
            if causes is not None and sure:
                return MinimalReply(reduction.smallest, reduction.finished, causes)
        return None

    def _alike(self, program: bytes) -> bool:
        return self._key_of(program) == self._key

    def _careful(self, program: bytes) -> bool:
        return self._alike(program) and self._protects(program) and self._is_stable(program)

    def _key_of(self, program: bytes) -> FailureKey | None:
        """The key of a program; None where it does not work directly as the original does, or does not diverge."""
        fixture = self._breaker.fixture
        direct = self._laboratory.direct(program, fixture)
        if not isinstance(direct, Observation) or direct.status.code != self._breaker.direct.status.code:
            return None
        if self._strict and self._breaker.task is not None and not judge(self._breaker.task, direct).passed:
            return None
        transported = self._laboratory.transported(program, fixture)
        if not isinstance(transported, Observation):
            return FailureKey(self._laboratory.kind(program, None, fixture, direct), ())
        channels = differing_channels(direct, transported)
        if not channels:
            return None
        return FailureKey(self._laboratory.ending(program, fixture), channels)

    def _protects(self, program: bytes) -> bool:
        """Whether protecting every active character brings the direct result back, where that is possible at all."""
        transport, fixture = self._breaker.transport, self._breaker.fixture
        if not transport.protects_characters():
            return True
        whole = transport.protect(program, [offset for offset, _ in transport.active(program)])
        direct = self._laboratory.direct(program, fixture)
        restored = self._laboratory.transported(whole, fixture)
        return (
            isinstance(direct, Observation)
            and isinstance(restored, Observation)
            and not differing_channels(direct, restored)
        )

    def _is_stable(self, program: bytes) -> bool:
        fixture = self._breaker.fixture
        return all(self._laboratory.repeats(program, fixture) for _ in range(_REPEATS))

    def _causes(self, program: bytes, original: Repair | None) -> tuple[Cause, ...] | None:
        """The causes of the minimal reply; None where they are no causes of the original.

        A transport without protection for characters has no causes but the tokens of what is left.
        """
        scan = contexts(program)
        if not self._breaker.transport.protects_characters():
            tokens = sorted(scan.tokens, key=lambda token: token.start)
            return (tuple(_token(program, token.start, token.end, scan.describe(token.start)) for token in tokens),)
        fixture = self._breaker.fixture
        direct = self._laboratory.direct(program, fixture)
        transported = self._laboratory.transported(program, fixture)
        assert isinstance(direct, Observation), "what diverges has run"
        assert not isinstance(transported, Refusal), "what is refused does not diverge"
        minimal = Breaker(program, None, fixture, self._breaker.transport, direct, transported)
        repair = find_repair(minimal, self._laboratory.beside(minimal), lambda offset: scan.context(offset).value)
        if repair is None or not repair.restorable or not _maps_onto(repair, original):
            return None
        return repair.causes


def _maps_onto(minimal: Repair, original: Repair | None) -> bool:
    """Whether each cause of the minimal reply has its characters in a cause, or the repair set, of the original."""
    if original is None or not original.restorable:
        return True
    known = [_characters(cause) for cause in original.causes] + [_characters(original.repair_set)]
    return all(any(_characters(cause) <= each for each in known) for cause in minimal.causes)


def _characters(cause: Cause) -> set[str]:
    return {one.char for one in cause}


def _token(program: bytes, start: int, end: int, context: str) -> MarkedChar:
    first = marked(program, start, context, TOKEN_RULE)
    return replace(first, char=program[start:end].decode("utf-8", "surrogateescape"))
