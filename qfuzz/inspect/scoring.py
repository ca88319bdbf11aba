"""The scorer: runs a reply in the jail, directly and over transports, and gives one score a path."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

from anyio import to_thread
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import concurrency

from qfuzz.collect.clean import clean as clean_up
from qfuzz.engine.attempt import Attempt
from qfuzz.engine.events import Result, Sample
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.plan import Plan
from qfuzz.inspect.asking import Asking, Several, checked_limits, make_asking
from qfuzz.inspect.jails import shared_pool
from qfuzz.inspect.output import given_program
from qfuzz.jail.pool import Pool
from qfuzz.model.reply import Reply
from qfuzz.model.verdict import Outcome
from qfuzz.store.keys import context_key, fixture_key, task_key
from qfuzz.transports.loader import resolve

_NOT_COUNTED = (Outcome.REFUSED, Outcome.HARNESS_ERROR)


@dataclass(frozen=True, slots=True)
class PathResult:
    """One path: `counted` is False where nothing was measured (a declared limit, a fault of the harness)."""

    passed: bool
    counted: bool
    outcome: str
    detail: str
    diverged: bool | None


def judge_on_paths(asking: Asking, task_id: str, program: bytes, jobs: int, timeout: float) -> dict[str, PathResult]:
    """The verdict of a program for each path of `asking`, found by running. Blocks; call it in a thread."""
    pool = shared_pool(jobs)
    task = asking.tasks[task_id]
    reply = Reply(program, task_id=task_id, contract=asking.contract.name)
    sample = Sample(0, reply, task, task_key(task), task.fixture, fixture_key(task.fixture))
    machines = machinery(pool, timeout, asking.further_paths)
    plan = Plan.make(sample, _context_key(pool, timeout), (resolve("direct"), *asking.further_paths))
    direct, results = Attempt(plan, machines, {}, lambda *_: None).make()
    return {result.transport: _path_result(result) for result in (direct, *results)}


@cache
def _context_key(pool: Pool, timeout: float) -> str:
    return context_key(context_of(pool, timeout))


def _path_result(result: Result) -> PathResult:
    verdict = result.verdict
    assert verdict is not None, "there is a task"
    diverged = None if result.comparison is None else result.comparison.differs
    counted = verdict.outcome not in _NOT_COUNTED
    return PathResult(verdict.passed, counted, verdict.outcome.value, verdict.detail, diverged)


@scorer(metrics={"*": [accuracy(), stderr(cluster="family")]})
def paths(
    contract: str,
    tasks: str | None = None,
    transports: Several = None,
    clean: Several = None,
    jobs: int | None = None,
    timeout: float = 10.0,
) -> Scorer:
    """A score for direct, one for the transport that the contract discloses, one for each of `transports`.

    1 is a pass, 0 a failure, NaN what is not counted: a declared limit of the transport, or a fault of the harness.
    `jobs` executions at a time (default: one for each core), each for at most `timeout` seconds.
    """
    asking = make_asking(contract, tasks, None, None, transports, clean)
    at_a_time, seconds = checked_limits(jobs, timeout)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 (Inspect's signature)
        given = given_program(state.output, asking.contract.name)
        program = clean_up(given.program, asking.rules).program
        judge = partial(judge_on_paths, asking, str(state.sample_id), program, at_a_time, seconds)
        # A free jail is waited for here and not in a thread: Inspect has use for its threads.
        async with concurrency("qfuzz jails", at_a_time):
            results = await to_thread.run_sync(judge)
        return _as_score(results, program, given.missing)

    return score


def _as_score(results: Mapping[str, PathResult], program: bytes, missing: str) -> Score:
    lines = [f"{path}: {result.outcome} {result.detail}".rstrip() for path, result in results.items()]
    return Score(
        value={path: float(result.passed) if result.counted else math.nan for path, result in results.items()},
        answer=program.decode("utf-8"),
        explanation="\n".join([*([missing] if missing else []), *lines]),
        reason="no_response" if missing else None,
        metadata={
            "verdicts": {path: result.outcome for path, result in results.items()},
            "diverged": {path: result.diverged for path, result in results.items() if result.diverged is not None},
        },
    )
