"""JSON Lines for machines: one object for each judged execution, direct ones too."""

from __future__ import annotations

from collections.abc import Iterator

from qfuzz.engine.events import Judged
from qfuzz.engine.record import stability
from qfuzz.model.content import JsonValue
from qfuzz.report.declared import declared_of
from qfuzz.store.keys import short_id


def judged_records(event: Judged) -> Iterator[dict[str, JsonValue]]:
    """The objects of one sample, direct first.

    `verdict` is null where there is no task and the text was delivered; `exit` is null for a timeout and where nothing
    ran; `diverged` is null for the direct run and where the runs can't tell: `stability` says why, as the store does.
    `declared` names exceptions of the transport that explain all of a difference: `name`, `ended`.
    """
    reply = event.sample.reply
    for result in (event.direct, *event.results):
        yield {
            "task_id": reply.task_id,
            "model": reply.model,
            "contract": reply.contract,
            "trial": reply.trial,
            "transport": result.transport,
            "verdict": None if result.verdict is None else result.verdict.outcome.value,
            "exit": None if result.observation is None else result.observation.status.code,
            "diverged": None if result.comparison is None else result.comparison.differs,
            "breaker": result.breaker,
            "id": short_id(result.key),
            "where": event.sample.where,
            "stability": stability(result),
            "declared": [each.name.lower() for each in declared_of(event.direct, result)],
        }
