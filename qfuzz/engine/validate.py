"""Proof of a task set by running it: right programs pass, careless ones fail, wrong final states fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, Task
from qfuzz.oracle.judge import judge
from qfuzz.oracle.mutate import mutants
from qfuzz.transports.base import Transport

CONSTANT_REPLIES = (b"", b":", b"exit 0", b"false", b"echo ok", b"touch out.txt result.txt output.txt", b"ls > out.txt")
"""Replies that know nothing of the task. None may pass anything."""

Run = Callable[[Launch, Fixture], Observation]


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What was tried for one task, in numbers, and each fault as one line.

    `naive` says how the naive program did: "passes", "fails", or "none" where the task has none.
    """

    task_id: str
    family: str
    tier: int
    references: int
    naive: str
    constants: int
    others: int
    mutants: int
    faults: tuple[str, ...]


def validate(
    tasks: Iterable[Task], styles: Callable[[Task], Mapping[str, bytes]], direct: Transport, run: Run, jobs: int
) -> Iterator[TaskReport]:
    """Check every task, in order. `styles` gives a task's right programs by style name.

    Each reference must pass; naive must pass at tier 0 and fail above; no constant reply passes; no reference of the
    same family's other tasks passes; no mutant of the reference's final state passes.
    """
    known = list(tasks)

    def check(task: Task) -> TaskReport:
        siblings = [other for other in known if other.family == task.family and other is not task]
        return _Check(task, styles(task), direct, run).report(siblings[:_MOST_SIBLINGS])

    with ThreadPoolExecutor(jobs, thread_name_prefix="qfuzz-validate") as workers:
        yield from workers.map(check, known)


_MOST_SIBLINGS = 12
"""Other tasks of the family whose references are tried: all of a usual set, and not a square of a huge one."""


class _Check:
    def __init__(self, task: Task, styles: Mapping[str, bytes], direct: Transport, run: Run) -> None:
        self._task = task
        self._styles = styles
        self._direct = direct
        self._run = run
        self._faults: list[str] = []

    def report(self, siblings: list[Task]) -> TaskReport:
        task = self._task
        right = [self._reference(style, program) for style, program in self._styles.items()]
        naive = self._naive()
        self._none_passes((repr(program), program) for program in CONSTANT_REPLIES)
        others = [(f"the reference of {other.task_id}", other.reference) for other in siblings if other.reference]
        self._none_passes(others)
        state = next((observation for observation in right if observation is not None), None)
        tried = self._mutants(state) if state is not None else 0
        if not self._styles:
            self._faults.append("has no reference, so nothing shows that it can be done")
        return TaskReport(
            task.task_id,
            task.family,
            task.tier,
            len(right),
            naive,
            len(CONSTANT_REPLIES),
            len(others),
            tried,
            tuple(self._faults),
        )

    def _observe(self, program: bytes) -> Observation | None:
        delivery = self._direct.deliver(program)
        return self._run(delivery, self._task.fixture) if isinstance(delivery, Launch) else None

    def _reference(self, style: str, program: bytes) -> Observation | None:
        observation = self._observe(program)
        if observation is None:
            self._faults.append(f"reference in style {style} can't be started")
            return None
        verdict = judge(self._task, observation)
        if verdict.passed:
            return observation
        stderr = observation.stderr.data[:120]
        self._faults.append(f"reference in style {style}: {verdict.outcome.value}, {verdict.detail} {stderr!r}")
        return None

    def _naive(self) -> str:
        if self._task.naive is None:
            return "none"
        observation = self._observe(self._task.naive)
        passes = observation is not None and judge(self._task, observation).passed
        if passes != (self._task.tier == 0):
            self._faults.append(f"naive {'passes' if passes else 'fails'} at tier {self._task.tier}")
        return "passes" if passes else "fails"

    def _none_passes(self, programs: Iterable[tuple[str, bytes]]) -> None:
        for name, program in programs:
            observation = self._observe(program)
            if observation is not None and judge(self._task, observation).passed:
                self._faults.append(f"passed by {name}")

    def _mutants(self, right: Observation) -> int:
        count = 0
        for mutant in mutants(self._task, right):
            count += 1
            if judge(self._task, mutant.observation).passed:
                self._faults.append(f"passes with {mutant.what}")
        return count
