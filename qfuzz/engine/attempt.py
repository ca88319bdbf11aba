"""One sample over all transports: direct, transported, and again where they differ; then verdict and comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from qfuzz.engine.arrival import Recorder
from qfuzz.engine.events import Result
from qfuzz.engine.plan import DIRECT, PAIRS, Plan
from qfuzz.engine.syntax import with_syntax
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import HarnessError, PathError
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.model.verdict import Outcome, Verdict
from qfuzz.oracle.compare import Comparison, compare, differing_channels, needs_second_pair
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.store.keys import judged_key, sample_key


@dataclass(frozen=True, slots=True)
class Machinery:
    """How to execute. `run` may raise HarnessError; `run_alone` runs while nothing else does; `parses` asks a shell.

    `arrived_text` starts it once more with a recorder in front of the shells and answers with what reached the last
    one; `stopped_text` does so without starting the last one, or a shell in a substitution. `unseen` are transports of
    the user's own for which neither sees a text.
    """

    run: Callable[[Launch, Fixture], Observation]
    run_alone: Callable[[Launch, Fixture], Observation]
    arrived_text: Callable[[Launch, Fixture], bytes | None]
    stopped_text: Callable[[Launch, Fixture], bytes | None]
    parses: Callable[[str, bytes], bool]
    unseen: Collection[str] = ()

    def recorder(self) -> Recorder:
        return Recorder(self.stopped_text, self.arrived_text)


class Attempt:
    """The executions of one sample. `known` are observations by key that need not be made again.

    `on_executed` is told each observation that was really made, or of which more is known now. Afterwards `executed`
    and `recalled` hold the numbers of observations made and recalled; runs of the recorder alone are in neither.
    """

    def __init__(
        self,
        plan: Plan,
        machinery: Machinery,
        known: Mapping[str, Observation],
        on_executed: Callable[[str, Observation], None],
    ) -> None:
        self._plan = plan
        self._sample = plan.sample
        self._machinery = machinery
        self._recorder = machinery.recorder()
        self._observed = dict(known)
        self._not_used = set(known)
        self._made: set[str] = set()
        self._directs: tuple[Observation, ...] = ()
        self._on_executed = on_executed
        self._sample_key = sample_key(plan.sample.reply, plan.sample.occurrence)
        self.executed = 0
        self.recalled = 0

    def make(self) -> tuple[Result, tuple[Result, ...]]:
        """The direct result, and one result for each transport.

        Runs are made in the order direct, every transport, direct, every transport that differed: each second pair
        then lies apart in time from its first, and what only time changes shows up as nondeterminism.
        """
        delivery = self._plan.deliveries[DIRECT]
        names = tuple(name for name in self._plan.deliveries if name != DIRECT)
        assert not isinstance(delivery, PathError), "direct is ours"
        if not isinstance(delivery, Launch):
            return self._undelivered(DIRECT, delivery), tuple(self._not_compared(name) for name in names)
        try:
            first = self._observe(DIRECT, delivery, 0)
            timed_out = first.status.ending is Ending.TIMEOUT
            if timed_out and self._sample.task is None:
                # Nothing to compare with and nothing to judge: each further run would only wait for its own timeout.
                skipped = tuple(replace(self._result(name), comparison=compare((first,), ())) for name in names)
                return self._judged(DIRECT, delivery, first), skipped
            firsts = [self._first(name) for name in names]
            self._directs = (first,)
            if not timed_out:
                self._directs += (self._observe(DIRECT, delivery, 1), *self._further_directs())
            direct_result = self._judged(DIRECT, delivery, first)
        except HarnessError as error:
            return self._harness_error(DIRECT, error), tuple(self._harness_error(name, error) for name in names)
        return direct_result, tuple(self._compared(each, direct_result.verdict) for each in firsts)

    def _first(self, name: str) -> Result:
        """The first run over a transport."""
        delivery = self._plan.deliveries[name]
        if isinstance(delivery, PathError):
            return self._harness_error(name, delivery)
        if not isinstance(delivery, Launch):
            return self._undelivered(name, delivery)
        try:
            return self._judged(name, delivery, self._observe(name, delivery, 0))
        except HarnessError as error:
            return self._harness_error(name, error)

    def _compared(self, first: Result, direct_verdict: Verdict | None) -> Result:
        result = first
        delivery = self._plan.deliveries[result.transport]
        if isinstance(delivery, Launch) and result.observation is not None:
            try:
                result = replace(result, comparison=self._comparison(result, delivery))
                self._check_path(result, delivery)
            except HarnessError as error:
                return self._harness_error(result.transport, error)
        return replace(result, breaker=_breaks(result, self._directs[0], direct_verdict))

    def _check_path(self, result: Result, delivery: Launch) -> None:
        """Raises PathError where it was the path that failed. Where there is a task, its verdict has asked that."""
        if delivery.own is None or result.verdict is not None or not self._made:
            return
        if result.comparison is not None and result.comparison.diverged:
            self._arrived_text(delivery)

    def _comparison(self, result: Result, delivery: Launch) -> Comparison:
        """Direct and transported in turn, until a pair settles it or all pairs of this transport agree to differ."""
        assert result.observation is not None, "what is compared has run"
        runs: tuple[Observation, ...] = (result.observation,)
        if len(self._directs) < 2 or not needs_second_pair(self._directs[0], runs[0]):
            return compare(self._directs, runs)
        direct_launch = self._plan.deliveries[DIRECT]
        assert isinstance(direct_launch, Launch), "what is compared with has run"
        pairs = len(self._plan.keys[result.transport])
        if runs[0].status.ending is Ending.TIMEOUT:
            # It was made a second time, alone, so that each such run stands for two.
            pairs = -(-pairs // 2)
        for ordinal in range(1, pairs):
            if ordinal >= len(self._directs):
                self._directs += (self._observe(DIRECT, direct_launch, ordinal),)
            runs += (self._observe(result.transport, delivery, ordinal),)
            comparison = compare(self._directs, runs)
            if not comparison.diverged:
                return comparison
        if self._is_stale(result.transport):
            # Direct runs of another day say nothing of a program that prints the time.
            self._directs += self._fresh_direct(direct_launch)
        return compare(self._directs, runs)

    def _further_directs(self) -> tuple[Observation, ...]:
        """Direct runs beyond the first two that are known already."""
        keys = self._plan.keys[DIRECT][PAIRS:]
        return tuple(self._observed[key] for key in keys if key in self._observed)

    def _is_stale(self, name: str) -> bool:
        """Whether the runs over a transport were made now, and all direct ones at another time."""
        made_now = self._made.intersection(self._plan.keys[name])
        return bool(made_now) and not self._made.intersection(self._plan.keys[DIRECT])

    def _fresh_direct(self, launch: Launch) -> tuple[Observation, ...]:
        """One more direct run, where it is another than before: then it is kept under the next free ordinal.

        A run that was cut off and goes on must end with the store of one that was not, so what shows nothing new is
        let go. Without a free ordinal nothing is run.
        """
        keys = self._plan.keys[DIRECT]
        free = next((key for key in keys if key not in self._observed), None)
        if free is None:
            return ()
        observation = self._execute(launch)
        self._made.add(free)
        if not differing_channels(self._directs[0], observation):
            return ()
        observation = self._with_arrival(DIRECT, launch, observation)
        self._keep(free, observation)
        return (observation,)

    def _not_compared(self, name: str) -> Result:
        """Where direct itself can't carry the reply: a verdict is still possible where there is a task."""
        if self._sample.task is None and isinstance(self._plan.deliveries[name], Launch):
            return self._result(name)
        return self._first(name)

    def _result(self, name: str) -> Result:
        of = self._sample
        return Result(judged_key(self._sample_key, self._plan.context_key, name, of.task_key, of.fixture_key), name)

    def _undelivered(self, transport: str, failure: Refusal | Rejection) -> Result:
        return replace(self._result(transport), undelivered=failure, verdict=judge_undelivered(failure))

    def _harness_error(self, transport: str, error: HarnessError) -> Result:
        return replace(self._result(transport), verdict=Verdict(Outcome.HARNESS_ERROR, str(error)))

    def _judged(self, name: str, launch: Launch, observation: Observation) -> Result:
        key = self._plan.keys[name][0]
        verdict = None
        task = self._sample.task
        if task is not None:
            verdict = judge(task, observation)
            if not verdict.passed and self._asks_for_syntax(launch, observation):
                observation = with_syntax(launch, observation, self._arrived_text, self._parses)
                self._keep(key, observation)
                verdict = judge(task, observation)
        return replace(self._result(name), observation_key=key, observation=observation, verdict=verdict)

    def _asks_for_syntax(self, launch: Launch, observation: Observation) -> bool:
        """Whether the class of this failure needs it. Behind an inner shell a syntax error can end with status 0."""
        failed = observation.status.code != 0 or bool(launch.inner_shells)
        return failed and observation.status.code is not None and observation.parses is None

    def _arrived_text(self, launch: Launch) -> bytes | None:
        return self._recorder.text(launch, self._sample.fixture)

    def _parses(self, shell: str, text: bytes) -> bool:
        self.executed += 1
        return self._machinery.parses(shell, text)

    def _observe(self, name: str, launch: Launch, ordinal: int) -> Observation:
        """The observation of a launch: recalled, or made. Transports that hand over the same bytes share it."""
        key = self._plan.keys[name][ordinal]
        if key in self._observed:
            self.recalled += key in self._not_used
            self._not_used.discard(key)
            if self._observed[key].tapped or launch.own is not None:
                return self._observed[key]
            observation = self._observed[key]
        else:
            observation = self._execute(launch)
            self._made.add(key)
        observation = self._with_arrival(name, launch, observation)
        self._keep(key, observation)
        return observation

    def _with_arrival(self, name: str, launch: Launch, observation: Observation) -> Observation:
        """The observation with what arrived, which is looked for once a launch and not once a run."""
        if launch.own is not None:
            # Looked for only where the path failed: its runs are slow, and another one would double them.
            return observation
        first = self._observed.get(self._plan.keys[name][0])
        if first is not None and first.tapped:
            return replace(observation, arrived=first.arrived, tapped=True)
        return self._recorder.into(observation, launch, self._sample.fixture)

    def _execute(self, launch: Launch) -> Observation:
        self.executed += 1
        observation = self._machinery.run(launch, self._sample.fixture)
        if observation.status.ending is Ending.TIMEOUT:
            # A busy machine can make an honest program late, so lateness has to be shown alone.
            observation = self._machinery.run_alone(launch, self._sample.fixture)
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
