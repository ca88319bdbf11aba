"""Laws of clean-up over any reply."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qfuzz.collect.clean import RULES, clean

LINES = st.sampled_from(
    [b"", b" ", b"ls", b"$ ls", b"```", b"```bash", b"~~~~", b"<think>", b"</think>", b"a\\", b"\xff"]
)
TEXTS = st.lists(LINES, max_size=8).map(b"\n".join) | st.binary(max_size=40)
SOME_RULES = st.lists(st.sampled_from(list(RULES)), unique=True).map(tuple)


@given(TEXTS, SOME_RULES)
def test_what_is_left_stood_in_the_reply(program: bytes, rules: tuple[str, ...]) -> None:
    """Rules only take away: what is left is a subsequence, and what they name is what changed something."""
    done = clean(program, rules)
    rest = iter(program)
    assert all(byte in rest for byte in done.program)
    assert set(done.changed) <= set(rules)
    assert bool(done.changed) == (done.program != program)


@given(st.lists(LINES.filter(lambda line: line.strip() != b"```"), max_size=6).map(b"\n".join))
def test_a_fence_around_a_whole_program_comes_off(program: bytes) -> None:
    for opening in (b"```", b"```bash"):
        assert clean(opening + b"\n" + program + b"\n```\n", ("fences",)).program == program


@given(TEXTS)
def test_no_rule_asked_for_changes_nothing(program: bytes) -> None:
    assert clean(program, ()).program is program
