"""Runs forms of one breaker's reply: each different execution once, and no more of them than a budget allows."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.syntax import with_syntax
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import PathError
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture, Task
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.shrink.repair import OutOfTrials
from qfuzz.store.keys import fixture_key, launch_key
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

Outcome = Observation | Rejection | Refusal


@dataclass(frozen=True, slots=True)
class Breaker:
    """A reply that works directly and not over a transport, with what was seen. `task` None: known by divergence.

    `transported` is what the transport's own parser said where it rejected the reply. `by_verdict`: it does not do the
    same twice, so that only the verdicts of its task say whether a run is as it should be.
    """

    program: bytes
    task: Task | None
    fixture: Fixture
    transport: Transport
    direct: Observation
    transported: Observation | Rejection
    by_verdict: bool = False


@dataclass(slots=True)
class Patience:
    """What may be spent on one breaker, by all laboratories that are given it.

    `until` is a time of time.monotonic(); `timeouts` a number of runs that do not end. `ran_out`: a run was refused.
    """

    until: float = math.inf
    timeouts: float = math.inf
    ran_out: bool = False

    def ask(self) -> None:
        """Raises OutOfTrials where nothing is left."""
        if self.timeouts <= 0 or time.monotonic() >= self.until:
            self.ran_out = True
            raise OutOfTrials


class Laboratory:
    """`executions` counts runs of a reply. Asking a shell about syntax runs nothing of one, and is not counted."""

    def __init__(self, breaker: Breaker, machinery: Machinery, most: int, patience: Patience | None = None) -> None:
        self._breaker = breaker
        self._machinery = machinery
        self._most = most
        self.patience = patience or Patience()
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        self._direct = resolve("direct")
        self._fixture_keys: dict[int, tuple[Fixture, str]] = {}
        self._counter: Counter[str] = Counter()
        self._remember(self._direct, breaker.direct)
        self._remember(breaker.transport, breaker.transported)

    @property
    def executions(self) -> int:
        return self._counter.total()

    def direct(self, program: bytes, fixture: Fixture) -> Outcome:
        return self._over(self._direct, program, fixture)

    def transported(self, program: bytes, fixture: Fixture) -> Outcome:
        return self._over(self._breaker.transport, program, fixture)

    def beside(self, breaker: Breaker) -> Laboratory:
        """A laboratory for another breaker with the same machinery, on the budget of this one."""
        other = Laboratory(breaker, self._machinery, self._most, self.patience)
        other._counter = self._counter
        return other

    def ending(self, program: bytes, fixture: Fixture) -> str:
        """How the transported run ended: rejected, refused, timeout, syntax, status or silent."""
        outcome = self._with_syntax(program, fixture)
        if not isinstance(outcome, Observation):
            return judge_undelivered(outcome).outcome.value
        if outcome.status.ending is Ending.TIMEOUT:
            return Ending.TIMEOUT.value
        if outcome.parses is False:
            return "syntax"
        return "silent" if outcome.status.code == 0 else "status"

    def is_right(self, outcome: Outcome) -> bool:
        """Whether an outcome is the direct result; for a breaker that is known by verdict alone, whether it passes."""
        if not isinstance(outcome, Observation):
            return False
        if self._breaker.by_verdict:
            assert self._breaker.task is not None, "verdicts are of a task"
            return judge(self._breaker.task, outcome).passed
        return not differing_channels(self._breaker.direct, outcome)

    def forget(self) -> None:
        """Have everything run again."""
        self._outcomes.clear()

    def repeats(self, program: bytes, fixture: Fixture) -> bool:
        """Whether direct and transported, run once more, leave the same as before."""
        for transport in (self._direct, self._breaker.transport):
            before = self._over(transport, program, fixture)
            delivery = transport.deliver(program)
            if not isinstance(before, Observation) or not isinstance(delivery, Launch):
                continue
            if differing_channels(before, self._run(delivery, fixture)):
                return False
        return True

    def kind(self, program: bytes, task: Task | None, fixture: Fixture, direct: Observation) -> str:
        """The class of a transported run: the outcome of its verdict; without a task, the channels that differ."""
        outcome = self.transported(program, fixture)
        if not isinstance(outcome, Observation):
            return judge_undelivered(outcome).outcome.value
        if task is None:
            return "+".join(channel.value for channel in differing_channels(direct, outcome))
        outcome = self._with_syntax(program, fixture)
        assert isinstance(outcome, Observation), "it was one before"
        return judge(task, outcome).outcome.value

    def _with_syntax(self, program: bytes, fixture: Fixture) -> Outcome:
        """The transported outcome, with what its shells say of the syntax where it ended with a status."""
        outcome = self.transported(program, fixture)
        if not isinstance(outcome, Observation):
            return outcome
        launch = self._breaker.transport.deliver(program)
        assert isinstance(launch, Launch), "what was observed was launched"
        # Behind an inner shell a syntax error can end with status 0.
        may_tell = outcome.status.code is not None and (outcome.status.code != 0 or launch.inner_shells)
        if outcome.parses is None and may_tell:
            recorder = self._machinery.recorder()
            try:
                outcome = with_syntax(
                    launch, outcome, lambda each: recorder.text(each, fixture), self._machinery.parses
                )
            except PathError:
                return outcome
            self._outcomes[self._key(launch, fixture)] = outcome
        return outcome

    def _over(self, transport: Transport, program: bytes, fixture: Fixture) -> Outcome:
        try:
            delivery = transport.deliver(program)
        except PathError as error:
            # A path of the user's own that fails at a form of the reply shows nothing about it.
            return Refusal(transport.name, 0, str(error))
        if not isinstance(delivery, Launch):
            return delivery
        key = self._key(delivery, fixture)
        if key not in self._outcomes:
            self._outcomes[key] = self._run(delivery, fixture)
        return self._outcomes[key]

    def _run(self, launch: Launch, fixture: Fixture) -> Observation:
        if self.executions >= self._most:
            raise OutOfTrials
        self.patience.ask()
        self._counter["run"] += 1
        observation = self._machinery.run(launch, fixture)
        if observation.status.ending is Ending.TIMEOUT:
            self.patience.ask()
            self._counter["run alone"] += 1
            observation = self._machinery.run_alone(launch, fixture)
            self.patience.timeouts -= observation.status.ending is Ending.TIMEOUT
        return observation

    def _remember(self, transport: Transport, outcome: Outcome) -> None:
        delivery = transport.deliver(self._breaker.program)
        if isinstance(delivery, Launch):
            self._outcomes[self._key(delivery, self._breaker.fixture)] = outcome

    def _key(self, launch: Launch, fixture: Fixture) -> tuple[str, str]:
        # By identity, and kept with the fixture so that an identity is not given out again.
        if id(fixture) not in self._fixture_keys:
            self._fixture_keys[id(fixture)] = fixture, fixture_key(fixture)
        return launch_key(launch), self._fixture_keys[id(fixture)][1]
