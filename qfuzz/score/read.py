"""From a store to the ledger and the metadata of its replies."""

from __future__ import annotations

from collections.abc import Mapping

from qfuzz.model.content import JsonValue
from qfuzz.score.ledger import Ledger, make_ledger
from qfuzz.store.scoring import read_contexts, read_metadata, read_replies, read_tasks, read_verdicts
from qfuzz.store.store import Store


def read_ledger(store: Store) -> tuple[Ledger, Mapping[str, Mapping[str, JsonValue]]]:
    """All that a store holds for scoring, and the further keys of each reply by its key."""
    ledger = make_ledger(read_verdicts(store), read_replies(store), read_tasks(store), read_contexts(store))
    return ledger, read_metadata(store)
