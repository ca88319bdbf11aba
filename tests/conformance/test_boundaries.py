"""Every registered boundary, by running: witnesses, armor, limits, syntax."""

from __future__ import annotations

import functools
import os

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, FixtureFile, Task
from qfuzz.oracle.compare import differing_channels
from qfuzz.transports.available import missing_of
from qfuzz.transports.base import Boundary
from qfuzz.transports.loader import load, resolve
from tests.available import available
from tests.conformance.programs import programs

REGISTRY = load()


NAMES = available(REGISTRY.names())
SINGLE = available(REGISTRY.boundaries)
STACKS = available(
    (
        "json-naive > nested",
        "json-naive > json-naive",
        "json-naive > double-nested",
        "nested > single",
        "single > nested",
        "single > single",
        "nested > nested > single",
        "single > json-naive",
        "single > quoted",
        "single > eval",
        "eval > single",
        "nested > script-file",
        "sh > quoted",
        "zsh > quoted",
        "eval > quoted",
        "heredoc > script-file",
        "json-naive > xargs",
        "xargs > quoted",
        "yaml-double > json-naive",
        "jinja2 > nested",
        "nested > jinja2",
        "markdown-fence > github-run",
        "xml-naive > heredoc",
        "percent-format > str-format",
        "json-naive > systemd-model",
        "compose-model > kubernetes-model",
        "percent-format > make",
        "terraform-model > crontab-model",
        "base64-piped > nested",
        "base64-piped > ssh-pasted",
        "base64-piped > make",
        "base64 > single",
        "json > base64 > single",
        "nested > base64",
        "json-naive > taskfile",
        "taskfile > quoted",
    )
)
FIXTURE = Fixture((FixtureFile(b"kept.txt", b"kept\n"),))
PLAIN = b"echo plain > out.txt; echo done"
NO_ARMOR = {"exec-string"}
"""Boundaries that give a program no way to be delivered whole."""
CUTS = {"pty-plain"}
"""Boundaries that drop the end of a long line without a word: damage that people meet, and no refusal."""
SLOW = {"npm", "node", "python3"}
"""Programs that take a good part of a second to start: boundaries with one of them are tried with fewer programs."""


def is_slow(boundary: Boundary) -> bool:
    """One that renders most texts here starts its program for few of them."""
    return boundary.starts_shell and bool(SLOW.intersection(boundary.programs))


def run(pool: Pool, stack: str, program: bytes, fixture: Fixture = FIXTURE) -> Observation | Refusal | Rejection:
    delivery = resolve(stack).deliver(program)
    if not isinstance(delivery, Launch):
        return delivery
    # A busy machine is no reason to call a program damaged.
    return machinery(pool, 60.0).run(delivery, fixture)


