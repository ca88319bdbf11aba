"""Lint holds with real shells: text without a mark arrives byte for byte, and no mark is for nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from qfuzz.engine.arrived import Arrival, arrivals
from qfuzz.engine.events import Sample
from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.lint.check import Linter
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture
from qfuzz.transports.loader import resolve

PLAIN = ("a", "0", ".", "/", ":", "=", "@", "^", "_", "%", "!", "]", "}", "é", "\x7f")
OUTSIDE_QUOTES = (*PLAIN, "{", "#", "~", "-", "[", "$")
SPECIAL = (*OUTSIDE_QUOTES, " ", "\t", "\n", ";", "|", "&", "<", ">", "(", ")", "*", "?", "'", '"', "\\", "`", "$.")
PARTS = {
    "nested": tuple(part for part in SPECIAL if part not in '"`'),
    "single": tuple(part for part in SPECIAL if part != "'"),
    "double-nested": OUTSIDE_QUOTES,
    "json-naive": tuple(part for part in SPECIAL if part not in '"\\\t\n'),
    "single > nested": tuple(part for part in SPECIAL if part not in "'\"`"),
    "json-naive > double-nested": OUTSIDE_QUOTES,
}
"""Of what texts are drawn that have a fair chance of no mark."""

TIMEOUT_SECONDS = 10.0
# A failure is one short text already, and each step of shrinking would start shells.
ONLY_DRAW = settings(max_examples=60, phases=(Phase.explicit, Phase.reuse, Phase.generate))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def arrival(pool: Pool, stack: str, program: bytes) -> Arrival:
    samples = [Sample(0, Reply(program), None, "", Fixture(), "")]
    stopped = machinery(pool, TIMEOUT_SECONDS).stopped_text
    (at,) = arrivals(samples, (resolve(stack),), stopped, 1)
    return at.arrivals[0].arrival


@pytest.mark.parametrize("stack", PARTS)
@given(data=st.data())
@ONLY_DRAW
def test_text_without_a_mark_arrives_whole(pool: Pool, stack: str, data: st.DataObject) -> None:
    program = "".join(data.draw(st.lists(st.sampled_from(PARTS[stack]), min_size=1, max_size=12))).encode()
    assume(not Linter.over(resolve(stack)).findings(program))
    assert arrival(pool, stack, program) is Arrival.SAME, program


@pytest.mark.parametrize("stack", ["nested", "single", "json-naive", "single > nested"])
@given(data=st.data())
@ONLY_DRAW
def test_a_marked_character_alone_is_enough(pool: Pool, stack: str, data: st.DataObject) -> None:
    """With every other marked character protected, what arrives is not the text.

    A backslash hides what the next character does, and the other way round, so that two of them are not told apart; a
    dollar before a dollar that is protected expands nothing.
    """
    transport = resolve(stack)
    drawn = st.lists(st.sampled_from([part for part in SPECIAL if part != "\\"]), max_size=4)
    own = [chr(byte) for boundary in transport.boundaries for byte in boundary.rules if byte not in b"\0\\"]
    parts = ["a", *data.draw(drawn), data.draw(st.sampled_from(own)), *data.draw(drawn), "b"]
    program = "".join(parts).encode()
    assume(b"$$" not in program)
    marked = [one.char.offset for one in Linter.over(transport).findings(program)]
    assume(marked)
    alone = data.draw(st.sampled_from(marked))
    active = {offset for offset, _ in transport.active(program)}
    protected = transport.protect(program, active - {alone})
    samples = [Sample(0, Reply(protected), None, "", Fixture(), "")]
    (at,) = arrivals(samples, (transport,), machinery(pool, TIMEOUT_SECONDS).stopped_text, 1)
    assert at.arrivals[0].text != program, (program, alone)


@pytest.mark.parametrize("stack", ["nested", "double-nested"])
@pytest.mark.parametrize("program", [b"a\\", b"\\$a", b"\\\\", b"\\`", b"a\\\nb", b'\\"'])
def test_backslashes_that_are_taken_away_are_marked(pool: Pool, stack: str, program: bytes) -> None:
    assert Linter.over(resolve(stack)).findings(program)
    assert arrival(pool, stack, program) is not Arrival.SAME


@pytest.mark.parametrize("stack", ["nested", "single > nested"])
@pytest.mark.parametrize("program", [b"a$\x7f(b", b"a$\x01{b", b"a$\x7f\x01[b"])
def test_a_dollar_is_marked_that_bash_remembers_over_bytes_of_its_own(pool: Pool, stack: str, program: bytes) -> None:
    assert Linter.over(resolve(stack)).findings(program)
    assert arrival(pool, stack, program) is not Arrival.SAME


def test_characters_outside_quotes_are_not_marked_for_nothing(pool: Pool) -> None:
    for program in (b"a b", b"a;b", b"'a'", b"a\\b", b"$a", b"{a,b}", b"~", b"#a", b"a\nb", b"a$", b"a(", b"a`"):
        assert Linter.over(resolve("double-nested")).findings(program)
        assert arrival(pool, "double-nested", program) is not Arrival.SAME, program
