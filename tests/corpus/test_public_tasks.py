"""The frozen public set is what the families generate, and is what it is said to be."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from qfuzz.bash.hazards import HAZARDS
from qfuzz.gen.public import CANARY, PUBLIC_DIGEST, load_public, public_digest, public_lines, public_tasks
from qfuzz.gen.read import read_tasks
from qfuzz.gen.rebuild import reference_styles
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.model.content import sha256_hex
from qfuzz.model.task import Task

TASKS = public_tasks()


@pytest.fixture(scope="module")
def frozen(checkout: Path) -> Path:
    return checkout / "corpus" / "public" / "tasks.jsonl"


def test_the_file_has_its_digest_and_is_what_the_families_generate(frozen: Path) -> None:
    assert sha256_hex(frozen.read_bytes()) == PUBLIC_DIGEST
    assert public_digest() == PUBLIC_DIGEST
    assert frozen.read_bytes() == b"".join(public_lines())


def test_the_file_reads_back_as_the_same_tasks(frozen: Path) -> None:
    assert load_public() == TASKS
    assert tuple(record.value for record in read_tasks(frozen)) == TASKS


def test_every_line_carries_the_canary(frozen: Path) -> None:
    assert all(CANARY.encode() in line for line in frozen.read_bytes().splitlines())


def test_there_are_four_tiers_of_each_of_the_fourteen_families() -> None:
    assert [(task.family, task.tier) for task in TASKS] == list(itertools.product(FAMILY_NAMES, range(4)))


def test_every_hazard_occurs_above_tier_0_and_controls_hold_none() -> None:
    assert {hazard for task in TASKS if task.tier for hazard in task.hazards} == set(HAZARDS)
    # Texts of several lines are what the two here-document families are about.
    assert {hazard for task in TASKS if not task.tier for hazard in task.hazards} == {"newline"}


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_three_hazardous_tasks_of_a_family_differ_in_hazard(family: str) -> None:
    mixes = [frozenset(task.hazards) for task in TASKS if task.family == family and task.tier]
    assert all(mixes)
    assert len(set(mixes)) == 3


def test_no_answer_fits_two_tasks() -> None:
    """Each task asks for a path of its own, or for a commit of its own message."""
    answers = Counter(answer(task) for task in TASKS)
    assert answers.most_common(1)[0][1] == 1


def answer(task: Task) -> object:
    if task.may_create:
        return task.may_create[0]
    return task.fixture.files[0].path, repr(task.expect)


def test_instructions_name_every_path_that_is_asked_for() -> None:
    for task in TASKS:
        for path in task.may_create:
            name = path.rsplit(b"/", 1)[-1].decode()
            moved = task.family == "bulk-rename"
            assert (name.rpartition("-")[0] if moved else name) in task.instruction, task.task_id


def test_instructions_show_every_payload() -> None:
    for task in TASKS:
        for payload in task.payloads.values():
            assert f"⟪{payload.decode()}⟫" in task.instruction, task.task_id


def test_references_come_in_several_styles() -> None:
    for task in load_public():
        assert len(set(reference_styles(task).values())) >= 6, task.task_id
        assert task.reference is not None
        assert b"python3" not in task.reference, "the default reference is plain shell, for it is used to measure speed"
