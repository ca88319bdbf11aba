"""Writes a run's events into the store, each as it comes, so that a kill loses only what was in flight."""

from __future__ import annotations

from collections.abc import Callable

from qfuzz.engine.events import Event, Executed, Judged, Result, RunFinished, RunStarted
from qfuzz.engine.plan import DIRECT
from qfuzz.model.verdict import Outcome
from qfuzz.store.keys import sample_key
from qfuzz.store.store import Store, VerdictRow


class Recorder:
    """`source` says for the table `runs` what was read; `clock` gives the time as text.

    Harness errors are never stored: the next run tries again.
    """

    def __init__(self, store: Store, source: str, clock: Callable[[], str]) -> None:
        self._store = store
        self._source = source
        self._clock = clock
        self._run = 0
        self._context_key = ""

    def handle(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._context_key = event.context_key
                self._store.write_context(event.context_key, event.context)
                transports = ", ".join(event.transports)
                self._run = self._store.start_run(self._clock(), event.context_key, self._source, transports)
            case Executed():
                self._store.write_observation(event.key, event.observation)
            case Judged():
                self._judged(event)
            case RunFinished():
                self._store.finish_run(self._run, self._clock())

    def _judged(self, event: Judged) -> None:
        sample = event.sample
        known = None if sample.task is None else (sample.task_key, sample.task)
        key = sample_key(sample.reply, sample.occurrence)
        kept = [result for result in (event.direct, *event.results) if not _is_harness_error(result)]
        rows = [self._row(key, result, sample.task_key or None) for result in kept]
        self._store.write_judged(key, sample.reply, known, rows, sample.where)

    def _row(self, sample: str, result: Result, task_key: str | None) -> VerdictRow:
        return VerdictRow(
            key=result.key,
            reply=sample,
            task=task_key,
            context=self._context_key,
            transport=result.transport,
            observation=result.observation_key,
            outcome=None if result.verdict is None else result.verdict.outcome.value,
            detail="" if result.verdict is None else result.verdict.detail,
            exit=None if result.observation is None else result.observation.status.code,
            stability=stability(result),
            channels=",".join(channel.value for channel in result.comparison.channels) if result.comparison else "",
            breaker=result.breaker,
        )


def stability(result: Result) -> str:
    """What the pairs of runs showed, in one word: also "direct" for the direct run, or that nothing was compared."""
    if result.transport == DIRECT:
        return DIRECT
    return result.comparison.stability.value if result.comparison is not None else "not-compared"


def _is_harness_error(result: Result) -> bool:
    return result.verdict is not None and result.verdict.outcome is Outcome.HARNESS_ERROR
