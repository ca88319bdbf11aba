"""What each pass proposes to take out of a program, seen as what is left."""

from __future__ import annotations

import pytest

from qfuzz.shrink.cuts import characters, without
from qfuzz.shrink.passes import structure, text
from qfuzz.shrink.passes.view import View
from qfuzz.shrink.reply import PASSES, Pass


def left_by(propose: Pass, program: bytes) -> list[bytes]:
    view = View(program, lambda _: None)
    return [without(program, [cut]) for cut in propose(view)]


EXAMPLES: list[tuple[Pass, bytes, list[bytes]]] = [
    (structure.compounds, b"a; for x in y; do { b; }; done; c", [b"a; c", b"a; for x in y; do done; c"]),
    (
        structure.statements,
        b"a; b && c # d\ne",
        [b"a; b && c # d", b"a; b && c\ne", b"a; b && e", b"a; c # d\ne", b"b && c # d\ne"],
    ),
    (structure.statements, b"cat <<A; b\nx\nA\nc", [b"cat <<A; b\nx\nA\n", b"cat <<A; \nx\nA\nc", b"b\nc"]),
    (structure.statements, b"a", []),
    (structure.stages, b"a | b 'x|y' | c", [b"a | b 'x|y' ", b"a | c", b"b 'x|y' | c"]),
    (
        structure.redirections,
        b"a >b 2>&1 <<E\nx\nE\nc",
        [b"a >b 2>&1\nc", b"a >b <<E\nx\nE\nc", b"a 2>&1 <<E\nx\nE\nc"],
    ),
    (structure.words, b"x=1  a 'b c' > d", [b"x=1  a > d", b"x=1  'b c' > d", b"a 'b c' > d"]),
    (structure.pieces, b"a'b'\"c\" 'd' e$(f)", [b"a'b'\"c\" 'd' e", b"a'b' 'd' e$(f)", b"a\"c\" 'd' e$(f)"]),
    (
        structure.marks,
        b"a 'b' $'c' $(d) `e`",
        [b"a 'b' $'c' $(d) e", b"a 'b' $'c' d `e`", b"a 'b' c $(d) `e`", b"a b $'c' $(d) `e`"],
    ),
    (text.lines, b"a 'b\nc\nd' e", [b"a 'b\nc\n' e", b"a 'b\nd' e", b"a 'c\nd' e"]),
    (text.lines, b"a <<E\nb\nE\n", [b"a <<E\nb\n", b"a <<E\nE\n"]),
    (text.plain_everywhere, b"a 'b $c' \"d\"", [b"a '$' \"\""]),
    (text.plain_everywhere, b"a b", []),
    (text.plain_by_data, b"a 'b $c' \"dd*ee-ff\"", [b"a 'b $c' \"*\"", b"a '$' \"dd*ee-ff\""]),
    (text.plain_runs, b"a 'b $c' <<'E'", [b"a 'b $' <<'E'", b"a '$c' <<'E'"]),
    (text.tokens, b"a 'b cd-$e_1'", [b"a 'b cd-$'", b"a 'b -$e_1'", b"a ' cd-$e_1'"]),
    (text.all_of_a_kind, b"a '\"$b$\"$'", [b"a '\"b\"'", b"a '$b$$'"]),
    (text.equal_pairs, b'a \'""b""\'', [b"a '\"\"b'", b"a 'b\"\"'"]),
    (text.single_marks, b"a $ 'b$ *'", [b"a $ 'b$ '", b"a $ 'b *'"]),
    (text.escapes, b"a \\b\\\\ '\\n'", [b"a \\b\\\\ ''", b"a \\b '\\n'", b"a \\\\ '\\n'"]),
    (text.names, b"ab c 'de/f g'", [b"ab c 'd g'", b"a c 'de/f g'"]),
    (text.names, b"key=value -x", [b"key=value -", b"key=v -x", b"k=value -x"]),
    (text.blanks, b"a b\tc\nd", [b"a b\tcd", b"a bc\nd", b"ab\tc\nd"]),
    (text.each_character, b"a $1\xc3\xa9", [b"a$1\xc3\xa9", b"a $1", b"a 1\xc3\xa9", b"a $\xc3\xa9", b" $1\xc3\xa9"]),
]


@pytest.mark.parametrize(("propose", "program", "left"), EXAMPLES)
def test_cuts(propose: Pass, program: bytes, left: list[bytes]) -> None:
    assert left_by(propose, program) == left


def test_every_pass_has_an_example() -> None:
    assert {propose for propose, _, _ in EXAMPLES} == {*PASSES, text.each_character}


def test_characters_are_those_of_utf_8_and_single_bytes_elsewhere() -> None:
    assert characters(b"a\xc3\xa9\xff\xe2\x82") == [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]


def test_cuts_may_touch_and_overlap() -> None:
    assert without(b"abcdefgh", [((1, 3), (6, 7)), ((2, 4),), ((4, 5),)]) == b"afh"
