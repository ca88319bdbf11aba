"""Laws of the order in which programs are smaller."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qfuzz.shrink.order import is_smaller, shrink_key
from tests.property.programs import texts


@given(texts, texts)
def test_of_two_programs_exactly_one_is_smaller(left: bytes, right: bytes) -> None:
    assert (left != right) == (is_smaller(left, right) + is_smaller(right, left))


@given(texts, texts, texts)
def test_it_is_transitive(a: bytes, b: bytes, c: bytes) -> None:
    if is_smaller(a, b) and is_smaller(b, c):
        assert is_smaller(a, c)


@given(texts, texts)
def test_the_quick_comparison_follows_the_key(left: bytes, right: bytes) -> None:
    assert is_smaller(left, right) == (shrink_key(left) < shrink_key(right))


@given(st.binary(min_size=1, max_size=20), st.data())
def test_to_take_something_out_makes_smaller(program: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(program) - 1))
    assert is_smaller(program[:at] + program[at + 1 :], program)


def test_shortest_first_then_plainest() -> None:
    ordered = [b"", b"$", b"\xff", b"aa", b"a1", b"a.", b"a ", b"a$", b"a\n", b"a\xe9", b"aaa"]
    ordered.sort(key=shrink_key)
    assert ordered == [b"", b"$", b"\xff", b"aa", b"a1", b"a.", b"a ", b"a$", b"a\n", b"a\xe9", b"aaa"]
