"""All verdicts that are to be scored, as arrays of codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qfuzz.model.userland import userland_name
from qfuzz.model.verdict import Outcome
from qfuzz.stats.bootstrap import Ints
from qfuzz.store.scoring import StoredContext, StoredReply, StoredTask, StoredVerdicts

OUTCOMES = tuple(outcome.value for outcome in Outcome)
PASS = OUTCOMES.index(Outcome.PASS.value)
REFUSED = OUTCOMES.index(Outcome.REFUSED.value)
NO_STATUS = -1

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Columns of judged executions: `reply`, `task`, `context` are places in the lists, `transport` in `transports`.

    `outcome` is a place in OUTCOMES, `exit` NO_STATUS where nothing ended with one. `keys` name the executions.
    """

    keys: Sequence[str]
    reply: Ints
    task: Ints
    context: Ints
    transport: Ints
    outcome: Ints
    exit: Ints
    replies: list[StoredReply]
    tasks: list[StoredTask]
    contexts: list[StoredContext]
    transports: list[str]

    def __len__(self) -> int:
        return len(self.reply)

    def where(self, rows: Bools) -> Ledger:
        """Only some of the rows."""
        places = np.flatnonzero(rows)
        return replace(
            self,
            keys=[self.keys[place] for place in places.tolist()],
            reply=self.reply[rows],
            task=self.task[rows],
            context=self.context[rows],
            transport=self.transport[rows],
            outcome=self.outcome[rows],
            exit=self.exit[rows],
        )


def make_ledger(
    verdicts: StoredVerdicts,
    replies: list[StoredReply],
    tasks: list[StoredTask],
    contexts: list[StoredContext],
) -> Ledger:
    reply_place = {reply.key: place for place, reply in enumerate(replies)}
    task_place = {task.key: place for place, task in enumerate(tasks)}
    context_place = {context.key: place for place, context in enumerate(contexts)}
    transports = sorted(set(verdicts.transports))
    transport_place = {name: place for place, name in enumerate(transports)}
    outcome_place = {name: place for place, name in enumerate(OUTCOMES)}
    return Ledger(
        verdicts.keys,
        _codes(verdicts.replies, reply_place),
        _codes(verdicts.tasks, task_place),
        _codes(verdicts.contexts, context_place),
        _codes(verdicts.transports, transport_place),
        _codes(verdicts.outcomes, outcome_place),
        np.fromiter((NO_STATUS if code is None else code for code in verdicts.exits), np.int64, len(verdicts.exits)),
        replies,
        tasks,
        contexts,
        transports,
    )


def _codes(values: Sequence[str], place: Mapping[str, int]) -> Ints:
    return np.fromiter(map(place.__getitem__, values), np.int64, len(values))


def only_replies(ledger: Ledger, keys: Collection[str], contexts: Collection[str]) -> Ledger:
    """The executions of these replies in these contexts."""
    wanted = np.array([reply.key in keys for reply in ledger.replies], bool)
    current = np.array([context.key in contexts for context in ledger.contexts], bool)
    return ledger.where(wanted[ledger.reply] & current[ledger.context]) if len(ledger) else ledger


def of_userland(ledger: Ledger, userland: str) -> tuple[Ledger, int]:
    """The executions under one userland, each reply in its latest context; and how many older ones that leaves out."""
    if not len(ledger):
        return ledger, 0
    under = np.array([userland_name(context.context) == userland for context in ledger.contexts], bool)
    ledger = ledger.where(under[ledger.context])
    age = np.array([context.last_run for context in ledger.contexts], np.int64)
    # Two contexts without a run of their own are told apart by their place, so that one is always the latest.
    order = age * len(age) + np.arange(len(age))
    latest = np.full(len(ledger.replies), -1, np.int64)
    np.maximum.at(latest, ledger.reply, order[ledger.context])
    kept = order[ledger.context] == latest[ledger.reply]
    return (ledger, 0) if kept.all() else (ledger.where(kept), int((~kept).sum()))
