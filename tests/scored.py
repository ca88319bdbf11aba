"""A store filled with verdicts that nothing ran for: scoring reads verdicts, and asks nobody where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from qfuzz.gen.public import load_public
from qfuzz.model.content import JsonValue
from qfuzz.model.reply import Reply
from qfuzz.model.task import Task
from qfuzz.store.keys import context_key, fixture_key, judged_key, sample_key, task_key
from qfuzz.store.store import Store, VerdictRow

CONTEXT: Mapping[str, JsonValue] = {"versions": {"bash": "5.2", "coreutils": "ls (GNU coreutils) 9.1"}}
BUSYBOX: Mapping[str, JsonValue] = {**CONTEXT, "userland": {"name": "busybox", "version": "BusyBox v1", "applets": "x"}}

Outcomes = Mapping[str, Callable[[int, int], str]]
"""Transport to the outcome of the reply with this place among the tasks and this trial."""


def passing(count: int, failure: str = "silent-wrong") -> Callable[[int, int], str]:
    """The first `count` tasks pass in every trial."""
    return lambda place, trial: "pass" if place < count else failure  # noqa: ARG005


def fill(
    path: Path,
    contract: str,
    outcomes: Outcomes,
    *,
    model: str = "m",
    effort: str | None = None,
    trials: int = 1,
    tasks: Sequence[Task] | None = None,
    context: Mapping[str, JsonValue] = CONTEXT,
    text: str = "",
    metadata: Mapping[str, JsonValue] | None = None,
) -> None:
    """One reply for each task and trial, with these outcomes."""
    with Store(path) as store:
        key = context_key(context)
        store.write_context(key, context)
        store.start_run("2026-01-01", key, "made", ", ".join(outcomes))
        for place, task in enumerate(load_public() if tasks is None else tasks):
            for trial in range(trials):
                program = f"{text}{contract} {place} {trial}".encode()
                reply = Reply(program, task.task_id, contract, model, trial, effort, metadata or {})
                rows = _rows(sample_key(reply), task, key, ((name, of(place, trial)) for name, of in outcomes.items()))
                store.write_judged(sample_key(reply), reply, (task_key(task), task), rows)


def _rows(sample: str, task: Task, context: str, outcomes: Iterable[tuple[str, str]]) -> Iterable[VerdictRow]:
    for transport, outcome in outcomes:
        status = {"runtime-error": 1, "shell-syntax": 2}.get(outcome, 0)
        yield VerdictRow(
            key=judged_key(sample, context, transport, task_key(task), fixture_key(task.fixture)),
            reply=sample,
            task=task_key(task),
            context=context,
            transport=transport,
            observation=None,
            outcome=outcome,
            detail="",
            exit=None if outcome in ("rejected", "refused", "timeout") else status,
            stability="same",
            channels="",
            breaker=False,
        )


def published(path: Path, *, trials: int = 1) -> None:
    """A configuration of the paper: 54, 18 and 52 of 56."""
    fill(path, "raw", {"direct": passing(54), "nested": passing(18)}, trials=trials)
    fill(path, "disclosed:nested", {"direct": passing(30), "nested": passing(52)})
