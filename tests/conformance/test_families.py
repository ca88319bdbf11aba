"""Every family keeps the contract of `qfuzz.gen.family`, and its programs do what it promises when they run."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qfuzz.engine.machinery import machinery
from qfuzz.gen.choices import SeededChoices
from qfuzz.gen.family import Family
from qfuzz.gen.fragments import FRAGMENTS, fill
from qfuzz.gen.loader import families
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.gen.shape import draw_control, mend
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task
from qfuzz.model.verdict import Verdict
from qfuzz.oracle.judge import judge
from qfuzz.strategies import accepted_payloads, tasks
from qfuzz.transports.loader import resolve

each_family = pytest.mark.parametrize("family", families().values(), ids=FAMILY_NAMES)
# Each example runs some ten programs. Nothing of a function-scoped fixture is changed by one.
running = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as pool:
        yield pool


def verdict(pool: Pool, task: Task, program: bytes | None) -> Verdict:
    assert program is not None
    delivery = resolve("direct").deliver(program)
    assert isinstance(delivery, Launch)
    return judge(task, machinery(pool, 10).run(delivery, task.fixture))


@each_family
def test_module_holds_the_family_of_its_name(family: Family) -> None:
    assert importlib.import_module(f"qfuzz_families.{family.name.replace('-', '_')}").FAMILY is family


@each_family
def test_roles_shapes_and_public_payloads_agree(family: Family) -> None:
    assert tuple(family.shapes) == family.roles
    assert [case.tier for case in family.public] == [0, 1, 2, 3]
    for case in family.public:
        assert tuple(case.payloads) == family.roles
        assert family.accepts(case.payloads)
        assert family.defeats(case.payloads) == (case.tier > 0), case.stem


@each_family
def test_payloads_that_it_does_not_accept_are_refused(family: Family) -> None:
    with pytest.raises(ValueError, match=family.name):
        family.build(dict.fromkeys(family.roles, b"\x00"), 1, "x")
    with pytest.raises(ValueError, match=family.name):
        family.build({"no-such-role": b"x"}, 1, "x")


@each_family
def test_decisive_fragments_defeat_the_naive_program_in_a_plain_text(family: Family) -> None:
    for role, shape in family.shapes.items():
        others = {other: b"plain b1c2d3f4" for other in family.roles if other != role}
        for hazard in shape.decisive:
            for fragment in FRAGMENTS[hazard]:
                text = fill(fragment, SeededChoices("fragment")).encode()
                if any(char in text for char in shape.without.encode()):
                    continue
                text = text + b" plain" if hazard == "leading-dash" else b"plain" * (not shape.lines) + text
                text += b"\n" * shape.lines
                assert family.defeats({role: text, **others}), (hazard, text)


@each_family
def test_mending_is_certain_whatever_the_text_holds(family: Family) -> None:
    role = family.roles[0]
    shape = family.shapes[role]
    ending = b"\n" * shape.lines
    for number in range(60):
        choices = SeededChoices("mend", str(number))
        for rest in (b"plain", rb"\(uncertain\) .\{", b"[[:alpha:]x", b"ends in \\"):
            others = {other: draw_control(family.shapes[other], "b1c2d3f4", choices) for other in family.roles[1:]}
            assert family.defeats({role: mend(shape, rest + ending, choices), **others})


@each_family
def test_public_tasks_hold(family: Family, pool: Pool) -> None:
    for task in family.public_tasks():
        for style, program in task.references.items():
            assert verdict(pool, task, program).passed, (task.task_id, style)
        assert verdict(pool, task, task.naive).passed == (task.tier == 0), task.task_id


@each_family
@running
@given(data=st.data())
def test_references_are_right_for_any_payload(family: Family, pool: Pool, data: st.DataObject) -> None:
    task = family.build(data.draw(accepted_payloads(family)), 1, "any")
    for style, program in task.references.items():
        assert verdict(pool, task, program).passed, (style, program)


@each_family
@running
@given(data=st.data())
def test_drawn_tasks_hold(family: Family, pool: Pool, data: st.DataObject) -> None:
    task = data.draw(tasks(names=[family.name]))
    assert verdict(pool, task, task.naive).passed == (task.tier == 0)
    assert verdict(pool, task, task.reference).passed


def test_the_registry_is_in_the_order_of_the_list_and_refuses_unknown_names() -> None:
    registry = families()
    assert tuple(registry) == FAMILY_NAMES
    assert len(registry) == 14
    assert [family.name for family in registry.select(("ssh-heredoc", "write-file"))] == ["write-file", "ssh-heredoc"]
    assert registry.select(()) == tuple(registry.values())
    with pytest.raises(UsageError, match="no family 'write'"):
        registry.select(("write",))
