"""What is decoded on the host stays harmless and bounded, whatever the reply holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve

DECODERS = [name for name, each in load().boundaries.items() if missing_of(resolve(name)) is None]


@pytest.mark.parametrize(
    ("stack", "reply"),
    [
        ("str-format", b"{0.__class__}"),
        ("str-format", b"{}{:{}}"),
        ("str-format", b"{a[__globals__]!r:>99999999999}"),
        ("percent-format", b"%99999999999d"),
        ("percent-format", b"%*.*s"),
        ("string-template", b"${x.__class__}"),
        ("jinja2", b"{{ x.__class__.__mro__ }}"),
        ("yaml-plain", b"!!python/object/apply:os.system [id]"),
        ("yaml-plain", b"x\na: &a [1,1]\nb: &b [*a,*a]\nc: &c [*b,*b]\nrun: *c"),
        ("xml-naive", b'<!DOCTYPE x [<!ENTITY a "aaaa">]>&a;'),
        ("xml-naive", b"&lol9;"),
    ],
)
def test_a_hostile_text_is_rejected(stack: str, reply: bytes) -> None:
    assert isinstance(resolve(stack).deliver(reply), Rejection)


def test_the_work_of_a_yaml_parser_is_bounded() -> None:
    """Its time grows with the square of the open brackets, so it stops at the hundredth and says where."""
    for reply in (b"[" * 50_000, b"{" * 50_000, b"[{" * 50_000):
        rejection = resolve("yaml-plain").deliver(reply)
        assert isinstance(rejection, Rejection)
        assert rejection.message == "nested too deeply at line 1 column 106"


@pytest.mark.parametrize(
    "reply",
    [
        b"{{ ''.__class__.__mro__ }}",
        b"{{ 'a' * 10**10 }}",
        b"{{ 9**9**9 }}",
        b"{% for i in range(10**10) %}x{% endfor %}",
        b"{{ lipsum(100000) }}",
        b"{{ lipsum }}",
        b"{{ cycler.__init__.__globals__ }}",
        b"{{ self }}",
        b"{{ x[cycler.__init__()] }}",
        b"{{ x.y }}{{ x() }}",
        b"{% set x = 1 %}",
        b"{{ x() }}",
        b"{% include '/etc/passwd' %}",
    ],
)
def test_what_jinja2_would_evaluate_is_left_to_the_jail_or_refused_at_its_line(reply: bytes) -> None:
    alone = resolve("jinja2").deliver(b"echo a\n" + reply)
    assert isinstance(alone, Launch)
    assert alone.executable == b"/usr/bin/python3"
    refusal = resolve("jinja2 > nested").deliver(b"echo a\n" + reply)
    assert isinstance(refusal, Refusal)
    assert (refusal.boundary, refusal.offset) == ("jinja2", 7)


@pytest.mark.parametrize("name", DECODERS)
@settings(max_examples=30)
@given(reply=st.binary(max_size=60) | st.text("ab{}$%&<>'\"\\\\`#:!-*\n\r\t ();.|[]=~@", max_size=40).map(str.encode))
def test_any_text_has_one_of_three_answers(name: str, reply: bytes) -> None:
    delivery = resolve(name).deliver(reply)
    assert isinstance(delivery, Launch | Refusal | Rejection)
    if isinstance(delivery, Refusal):
        assert 0 <= delivery.offset <= len(reply) + 1
        assert delivery.boundary in (name, "direct")


@pytest.mark.parametrize("name", DECODERS)
@settings(max_examples=30)
@given(program=st.text("ab{}$%&<>'\"\\\\`#:!-*\n\t ();.|[]=~@é", max_size=40).map(str.encode))
def test_armor_of_a_decoder_is_decoded_to_the_program_or_to_one_that_hands_it_on(name: str, program: bytes) -> None:
    boundary = load().boundaries[name]
    armored = boundary.armor(program)
    if armored is None or boundary.starts_shell or boundary.adds_text:
        return
    decoded = boundary.embed(armored)
    if isinstance(decoded, bytes):
        assert decoded == program or decoded.startswith((b"exec bash -c ", b"bash -c "))
    else:
        assert isinstance(decoded, Launch)
