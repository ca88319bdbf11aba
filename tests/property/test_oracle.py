"""Judge and comparison: defined for whatever a run may leave, fair to both sides, and not to be fooled."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.gen.public import load_public
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.observation import Capture, Ending, Entry, Kind, Observation, Status, Tree
from qfuzz.model.task import Task
from qfuzz.model.verdict import Channel, Outcome
from qfuzz.oracle.audit import audit
from qfuzz.oracle.compare import Stability, compare, differing_channels, needs_second_pair
from qfuzz.oracle.describe import describe_difference
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.oracle.mutate import mutants
from tests import wild
from tests.examples import EXPECTATIONS, right_state, task_for
from tests.property.final_states import right_final_state

PUBLIC = {task.task_id: task for task in load_public()}
examples = st.sampled_from([task_for(kind) for kind in EXPECTATIONS])


@pytest.mark.parametrize("task_id", PUBLIC)
def test_no_mutant_of_a_right_final_state_passes(task_id: str) -> None:
    task = PUBLIC[task_id]
    right = right_final_state(task)
    assert judge(task, right).passed, judge(task, right)
    tried = list(mutants(task, right))
    assert len(tried) >= 15
    assert [mutant.what for mutant in tried if judge(task, mutant.observation).passed] == []


@pytest.mark.parametrize("task_id", PUBLIC)
def test_the_state_before_anything_ran_passes_nothing(task_id: str) -> None:
    task = PUBLIC[task_id]
    right = right_final_state(task)
    before = right_final_state(replace(task, expect=()))
    if right.git is not None:
        older = right.git.history[1:]
        before = replace(before, git=replace(right.git, history=older, commits=len(older)))
    assert not judge(task, before).passed


def test_the_final_state_of_another_task_passes_nothing() -> None:
    for task in PUBLIC.values():
        others = [other for other in PUBLIC.values() if other is not task]
        assert [other.task_id for other in others if judge(task, right_final_state(other)).passed] == []


@settings(max_examples=150)
@given(examples | wild.tasks, wild.observations)
def test_every_observation_gets_a_verdict(task: Task, observation: Observation) -> None:
    verdict = judge(task, observation)
    assert verdict.passed == (verdict.detail == "")
    assert verdict.detail.isprintable()
    if observation.status.ending is Ending.TIMEOUT:
        assert verdict.outcome is Outcome.TIMEOUT
    assert judge(task, observation) == verdict
    assert verdict.outcome not in (Outcome.REFUSED, Outcome.REJECTED, Outcome.HARNESS_ERROR)


@given(examples, wild.statuses, wild.captures, wild.captures, st.none() | st.booleans())
def test_only_the_final_state_decides_that_a_run_passes(
    task: Task, status: Status, stdout: Capture, stderr: Capture, parses: bool | None
) -> None:
    right = replace(right_state(task), status=status, stdout=stdout, stderr=stderr, parses=parses)
    assert judge(task, right).passed == (status.ending is not Ending.TIMEOUT)


@given(examples, wild.paths, wild.entries)
def test_any_further_path_fails_the_audit(task: Task, path: bytes, entry: Entry) -> None:
    right = right_state(task)
    if path in right.tree.entries or path == b".git":
        return
    littered = replace(right, tree=Tree({**right.tree.entries, path: entry}))
    # A directory on the way to an expected path is the one thing that may be there.
    allowed = entry.kind is Kind.DIR and any(other.startswith(path + b"/") for other in right.tree.entries)
    assert (audit(task, littered.tree) == "") == allowed
    if not allowed:
        assert judge(task, littered).outcome is Outcome.ENVIRONMENT


@given(st.text(), st.integers(0, 10**6), st.text())
def test_what_was_not_delivered_gets_a_verdict(boundary: str, offset: int, words: str) -> None:
    assert judge_undelivered(Refusal(boundary, offset, words)).outcome is Outcome.REFUSED
    assert judge_undelivered(Rejection(boundary, words)).outcome is Outcome.REJECTED


@given(wild.observations)
def test_nothing_differs_from_itself(one: Observation) -> None:
    assert differing_channels(one, one) == ()
    again = replace(one, stderr=Capture(b"other", True), seconds=one.seconds + 1, parses=None, arrived=b"other")
    assert differing_channels(one, again) == ()
    if one.status.ending is not Ending.TIMEOUT:
        assert compare((one, one), (again,)).stability is Stability.SAME


@given(wild.observations, wild.observations)
def test_a_difference_is_one_from_both_sides(left: Observation, right: Observation) -> None:
    channels = differing_channels(left, right)
    assert channels == differing_channels(right, left)
    assert channels == tuple(channel for channel in Channel if channel in channels)
    assert needs_second_pair(left, right) == bool(channels)
    if Ending.TIMEOUT not in (left.status.ending, right.status.ending) and channels:
        there = compare((left, left), (right, right))
        assert there == compare((right, right), (left, left))
        assert there.diverged
        assert there.channels == channels


@given(wild.observations, wild.observations, wild.observations, wild.observations)
def test_runs_that_do_not_repeat_never_diverge(
    first: Observation, other: Observation, transported: Observation, again: Observation
) -> None:
    if first.status.ending is Ending.TIMEOUT:
        assert compare((first,), (transported,)).stability is Stability.DIRECT_TIMEOUT
        return
    if differing_channels(first, other):
        assert compare((first, other), (transported, again)).stability is Stability.NONDETERMINISTIC
    comparison = compare((first, first), (transported, again))
    assert comparison.diverged == bool(comparison.channels)
    if comparison.diverged:
        assert differing_channels(first, transported) == differing_channels(first, again) == comparison.channels


@settings(max_examples=150)
@given(wild.observations, wild.observations)
def test_every_difference_can_be_said_in_one_printable_line(left: Observation, right: Observation) -> None:
    channels = differing_channels(left, right)
    said = describe_difference(left, right, channels)
    assert said.isprintable()
    assert bool(said) == bool(channels)
    assert len(said.split("; ")) >= len(channels)


@given(examples, st.data())
def test_every_mutant_is_said_in_one_printable_line(task: Task, data: st.DataObject) -> None:
    right = right_state(task)
    mutant = data.draw(st.sampled_from(list(mutants(task, right))))
    assert mutant.what.isprintable()
    assert judge(task, mutant.observation).detail.isprintable()
    channels = differing_channels(right, mutant.observation)
    assert channels
    assert describe_difference(right, mutant.observation, channels).isprintable()
