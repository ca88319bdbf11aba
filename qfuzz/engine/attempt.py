"""One sample over all transports: direct, transported, and again where they differ; then verdict and comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from qfuzz.engine.events import Result, Sample
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.model.verdict import Outcome, Verdict
from qfuzz.oracle.compare import Comparison, compare, needs_second_pair
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.store.keys import fixture_key, judged_key, launch_key, observation_key, sample_key
from qfuzz.transports.base import Transport

DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Machinery:
    """How to execute. `run` may raise HarnessError; `run_alone` runs while nothing else does; `parses` asks a shell.

    `arrived_text` executes once more with a recorder in front of the shells and answers with what reached the last one.
    """

    run: Callable[[Launch, Fixture], Observation]
    run_alone: Callable[[Launch, Fixture], Observation]
    arrived_text: Callable[[Launch, Fixture], bytes | None]
    parses: Callable[[str, bytes], bool]


class Attempt:
    """The executions of one sample. `known` are observations by key that need not be made again.

    `on_executed` is told each observation that was really made. Afterwards `executed` and `recalled` hold the numbers
    of observations made and recalled.
    """

    def __init__(
        self,
        sample: Sample,
        context_key: str,
        machinery: Machinery,
        known: Mapping[str, Observation],
        on_executed: Callable[[str, Observation], None],
    ) -> None:
        self._sample = sample
        self._context_key = context_key
        self._machinery = machinery
        self._observed = dict(known)
        self._on_executed = on_executed
        self._fixture_key = fixture_key(sample.fixture)
        self._sample_key = sample_key(sample.reply)
        self.executed = 0
        self.recalled = 0

    def over(self, direct: Transport, transports: tuple[Transport, ...]) -> tuple[Result, tuple[Result, ...]]:
        """The direct result, and one result for each transport.

        Runs are made in the order direct, every transport, direct, every transport that differed: each second pair
        then lies apart in time from its first, and what only time changes shows up as nondeterminism.
        """
        delivery = direct.deliver(self._sample.reply.program)
        if not isinstance(delivery, Launch):
            return self._undelivered(DIRECT, delivery), tuple(self._not_compared(each) for each in transports)
        try:
            first = self._observe(delivery, 0)
            firsts = [self._first(transport) for transport in transports]
            timed_out = first.status.ending is Ending.TIMEOUT
            directs = (first,) if timed_out else (first, self._observe(delivery, 1))
        except HarnessError as error:
            names = (DIRECT, *(transport.name for transport in transports))
            failed = tuple(self._harness_error(name, error) for name in names)
            return failed[0], failed[1:]
        direct_result = self._judged(self._result(DIRECT), delivery, first)
        results = tuple(self._compared(*each, directs, direct_result.verdict) for each in firsts)
        return direct_result, results

    def _first(self, transport: Transport) -> tuple[Result, Launch | None]:
        """The first run over a transport; the launch is None where nothing ran."""
        delivery = transport.deliver(self._sample.reply.program)
        if not isinstance(delivery, Launch):
            return self._undelivered(transport.name, delivery), None
        try:
            observation = self._observe(delivery, 0)
            return self._judged(self._result(transport.name), delivery, observation), delivery
        except HarnessError as error:
            return self._harness_error(transport.name, error), None

    def _compared(
        self,
        result: Result,
        launch: Launch | None,
        directs: tuple[Observation, ...],
        direct_verdict: Verdict | None,
    ) -> Result:
        comparison: Comparison | None = None
        if launch is not None and result.observation is not None:
            runs: tuple[Observation, ...] = (result.observation,)
            try:
                if len(directs) == 2 and needs_second_pair(directs[0], result.observation):
                    runs += (self._observe(launch, 1),)
            except HarnessError as error:
                return self._harness_error(result.transport, error)
            comparison = compare(directs, runs)
        result = replace(result, comparison=comparison)
        return replace(result, breaker=_breaks(result, directs[0], direct_verdict))

    def _not_compared(self, transport: Transport) -> Result:
        """Where direct itself can't carry the reply: a verdict is still possible where there is a task."""
        delivery = transport.deliver(self._sample.reply.program)
        if self._sample.task is None and isinstance(delivery, Launch):
            return self._result(transport.name)
        return self._first(transport)[0]

    def _result(self, transport: str) -> Result:
        key = judged_key(self._sample_key, self._context_key, transport, self._sample.task_key)
        return Result(key, transport)

    def _undelivered(self, transport: str, failure: Refusal | Rejection) -> Result:
        return replace(self._result(transport), undelivered=failure, verdict=judge_undelivered(failure))

    def _harness_error(self, transport: str, error: HarnessError) -> Result:
        return replace(self._result(transport), verdict=Verdict(Outcome.HARNESS_ERROR, str(error)))

    def _judged(self, result: Result, launch: Launch, observation: Observation) -> Result:
        key = self._key(launch, 0)
        verdict = None
        task = self._sample.task
        if task is not None:
            verdict = judge(task, observation)
            if not verdict.passed and observation.status.code not in (0, None) and observation.parses is None:
                observation = self._with_syntax(launch, observation)
                self._keep(key, observation)
                verdict = judge(task, observation)
        return replace(result, observation_key=key, observation=observation, verdict=verdict)

    def _with_syntax(self, launch: Launch, observation: Observation) -> Observation:
        """The observation with the text that reached the last shell, and whether that shell can parse it.

        A text that gets lost on the way because an outer shell can't parse what it was given counts as not parsing.
        """
        arrived: bytes | None = launch.program
        if launch.inner_shells:
            if not self._machinery.parses("bash", launch.program):
                return replace(observation, parses=False)
            arrived = self._machinery.arrived_text(launch, self._sample.fixture)
        parses = arrived is None or self._machinery.parses(launch.shell, arrived)
        return replace(observation, parses=parses, arrived=arrived)

    def _key(self, launch: Launch, ordinal: int) -> str:
        return observation_key(self._context_key, self._fixture_key, launch_key(launch), ordinal)

    def _observe(self, launch: Launch, ordinal: int) -> Observation:
        """The observation of a launch: recalled, or made. Transports that hand over the same bytes share it."""
        key = self._key(launch, ordinal)
        if key in self._observed:
            self.recalled += 1
            return self._observed[key]
        observation = self._machinery.run(launch, self._sample.fixture)
        if observation.status.ending is Ending.TIMEOUT:
            # A busy machine can make an honest program late, so lateness has to be shown alone.
            observation = self._machinery.run_alone(launch, self._sample.fixture)
        self.executed += 1
        self._keep(key, observation)
        return observation

    def _keep(self, key: str, observation: Observation) -> None:
        self._observed[key] = observation
        self._on_executed(key, observation)


def _breaks(result: Result, direct: Observation, direct_verdict: Verdict | None) -> bool:
    """Whether direct passes and transported fails; without a task, whether they diverge."""
    if result.verdict is not None and result.verdict.outcome in (Outcome.REFUSED, Outcome.HARNESS_ERROR):
        return False
    if direct_verdict is not None:
        assert result.verdict is not None
        return direct_verdict.passed and not result.verdict.passed
    if isinstance(result.undelivered, Rejection):
        return direct.status.ending is not Ending.TIMEOUT
    return result.comparison is not None and result.comparison.diverged


def wanted_keys(sample: Sample, context_key: str, transports: tuple[Transport, ...]) -> list[str]:
    """The keys of every observation that this sample can need, to be recalled in one go."""
    fixture = fixture_key(sample.fixture)
    launches = [transport.deliver(sample.reply.program) for transport in transports]
    digests = {launch_key(launch) for launch in launches if isinstance(launch, Launch)}
    return [observation_key(context_key, fixture, digest, ordinal) for digest in sorted(digests) for ordinal in (0, 1)]
