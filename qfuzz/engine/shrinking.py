"""The breakers of a run, each with its minimal forms: recalled where the store has them, else found by running."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from qfuzz.engine.events import Judged, Sample
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.ordered import ordered_map
from qfuzz.model.delivery import Rejection
from qfuzz.model.errors import HarnessError
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Observation
from qfuzz.oracle.compare import Stability
from qfuzz.transports.base import Transport


@dataclass(frozen=True, slots=True)
class Found:
    """A breaker of a run; `key` is that of its judged execution."""

    key: str
    sample: Sample
    breaker: Breaker


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A breaker with its forms. `recalled`: the store had them. `forms` None: the harness failed, nothing is known."""

    found: Found
    forms: Forms | None
    recalled: bool


RecallForms = Callable[[Found], Forms | None]
"""Answers with the forms of a breaker where they need not be made again."""


def breakers_of(event: Judged, transports: Mapping[str, Transport]) -> Iterator[Found]:
    """The breakers among the results of a sample. What was not stable is known by its verdicts alone."""
    sample, direct = event.sample, event.direct.observation
    for result in event.results:
        transported = result.observation or result.undelivered
        unstable = result.comparison is not None and result.comparison.stability is Stability.NONDETERMINISTIC
        if result.breaker and direct is not None and isinstance(transported, (Observation, Rejection)):
            transport = transports[result.transport]
            program, task = sample.reply.program, sample.task
            breaker = Breaker(program, task, sample.fixture, transport, direct, transported, by_verdict=unstable)
            yield Found(result.key, sample, breaker)


def shrink(
    found: Iterable[Found], make: Callable[[Breaker], Forms], recall: RecallForms, jobs: int
) -> Iterator[Shrunk]:
    """The forms of each breaker, in order; `found` is read lazily, and `recall` is asked by the reading thread.

    `make` finds the forms of one breaker, and is called from `jobs` threads.
    """

    def with_known() -> Iterator[tuple[Found, Forms | None]]:
        for each in found:
            yield each, recall(each)

    def shrunk(item: tuple[Found, Forms | None]) -> Shrunk:
        each, known = item
        if known is not None:
            return Shrunk(each, known, recalled=True)
        try:
            return Shrunk(each, make(each.breaker), recalled=False)
        except HarnessError:
            return Shrunk(each, None, recalled=False)

    return ordered_map(shrunk, with_known(), jobs)
