"""Repair set and causes of a breaker, found by running protected forms of its reply over the transport."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from qfuzz.bash.pairs import matched_pairs
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.forms import MarkedChar, Repair, marked
from qfuzz.model.observation import Observation
from qfuzz.model.task import Task
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.shrink.repair import Offsets, OutOfTrials, repair_form
from qfuzz.transports.base import Transport

MAX_TRIALS = 60
"""Executions for repair set and causes of one breaker."""

SYNTAX_ERROR_STATUS = 2
"""What bash and dash exit with when they can't parse their program; only then is the shell asked about the syntax."""

Observe = Callable[[Launch], Observation]
"""Runs a launch in the breaker's fixture."""

Parses = Callable[[Launch], bool]
"""Whether every shell of a launch can parse the text that reaches it."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """A reply that works directly and not over a transport, with what was seen. `task` None: known by divergence.

    `transported` None: the transport's parser rejected it.
    """

    program: bytes
    task: Task | None
    transport: Transport
    direct: Observation
    transported: Observation | None


class Trials:
    """Runs forms of a breaker's reply over its transport, each different text once, at most `most` of them.

    Afterwards `executions` is the number of runs. Asking a shell whether it can parse a text is not counted: nothing
    of the reply runs then.
    """

    def __init__(self, breaker: Breaker, observe: Observe, parses: Parses, most: int = MAX_TRIALS) -> None:
        self._breaker = breaker
        self._observe = observe
        self._parses = parses
        self._most = most
        self._observed: dict[bytes, Observation | Rejection | Refusal] = {}
        self._kinds: dict[bytes, str] = {}
        self.executions = 0
        if breaker.transported is not None:
            self._observed[breaker.program] = breaker.transported

    def restores(self, protected: Offsets) -> bool:
        """Two choices of characters that give one text are one trial."""
        outcome = self._outcome(self._text(protected))
        return isinstance(outcome, Observation) and not differing_channels(self._breaker.direct, outcome)

    def fails_alike(self, protected: Offsets) -> bool:
        text = self._text(protected)
        return not self.restores(protected) and self._kind(text) == self._kind(self._breaker.program)

    def _text(self, protected: Offsets) -> bytes:
        return self._breaker.transport.protect(self._breaker.program, protected)

    def _outcome(self, text: bytes) -> Observation | Rejection | Refusal:
        if text not in self._observed:
            delivery = self._breaker.transport.deliver(text)
            if isinstance(delivery, Launch):
                if self.executions >= self._most:
                    raise OutOfTrials
                self.executions += 1
                self._observed[text] = self._observe(delivery)
            else:
                self._observed[text] = delivery
        return self._observed[text]

    def _kind(self, text: bytes) -> str:
        """The class of a failing run: the failure class for a task; else the channels that differ."""
        if text not in self._kinds:
            self._kinds[text] = self._new_kind(text, self._outcome(text))
        return self._kinds[text]

    def _new_kind(self, text: bytes, outcome: Observation | Rejection | Refusal) -> str:
        if not isinstance(outcome, Observation):
            return judge_undelivered(outcome).outcome.value
        if self._breaker.task is None:
            return "+".join(channel.value for channel in differing_channels(self._breaker.direct, outcome))
        if outcome.parses is None and outcome.status.code == SYNTAX_ERROR_STATUS:
            delivery = self._breaker.transport.deliver(text)
            assert isinstance(delivery, Launch), "what was observed was launched"
            outcome = replace(outcome, parses=self._parses(delivery))
        return judge(self._breaker.task, outcome).outcome.value


def find_repair(breaker: Breaker, trials: Trials, context_of: Callable[[int], str]) -> Repair | None:
    """Repair set and causes, or None where the transport has no protection for single characters."""
    program, transport = breaker.program, breaker.transport
    if not transport.protects_characters():
        return None
    rules = dict(transport.active(program))
    form = repair_form(tuple(rules), matched_pairs(program, rules), trials)

    def mark(offset: int) -> MarkedChar:
        return marked(program, offset, context_of(offset), rules[offset])

    return Repair(
        form.restorable,
        form.finished,
        tuple(map(mark, form.repair_set)),
        tuple(tuple(map(mark, cause)) for cause in form.causes),
        transport.protect(program, form.repair_set),
    )
