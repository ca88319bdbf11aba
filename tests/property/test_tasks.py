"""Laws of drawn tasks, and of building a task again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qfuzz.bash.hazards import HAZARDS, hazards_of
from qfuzz.gen.loader import families
from qfuzz.gen.rebuild import reference_styles
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.model.task import Task
from qfuzz.model.task_codec import decode_task, encode_task
from qfuzz.strategies import accepted_payloads, family_payloads, references, tasks


@given(tasks())
def test_a_task_is_the_same_after_writing_and_reading(task: Task) -> None:
    assert decode_task(encode_task(task).removesuffix(b"\n")) == task


@given(tasks())
def test_a_task_read_from_a_file_has_all_its_references_again(task: Task) -> None:
    read = decode_task(encode_task(task).removesuffix(b"\n"))
    assert reference_styles(read) == task.references


@given(tasks())
def test_references_are_different_programs_and_the_first_is_the_default(task: Task) -> None:
    assert task.reference == next(iter(task.references.values()))
    assert task.naive not in task.references.values() or task.tier == 0


@given(st.data(), st.sampled_from(FAMILY_NAMES), st.integers(1, 3))
def test_hazardous_payloads_defeat_the_naive_program(data: st.DataObject, name: str, tier: int) -> None:
    family = families()[name]
    drawn = data.draw(family_payloads(family, tier=tier))
    assert family.defeats(drawn)
    assert hazards_of(drawn.values())


@given(st.data(), st.sampled_from(FAMILY_NAMES))
def test_controls_are_free_of_hazards(data: st.DataObject, name: str) -> None:
    family = families()[name]
    drawn = data.draw(family_payloads(family, tier=0))
    assert not family.defeats(drawn)
    assert set(hazards_of(drawn.values())) <= {"newline"}


@given(st.data(), st.sampled_from(FAMILY_NAMES))
def test_another_payload_keeps_every_other_name(data: st.DataObject, name: str) -> None:
    """What a payload does not decide stays, so that a reply to the one task can be turned into one to the other."""
    family = families()[name]
    one, two = (family.build(data.draw(accepted_payloads(family)), 1, "fixed") for _ in range(2))
    assert fixed_names(one) == fixed_names(two)
    assert [type(expectation) for expectation in one.expect] == [type(expectation) for expectation in two.expect]
    assert list(one.references) == list(two.references)


def fixed_names(task: Task) -> list[bytes]:
    """Names that hold the stem, the payload's own taken out of them."""
    paths = [*task.may_create, *task.fixture.dirs]
    payload = next(iter(task.payloads.values()))
    return [path.removesuffix(payload) for path in paths if b"fixed" in path]


@given(st.data(), st.sampled_from(FAMILY_NAMES))
def test_building_is_a_function_of_payload_tier_and_stem(data: st.DataObject, name: str) -> None:
    family = families()[name]
    drawn = data.draw(accepted_payloads(family))
    assert encode_task(family.build(drawn, 2, "x")) == encode_task(family.build(drawn, 2, "x"))


@given(st.data(), tasks(names=("write-file", "json-write"), tiers=(1,)))
def test_references_are_those_of_the_task(data: st.DataObject, task: Task) -> None:
    assert data.draw(references(task)) in task.references.values()


@given(st.lists(st.binary(max_size=20)))
def test_hazards_of_texts_are_those_of_each(texts: list[bytes]) -> None:
    found = hazards_of(texts)
    assert set(found) == {name for text in texts for name in hazards_of([text])}
    assert [name for name in HAZARDS if name in found] == list(found)
