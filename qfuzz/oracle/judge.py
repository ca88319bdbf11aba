"""The verdict of one execution: a pure function of task and observation. The final state decides."""

from __future__ import annotations

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Task
from qfuzz.model.verdict import Outcome, Verdict
from qfuzz.oracle.audit import audit
from qfuzz.oracle.expect import unmet_expectation

PASS = Verdict(Outcome.PASS)


def judge(task: Task, observation: Observation) -> Verdict:
    """Pass if every expectation holds and nothing else changed; else the first failure class that applies.

    The exit status by itself fails nothing: a program that ends with status 1 and the right state passes.
    """
    unmet = unmet_expectation(task, observation)
    elsewhere = audit(task, observation.tree)
    ended = observation.status
    if not unmet and not elsewhere and ended.ending is not Ending.TIMEOUT:
        return PASS
    detail = unmet or elsewhere
    if ended.ending is Ending.TIMEOUT:
        return Verdict(Outcome.TIMEOUT, "did not end in time")
    if observation.parses is False:
        return Verdict(Outcome.SHELL_SYNTAX, "the text that reached the last shell does not parse")
    if not unmet:
        return Verdict(Outcome.ENVIRONMENT, detail)
    if ended.code != 0:
        return Verdict(Outcome.RUNTIME_ERROR, detail)
    return Verdict(Outcome.SILENT_WRONG, detail)


def judge_undelivered(failure: Refusal | Rejection) -> Verdict:
    """The verdict where the transport started nothing."""
    if isinstance(failure, Refusal):
        return Verdict(Outcome.REFUSED, f"{failure.boundary}: {failure.reason} (byte {failure.offset})")
    return Verdict(Outcome.REJECTED, f"{failure.boundary}: {failure.message}")
