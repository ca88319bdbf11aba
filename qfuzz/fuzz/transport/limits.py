"""What keeps a campaign within its time: a machinery that stops, and how what was stopped is told from the rest."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.events import Judged
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.model.verdict import Outcome

Seen = TypeVar("Seen")


def until(machinery: Machinery, end: float) -> Machinery:
    """The machinery that starts nothing after `end`, a time of time.monotonic(), but raises HarnessError."""
    if end == math.inf:
        return machinery

    def guarded(run: Callable[[Launch, Fixture], Seen]) -> Callable[[Launch, Fixture], Seen]:
        def in_time(launch: Launch, fixture: Fixture) -> Seen:
            if time.monotonic() >= end:
                raise HarnessError("the time of the campaign is over")
            return run(launch, fixture)

        return in_time

    return replace(
        machinery,
        run=guarded(machinery.run),
        run_alone=guarded(machinery.run_alone),
        arrived_text=guarded(machinery.arrived_text),
        stopped_text=guarded(machinery.stopped_text),
    )


def is_endless(transported: Observation | Rejection) -> bool:
    """Whether a run did not end within its timeout."""
    return isinstance(transported, Observation) and transported.status.ending is Ending.TIMEOUT


def failed(event: Judged) -> bool:
    """Whether a run of this program failed on our side, or was stopped."""
    results = (event.direct, *event.results)
    return any(each.verdict is not None and each.verdict.outcome is Outcome.HARNESS_ERROR for each in results)
