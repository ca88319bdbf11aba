"""What a run says while it goes on. The engine yields these and knows no listener."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qfuzz.model.content import JsonValue
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.observation import Observation
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture, Task
from qfuzz.model.verdict import Verdict
from qfuzz.oracle.compare import Comparison


@dataclass(frozen=True, slots=True)
class Sample:
    """One reply with what it runs in. `index` counts from 0.

    `task` None, with an empty `task_key`: judged by divergence alone, in `fixture`. `where` is its place (`file:line`)
    or empty; `occurrence` counts equal samples without a task from 0, which stay as many samples as they are.
    """

    index: int
    reply: Reply
    task: Task | None
    task_key: str
    fixture: Fixture
    fixture_key: str
    where: str = ""
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """One judged execution of a sample; `key` names it in the store.

    `undelivered`: the transport started nothing. `observation` None: nothing ran, or the harness failed. `verdict`
    None: there is no task and the text was delivered. `comparison` None for the direct run itself, and where nothing
    could be compared.
    """

    key: str
    transport: str
    undelivered: Refusal | Rejection | None = None
    observation_key: str | None = None
    observation: Observation | None = None
    verdict: Verdict | None = None
    comparison: Comparison | None = None
    breaker: bool = False


@dataclass(frozen=True, slots=True)
class RunStarted:
    """`samples` is the number of samples to come. `context` determines every execution, and `context_key` names it."""

    samples: int
    transports: tuple[str, ...]
    context: Mapping[str, JsonValue]
    context_key: str


@dataclass(frozen=True, slots=True)
class Executed:
    """An execution that was really made (not recalled), in the order of completion."""

    key: str
    observation: Observation


@dataclass(frozen=True, slots=True)
class Judged:
    """A sample is done: its direct result and one result a transport, in the order asked for. In order of samples.

    `executed` is the number of executions made for it now, `recalled` of those that the store had.
    """

    sample: Sample
    direct: Result
    results: tuple[Result, ...]
    executed: int
    recalled: int


@dataclass(frozen=True, slots=True)
class RunFinished:
    samples: int
    executed: int
    recalled: int


Event = RunStarted | Executed | Judged | RunFinished
