"""Laws of outlines: they exist for any text, and speak of nothing outside it."""

from __future__ import annotations

from hypothesis import example, given

from qfuzz.bash.parse import text_spans
from qfuzz.bash.parse_outline import Pair, Role
from qfuzz.bash.parse_reader import outline
from tests.property.programs import texts


@given(texts)
@example(b"$(" * 3000)
@example(b"((" * 3000)
@example(b"a=(`" * 500)
@example(b"<<E\n" * 500)
def test_everything_lies_in_the_text(program: bytes) -> None:
    found = outline(program)
    ranges = [(each.start, each.end) for each in (*found.words, *found.operators, *found.redirections)]
    ranges += [each.body for each in found.redirections if each.body is not None and each.body[0] < each.body[1]]
    ranges += found.comments
    for pair in (*found.quotes, *found.substitutions, *found.compounds):
        assert pair.opening[1] <= pair.closing[0]
        ranges += [pair.opening, pair.closing]
    assert all(0 <= start < end <= len(program) for start, end in ranges)
    assert all(0 <= each.start < each.end <= len(program) for each in text_spans(found, program))


@given(texts)
def test_quotes_are_marked_by_quotes(program: bytes) -> None:
    def texts_of(pair: Pair) -> tuple[bytes, bytes]:
        return program[slice(*pair.opening)], program[slice(*pair.closing)]

    known = {(b"'", b"'"), (b'"', b'"'), (b"$'", b"'"), (b'$"', b'"')}
    assert {texts_of(pair) for pair in outline(program).quotes} <= known


@given(texts)
def test_operands_belong_to_redirections(program: bytes) -> None:
    found = outline(program)
    operands = {word.end for word in found.words if word.role is Role.OPERAND}
    assert operands <= {each.end for each in found.redirections}
