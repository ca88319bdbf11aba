"""Protection of single characters over stacks of two and three shells, held to what real shells make of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.oracle.compare import differing_channels
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve

STACKS = (
    "nested",
    "double-nested",
    "nested > single",
    "single > nested",
    "single > single",
    "nested > nested > single",
    "nested > single > nested",
    "nested > quoted",
    "json-naive > nested",
    "single > json-naive",
    "json-naive > double-nested",
    "single > eval",
)
# Files that unquoted patterns could match, and a name that a tilde could become.
FIXTURE = Fixture((FixtureFile(b"a", b""), FixtureFile(b"b", b""), FixtureFile(b"ab", b"")))

few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.text(st.sampled_from("ab=:-+,.]}!@%^/\u00e9 \t\n'\"\\\\$`;&|()<>*?[{~#"), min_size=1, max_size=24).map(
    str.encode
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def arrived(pool: Pool, stack: str, text: bytes) -> bytes | None:
    delivery = resolve(stack).deliver(text)
    assert isinstance(delivery, Launch), delivery
    return machinery(pool, 10.0).recorder().text(delivery, FIXTURE)


@pytest.mark.parametrize("stack", STACKS)
@few
@given(text=texts)
def test_a_protected_text_arrives_to_the_byte(pool: Pool, stack: str, text: bytes) -> None:
    transport = resolve(stack)
    assert transport.protects_characters()
    protected = transport.protect(text, [offset for offset, _ in transport.active(text)])
    assert arrived(pool, stack, protected) == text
    armored = transport.armor(text)
    assert armored is not None
    assert arrived(pool, stack, armored) == text


@pytest.mark.parametrize("stack", STACKS)
@few
@given(text=texts)
def test_what_is_not_active_is_left_alone(pool: Pool, stack: str, text: bytes) -> None:
    transport = resolve(stack)
    # A first letter, for what begins with a dash is an option of bash on every path.
    plain = b"a" + text
    while active := {offset for offset, _ in transport.active(plain)}:
        plain = bytes(byte for offset, byte in enumerate(plain) if offset not in active)
    assert arrived(pool, stack, plain) == plain


@pytest.mark.parametrize("stack", STACKS)
def test_the_empty_program_and_every_byte_arrive(pool: Pool, stack: str) -> None:
    transport = resolve(stack)
    every = bytes(range(1, 256)) if "json" not in stack else bytes(range(1, 128)) + "\u00e9".encode()
    for text in (b"", every):
        armored = transport.armor(text)
        assert armored is not None
        assert arrived(pool, stack, armored) == text


PROGRAMS = (
    b"printf '%s\\n' \"a b\" '$x `y` {z} {{q}} 100% <&> ${v} # : - \\\\ \\n' | cat",
    b" x=1;\techo \"$x\" # }\necho 'two  lines'\ncat <<'E'\n$a `b` \"c\"\nE\n",
)


@pytest.mark.parametrize("pattern", ["{} > nested", "nested > {}", "{} > double-nested"])
@pytest.mark.parametrize("name", [name for name, each in load().boundaries.items() if each.rules])
def test_a_stack_with_any_layer_that_has_rules_has_the_effect_of_the_program(
    pool: Pool, name: str, pattern: str
) -> None:
    transport = resolve(pattern.format(name))
    protects = missing_of(transport) is None and transport.protects_characters()
    if missing_of(transport) is not None or not (protects or transport.armor(b"true")):
        return
    machines = machinery(pool, 10.0)
    for program in PROGRAMS:
        direct = resolve("direct").deliver(program)
        assert isinstance(direct, Launch)
        wanted = machines.run(direct, FIXTURE)
        every = transport.protect(program, [offset for offset, _ in transport.active(program)]) if protects else None
        for text in (transport.armor(program), every):
            if text is None:
                assert not protects
                continue
            delivery = transport.deliver(text)
            assert isinstance(delivery, Launch), delivery
            assert not differing_channels(wanted, machines.run(delivery, FIXTURE)), text


def test_what_a_layer_refuses_has_no_protection() -> None:
    assert resolve("json-naive > double-nested").armor(b"\xff") is None
    armored = resolve("double-nested").armor(b"x \0")
    assert armored is not None
    assert isinstance(resolve("double-nested").deliver(armored), Refusal)
