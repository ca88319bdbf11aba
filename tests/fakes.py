"""A machinery of pure functions: what the engine asks for, answered without a shell."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.events import Event, Judged, Sample
from qfuzz.engine.run import RunPlan, replay
from qfuzz.model.content import JsonValue
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Ending, Observation, Status
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture, Task
from qfuzz.store.keys import fixture_key, task_key
from qfuzz.transports.loader import resolve
from tests.examples import observed

LATE = Observation(Status(Ending.TIMEOUT, 0), observed().stdout, observed().stderr, observed().tree)
CONTEXT: Mapping[str, JsonValue] = {"versions": {"bash": "5"}, "timeout_seconds": 1.0}

Answer = Callable[[Launch, int], Observation]
"""A launch and how often it was run before; may raise HarnessError."""


def repeat(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001 (the shape of an Answer)
    """Prints the program that the first shell reads: paths that change the text differ, the others do not."""
    return observed(stdout=launch.program)


@dataclass
class Script:
    """Answers every launch with `answer`; `log` has what was asked, as (kind, program), in order."""

    answer: Answer = repeat
    alone: Answer | None = None
    arrived: Callable[[Launch], bytes | None] = lambda launch: launch.program
    parses: Callable[[str, bytes], bool] = lambda shell, text: True  # noqa: ARG005
    log: list[tuple[str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: Counter[Launch] = Counter()

    def machinery(self) -> Machinery:
        return Machinery(self._run, self._run_alone, self._arrived_text, self._arrived_text, self._parses)

    @property
    def runs(self) -> list[bytes]:
        """The programs that were run, not alone, in order."""
        return [program for kind, program in self.log if kind == "run"]

    def _count(self, kind: str, launch: Launch) -> int:
        with self._lock:
            self.log.append((kind, launch.program))
            ordinal = self._runs[launch]
            self._runs[launch] += 1
            return ordinal

    def _run(self, launch: Launch, fixture: Fixture) -> Observation:  # noqa: ARG002
        return self.answer(launch, self._count("run", launch))

    def _run_alone(self, launch: Launch, fixture: Fixture) -> Observation:  # noqa: ARG002
        return (self.alone or self.answer)(launch, self._count("alone", launch))

    def _arrived_text(self, launch: Launch, fixture: Fixture) -> bytes | None:  # noqa: ARG002
        with self._lock:
            self.log.append(("tap", launch.program))
        return self.arrived(launch)

    def _parses(self, shell: str, text: bytes) -> bool:
        with self._lock:
            self.log.append(("parses", text))
        return self.parses(shell, text)


def nothing_known(keys: Sequence[str]) -> Mapping[str, Observation]:  # noqa: ARG001
    return {}


def samples_of(programs: Iterable[bytes], task: Task | None = None) -> Iterator[Sample]:
    """One sample a program, each a trial of its own."""
    fixture = Fixture() if task is None else task.fixture
    for index, program in enumerate(programs):
        reply = Reply(program, None if task is None else task.task_id, trial=index)
        yield Sample(index, reply, task, "" if task is None else task_key(task), fixture, fixture_key(fixture))


def plan_of(samples: Iterable[Sample], count: int, stacks: Iterable[str] = ("nested",), jobs: int = 1) -> RunPlan:
    return RunPlan(samples, count, resolve("direct"), tuple(map(resolve, stacks)), CONTEXT, jobs)


def events_of(
    programs: Sequence[bytes],
    script: Script,
    *,
    stacks: Iterable[str] = ("nested",),
    jobs: int = 1,
    task: Task | None = None,
    recall: Callable[[Sequence[str]], Mapping[str, Observation]] = nothing_known,
) -> list[Event]:
    """A whole run over these programs."""
    plan = plan_of(samples_of(programs, task), len(programs), stacks, jobs)
    return list(replay(plan, script.machinery(), recall))


def judged(events: Iterable[Event]) -> list[Judged]:
    return [event for event in events if isinstance(event, Judged)]
