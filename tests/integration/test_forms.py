"""Minimal forms of real breakers, with real shells: what is claimed of them still holds when it is run again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.forms import form_maker
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.machinery import machinery
from qfuzz.gen.public import load_public
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Observation
from qfuzz.model.task import ExpectFile, Fixture, Task
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.judge import judge
from qfuzz.transports.loader import resolve
from tests.examples import task_of

TASKS = {task.task_id: task for task in load_public()}


@pytest.fixture(scope="module")
def machines() -> Iterator[Machinery]:
    with Pool(1) as pool:
        yield machinery(pool, 10.0)


def run(machines: Machinery, stack: str, program: bytes, fixture: Fixture) -> Observation | Rejection:
    delivery = resolve(stack).deliver(program)
    if isinstance(delivery, Launch):
        return machines.run(delivery, fixture)
    assert isinstance(delivery, Rejection)
    return delivery


def breaker(machines: Machinery, program: bytes, stack: str, task: Task | None = None) -> Breaker:
    fixture = Fixture() if task is None else task.fixture
    direct = run(machines, "direct", program, fixture)
    assert isinstance(direct, Observation)
    return Breaker(program, task, fixture, resolve(stack), direct, run(machines, stack, program, fixture))


def forms_of(machines: Machinery, broken: Breaker) -> Forms:
    with form_maker(machines, strict=False) as make:
        return make(broken)


def chars(causes: tuple[tuple[object, ...], ...]) -> list[str]:
    return ["".join(one.char for one in cause) for cause in causes]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("program", "stack", "repair", "causes"),
    [
        (b"printf '%s' '$5' > a; printf '%s' '\"x\"' > b", "nested", '$""', ["$", '""']),
        (b"printf '%s' '$HOME'", "nested", "$", ["$"]),
        (b"echo 'a  b'", "single", "''", ["'"]),
        (b"echo '\\\\'", "nested", "\\", ["\\"]),
        (b"cat <<'E'\nplain\n$x\nE", "nested", "$", ["$"]),
        (b"x=1; cat <<E\n$x\nE", "nested", "$", ["$"]),
        (b"echo '\\\n'", "nested", "\\", ["\\"]),
        (b"echo 'lone $ and \\n stay' '`'", "nested", "`", ["`"]),
        (b"printf '%s' '\\\\x'", "json-naive", "\\\\", ["\\\\"]),
        (b"printf '%s' '$5'", "nested > single", "'$'", ["'", "''", "$"]),
        (b"printf '%s' '$5'", "single > nested", "'$'", ["'", "'", "$"]),
        (b"printf '%s' '$5'", "json-naive > nested", "$", ["$"]),
        (b"exit 3", "double-nested", " ", [" "]),
    ],
)
def test_repair_set_and_causes(machines: Machinery, program: bytes, stack: str, repair: str, causes: list[str]) -> None:
    found = forms_of(machines, breaker(machines, program, stack)).repair
    assert found is not None
    assert found.restorable
    assert "".join(one.char for one in found.repair_set) == repair
    assert chars(found.causes) == causes
    for one in found.repair_set:
        assert program[one.offset : one.offset + 1].decode() == one.char


def test_what_does_not_do_the_same_twice_is_told_by_its_verdicts(machines: Machinery) -> None:
    task = task_of(ExpectFile(b"out.txt", b'$RANDOM "x"'))
    program = b"printf '%s' '$RANDOM \"x\"' > out.txt"
    known = breaker(machines, program, "nested", task)
    forms = forms_of(machines, replace(known, by_verdict=True))
    assert forms.repair is not None
    assert "".join(one.char for one in forms.repair.repair_set) == '$""'
    assert chars(forms.repair.causes) == ["$", '""']
    assert forms.reply is None
    restored = run(machines, "nested", forms.repair.protected, task.fixture)
    assert isinstance(restored, Observation)
    assert judge(task, restored).passed


def test_verdicts_that_change_too_show_no_cause(machines: Machinery) -> None:
    task = task_of(ExpectFile(b"out.txt", b"$5"), may_create=(b"x",))
    # Directly right at some times and wrong at others.
    program = b"printf '%s' '$5' > out.txt; ((SRANDOM % 2)) || touch more"
    forms = [forms_of(machines, replace(breaker(machines, program, "nested", task), by_verdict=True)) for _ in range(6)]
    assert any(each.repair is None for each in forms)
    assert all(each.reply is None for each in forms)


BREAKERS = [
    ("write-file/t2-lighthouse", "nested"),
    ("git-commit/t2-mizzen", "nested"),
    ("env-passing/t2-bilge", "nested"),
    ("heredoc-write/t1-pilotage", "nested"),
    ("grep-count/t3-quayside", "single"),
    ("json-write/t1-dredger", "json-naive"),
]


@pytest.mark.parametrize(("task_id", "stack"), BREAKERS)
def test_every_claim_of_the_forms_holds_when_it_is_run_again(machines: Machinery, task_id: str, stack: str) -> None:
    task = TASKS[task_id]
    assert task.reference is not None
    broken = breaker(machines, task.reference, stack, task)
    forms = forms_of(machines, broken)
    transport, fixture = broken.transport, task.fixture
    assert forms.repair is not None
    repair = frozenset(one.offset for one in forms.repair.repair_set)
    active = frozenset(offset for offset, _ in transport.active(task.reference))

    def restored(protected: frozenset[int]) -> bool:
        outcome = run(machines, stack, transport.protect(task.reference or b"", protected), fixture)
        return isinstance(outcome, Observation) and not differing_channels(broken.direct, outcome)

    assert restored(repair)
    assert forms.repair.protected == transport.protect(task.reference, repair)
    assert not any(restored(repair - {offset}) for offset in repair)
    for cause in forms.repair.causes:
        offsets = frozenset(one.offset for one in cause)
        assert not restored(active - offsets)
    assert forms.reply is not None
    smallest = breaker(machines, forms.reply.program, stack, task)
    assert smallest.direct.status == broken.direct.status
    assert not isinstance(smallest.transported, Observation) or differing_channels(
        smallest.direct, smallest.transported
    )
    assert len(forms.reply.program) < len(task.reference)


def test_equal_breakers_have_equal_forms(machines: Machinery) -> None:
    task = TASKS["env-passing/t2-bilge"]
    assert task.reference is not None
    broken = breaker(machines, task.reference, "nested", task)
    assert forms_of(machines, broken) == forms_of(machines, broken)


@pytest.mark.parametrize(
    "program",
    [
        b"echo '$'\"'\"'a${.b'",
        b"echo $'a${.b'",
        b"true\n" * 5000 + b"echo '$x'",
        b"printf '\\377$x'",
        b"echo $RANDOM '$x'",
        b"[[ '$x' == x ]]; ((1)); case '`' in x) ;; esac; cat <<E\n$((1))\nE",
        b"echo hi",
    ],
)
def test_traps(machines: Machinery, program: bytes) -> None:
    broken = breaker(machines, program, "nested")
    forms = forms_of(machines, broken)
    assert forms.executions <= 1100
    if forms.repair is not None and forms.repair.restorable:
        assert forms.repair.protected
