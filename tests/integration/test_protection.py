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
from qfuzz.transports.loader import resolve

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


def test_what_a_layer_refuses_has_no_protection() -> None:
    assert resolve("json-naive > double-nested").armor(b"\xff") is None
    armored = resolve("double-nested").armor(b"x \0")
    assert armored is not None
    assert isinstance(resolve("double-nested").deliver(armored), Refusal)