class Directly:
    """Direct runs, each made once."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._known: dict[tuple[bytes, int], Observation | Refusal | Rejection] = {}

    def __call__(self, program: bytes, fixture: Fixture = FIXTURE) -> Observation | Refusal | Rejection:
        key = (program, id(fixture))
        if key not in self._known:
            self._known[key] = run(self._pool, "direct", program, fixture)
        return self._known[key]


@pytest.fixture(scope="module")
def directly(pool: Pool) -> Directly:
    return Directly(pool)


@functools.cache
def right_programs() -> tuple[tuple[Task, bytes], ...]:
    """References in several styles, spread over the families."""
    return tuple((task, program) for task, name, program in programs() if name != "naive")[:420:20]


def same(left: Observation | Refusal | Rejection, right: Observation | Refusal | Rejection) -> bool:
    if isinstance(left, Observation) and isinstance(right, Observation):
        return not differing_channels(left, right)
    return left == right


@pytest.mark.skipif(not os.environ.get("CI"), reason="a developer's machine may lack programs; CI may not")
def test_nothing_is_silently_missing_in_ci() -> None:
    lacking = [missing_of(resolve(name)) for name in REGISTRY.names()]
    # bashlex is installed where it can be, and the run says so where not.
    assert [str(each) for each in lacking if each is not None and each.boundary != "bashlex-split"] == []


@pytest.mark.parametrize("name", SINGLE)
def test_a_boundary_carries_something_and_its_witness_shows_what_it_breaks(
    pool: Pool, directly: Directly, name: str
) -> None:
    boundary = REGISTRY.boundaries[name]
    assert same(run(pool, name, boundary.plain), directly(boundary.plain))
    assert (boundary.witness is None) == boundary.faithful
    if boundary.witness is not None:
        direct = directly(boundary.witness)
        assert isinstance(direct, Observation)
        assert direct.status.code == 0
        assert not same(run(pool, name, boundary.witness), direct)


@pytest.mark.parametrize("stack", [*NAMES, *STACKS])
def test_armor_delivers_the_effect_of_a_program(pool: Pool, directly: Directly, stack: str) -> None:
    armored_programs = 0
    slow = any(map(is_slow, resolve(stack).boundaries))
    chosen = right_programs()[:: 10 if slow else 1]
    for task, program in chosen:
        armored = resolve(stack).armor(program)
        if armored is None:
            continue
        armored_programs += 1
        direct = directly(program, task.fixture)
        assert same(run(pool, stack, armored, task.fixture), direct), (stack, program, armored)
    assert armored_programs == 0 if stack in NO_ARMOR else armored_programs >= len(chosen) - 2


@pytest.mark.parametrize(
    "stack",
    [
        "nested > nested > nested",
        "nested > json-naive",
        "quoted > nested",
        "sh > nested",
        "subshell > nested",
        "eval > eval",
        "eval > nested",
        "xargs > nested",
        "single-escaped > make",
        "single-escaped > nested > base64",
        "base64 > nested",
        "base64-piped > sh",
        "base64-piped > nested > nested",
    ],
)
def test_no_lossless_way_is_claimed_through_a_damaged_wrapper(stack: str) -> None:
    assert resolve(stack).armor(b"echo hi") is None
    assert not resolve(stack).protects_characters()


@pytest.mark.parametrize("name", NAMES)
def test_protecting_every_active_character_restores_the_direct_result(
    pool: Pool, directly: Directly, name: str
) -> None:
    transport = resolve(name)
    for program in (b"printf '%s\\n' \"a b\" '$x `y` {z} 100% <&>' | cat", b' x=1;\techo "$x" # }'):
        offsets = [offset for offset, _ in transport.active(program)]
        if offsets:
            assert same(run(pool, name, transport.protect(program, offsets)), directly(program)), program


@pytest.mark.parametrize("name", NAMES)
def test_nul_is_refused_where_it_is(name: str) -> None:
    delivery = resolve(name).deliver(b"abc\0d")
    if name == "json-naive":
        assert isinstance(delivery, Rejection)
    else:
        assert isinstance(delivery, Refusal)
        assert delivery.offset == 3


@pytest.mark.parametrize("name", SINGLE)
def test_a_long_program_is_carried_or_refused_never_broken(pool: Pool, name: str) -> None:
    boundary = REGISTRY.boundaries[name]
    prints = boundary.plain == PLAIN
    slow = is_slow(boundary)
    for size in (100_000, 400_000) if slow else (100_000, 131_060, 131_071, 131_072, 400_000):
        text = b"x" * (size - 5)
        outcome = run(pool, name, (b"echo " if prints else b"true ") + text)
        if isinstance(outcome, Refusal):
            assert "can't be longer than" in outcome.reason
            # In bytes of the text that the refusing layer met, which may hold a few of an earlier layer's own.
            assert outcome.offset <= size + 100
            continue
        assert isinstance(outcome, Observation)
        if name in CUTS:
            assert len(outcome.stdout.data) < 4096
        elif outcome.status.code == 0:
            assert outcome.stdout.data == (text + b"\n" if prints else b"")
        else:
            # Two bytes below the limit the outer shell still carries a text that its own execve then refuses.
            assert b"too long" in outcome.stderr.data, outcome.stderr.data[-200:]


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
        ("dash", b"a=(1 2)", False),
        ("busybox", b"a=(1 2)", False),
        ("yash", b"a=(1 2)", True),
        ("zsh", b"a=(1 2)", True),
        ("zsh", b"if true; then", False),
        ("ksh", b"echo ${", False),
        ("ksh", b"a=(1 2)", True),
        ("mksh", b"echo $(", False),
        ("mksh", b"a=(1 2)", True),
        ("fish", b"cat <<EOF", False),
        ("fish", b"echo hi", True),
        ("bash", b"rm -rf /work; exit 0\nfi", False),
    ],
)
def test_syntax_is_asked_of_the_shell_and_nothing_runs(pool: Pool, shell: str, text: bytes, parses: bool) -> None:
    assert machinery(pool, 10.0).parses(shell, text) is parses
