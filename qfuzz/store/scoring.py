"""What scoring reads: every verdict of a reply with a task, as columns, and the rows that these name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qfuzz.model.content import JsonValue
from qfuzz.store.store import Store

_VERDICTS = (
    "select key, reply, task, context, transport, outcome, exit from verdicts "
    "where task is not null and outcome is not null"
)
# Not by the id: a context that was used again later is as new as its last run.
_CONTEXTS = (
    "select contexts.key, contexts.context, coalesce(max(runs.id), 0) from contexts "
    "left join runs on runs.context = contexts.key group by contexts.key"
)


@dataclass(frozen=True, slots=True)
class StoredReply:
    key: str
    task_id: str
    model: str
    contract: str
    effort: str | None
    trial: int


@dataclass(frozen=True, slots=True)
class StoredTask:
    key: str
    task_id: str
    family: str
    tier: int
    hazards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredContext:
    """`last_run` orders contexts: the larger one was used later."""

    key: str
    context: Mapping[str, JsonValue]
    last_run: int


@dataclass(frozen=True, slots=True)
class StoredVerdicts:
    """Columns of equal length, one item a judged execution."""

    keys: Sequence[str]
    replies: Sequence[str]
    tasks: Sequence[str]
    contexts: Sequence[str]
    transports: Sequence[str]
    outcomes: Sequence[str]
    exits: Sequence[int | None]


def read_verdicts(store: Store) -> StoredVerdicts:
    """All verdicts with a task, in one read."""
    rows = store.select(_VERDICTS)
    return StoredVerdicts(*(zip(*rows, strict=True) if rows else ((),) * 7))


def read_replies(store: Store) -> list[StoredReply]:
    rows = store.select(
        "select key, task_id, model, contract, effort, trial from replies where task_id is not null "
        "order by model, effort, contract, task_id, trial, key"
    )
    return [StoredReply(*row) for row in rows]


def read_metadata(store: Store) -> dict[str, Mapping[str, JsonValue]]:
    """The further keys of each reply that has any, by the reply's key."""
    rows = store.select("select key, metadata from replies where task_id is not null and metadata != '{}'")
    return {key: json.loads(text) for key, text in rows}


def read_tasks(store: Store) -> list[StoredTask]:
    rows = store.select("select key, task_id, family, tier, hazards from tasks order by task_id, key")
    return [
        StoredTask(key, task_id, family or "", tier or 0, tuple(filter(None, (hazards or "").split(","))))
        for key, task_id, family, tier, hazards in rows
    ]


def read_contexts(store: Store) -> list[StoredContext]:
    return [StoredContext(key, json.loads(text), run) for key, text, run in store.select(_CONTEXTS)]
