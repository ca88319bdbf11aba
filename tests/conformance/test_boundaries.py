"""Every registered boundary, by running: witnesses, armor, limits, syntax."""

from __future__ import annotations

import itertools

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.oracle.compare import differing_channels
from qfuzz.transports.loader import load, resolve
from tests.conformance.programs import programs

BOUNDARIES = tuple(load().boundaries.values())
NAMES = tuple(load().names())
OF_SHELLS = (
    "double-nested",
    "nested > single",
    "single > nested",
    "single > single",
    "nested > nested > single",
    "single > nested > single",
)
STACKS = (
    *("json-naive > nested", "json-naive > json-naive", "single > quoted", "nested > script-file", "sh > quoted"),
    *("json-naive > double-nested", "single > json-naive", *OF_SHELLS[1:]),
)
FIXTURE = Fixture((FixtureFile(b"kept.txt", b"kept\n"),))


def run(pool: Pool, stack: str, program: bytes, fixture: Fixture = FIXTURE) -> Observation | Refusal | Rejection:
    delivery = resolve(stack).deliver(program)
    if not isinstance(delivery, Launch):
        return delivery
    return machinery(pool, 10.0).run(delivery, fixture)


def same(left: Observation | Refusal | Rejection, right: Observation | Refusal | Rejection) -> bool:
    if isinstance(left, Observation) and isinstance(right, Observation):
        return not differing_channels(left, right)
    return left == right


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda boundary: boundary.name)
def test_a_boundary_carries_something_and_its_witness_shows_what_it_breaks(pool: Pool, boundary) -> None:  # type: ignore[no-untyped-def]
    plain = b"echo plain > out.txt; echo done"
    assert same(run(pool, boundary.name, plain), run(pool, "direct", plain))
    assert (boundary.witness is None) == boundary.faithful
    if boundary.witness is not None:
        direct = run(pool, "direct", boundary.witness)
        assert isinstance(direct, Observation)
        assert direct.status.code == 0
        assert not same(run(pool, boundary.name, boundary.witness), direct)


@pytest.mark.parametrize("stack", [*NAMES, *STACKS])
def test_armor_delivers_the_effect_of_a_program(pool: Pool, stack: str) -> None:
    armored_programs = 0
    for task, name, program in itertools.islice(programs(), 0, 480, 6):
        if name == "naive":
            continue
        armored = resolve(stack).armor(program)
        if armored is None:
            continue
        armored_programs += 1
        direct = run(pool, "direct", program, task.fixture)
        assert same(run(pool, stack, armored, task.fixture), direct), (stack, program, armored)
    assert armored_programs >= 60


@pytest.mark.parametrize("stack", ["nested > nested > nested", "nested > json-naive", "quoted > nested", "sh > nested"])
def test_no_lossless_way_is_claimed_through_a_damaged_wrapper(stack: str) -> None:
    assert resolve(stack).armor(b"echo hi") is None
    assert not resolve(stack).protects_characters()


@pytest.mark.parametrize("name", NAMES)
def test_nul_is_refused_where_it_is(name: str) -> None:
    delivery = resolve(name).deliver(b"abc\0d")
    if name == "json-naive":
        assert isinstance(delivery, Rejection)
    else:
        assert isinstance(delivery, Refusal)
        assert delivery.offset == 3


@pytest.mark.parametrize("name", [boundary.name for boundary in BOUNDARIES])
def test_a_long_program_is_carried_or_refused_never_broken(pool: Pool, name: str) -> None:
    for size in (100_000, 131_060, 131_071, 131_072, 400_000):
        program = b"echo " + b"x" * (size - 5)
        outcome = run(pool, name, program)
        if isinstance(outcome, Refusal):
            assert "131071" in outcome.reason
            continue
        assert isinstance(outcome, Observation)
        if outcome.status.code == 0:
            assert outcome.stdout.data == b"x" * (size - 5) + b"\n"
        else:
            # Two bytes below the limit the outer shell still carries a text that its own execve then refuses.
            assert b"Argument list too long" in outcome.stderr.data, outcome.stderr.data[-200:]


@pytest.mark.parametrize(
    ("shell", "text", "parses"),
    [
        ("bash", b"echo hi", True),
        ("bash", b"", True),
        ("bash", b"echo 'hi", False),
        ("bash", b"if true; then", False),
        ("bash", b"a=(1 2); [[ -n $a ]]", True),
        ("bash", b"cat <<EOF\nnever ended", True),
        ("bash", b"echo ok\n)", False),
        ("sh", b"a=(1 2)", False),
        ("sh", b"echo hi", True),
        ("bash", b"rm -rf /work; exit 0\nfi", False),
    ],
)
def test_syntax_is_asked_of_the_shell_and_nothing_runs(pool: Pool, shell: str, text: bytes, parses: bool) -> None:
    assert machinery(pool, 10.0).parses(shell, text) is parses
