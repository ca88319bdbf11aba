"""The published held-out set is what its seed makes and its commitment binds, and its replies answer it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qfuzz.gen.heldout import HELD_OUT_NAME, HELD_OUT_SEED, load_held_out
from qfuzz.gen.public import load_public
from qfuzz.gen.setfile import check_set
from qfuzz.gen.shape import Style
from qfuzz.gen.variants import variant_tasks
from qfuzz.model.task_codec import encode_task

CORPUS = Path(__file__).resolve().parent.parent.parent / "corpus"
FOLDER = CORPUS / HELD_OUT_NAME
REPLIES = sorted((CORPUS / "replies").glob(f"{HELD_OUT_NAME}-*.jsonl"))


def test_the_seed_makes_these_bytes_and_the_commitment_binds_them() -> None:
    made = variant_tasks(HELD_OUT_SEED, Style.V2, per_family=3, controls=False, names=[])
    assert (FOLDER / "tasks.jsonl").read_bytes() == b"".join(map(encode_task, made))
    assert check_set(FOLDER / "tasks.jsonl")


def test_the_seed_is_published_and_so_is_that_it_hides_nothing_any_more() -> None:
    text = (FOLDER / "README.md").read_text()
    assert HELD_OUT_SEED in text
    assert "not private any more" in text


def test_no_task_is_a_public_one() -> None:
    assert len(load_held_out()) == 42
    assert not {task.task_id for task in load_held_out()} & {task.task_id for task in load_public()}


@pytest.mark.parametrize("file", REPLIES, ids=lambda file: file.name)
def test_replies_answer_every_task_once(file: Path) -> None:
    records = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert [record["task_id"] for record in records] == [task.task_id for task in load_held_out()]
    contract = "disclosed:nested" if "disclosed-nested" in file.name else "raw"
    assert {(record["contract"], record["model"], record["trial"]) for record in records} == {
        (contract, "reference-llm", 0)
    }
