"""What the text of a program shows."""

from __future__ import annotations

import pytest

from qfuzz.bash.parse import Part, text_spans
from qfuzz.bash.parse_outline import Role
from qfuzz.bash.parse_reader import outline


def commands(program: bytes) -> list[bytes]:
    return [word.value for word in outline(program).words if word.role is Role.COMMAND]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (b"printf %s 'a b' > f", [b"printf"]),
        (b"a; b && c | d & e", [b"a", b"b", b"c", b"d", b"e"]),
        (b"x=1 y=2 a >f b", [b"a"]),
        (b">f a b", [b"a"]),
        (b"'a'\"b\"\\c d", [b"abc"]),
        (b'echo "$(a "$(b)")" `c` $(d', [b"echo", b"a", b"b", b"c", b"d"]),
        (b"diff <(a) >(b x)", [b"diff", b"a", b"b"]),
        (b"cat <<E; b\n$(c) `d`\nE\ne", [b"cat", b"b", b"c", b"d", b"e"]),
        (b"cat <<'E'; b\n$(c) `d`\nE\ne", [b"cat", b"b", b"e"]),
        (b"cat <<-E\n\ta\n\tE\ne", [b"cat", b"e"]),
        (b"env x=1 a b | xargs -0 c | sudo env d", [b"env", b"a", b"xargs", b"c", b"sudo", b"env", b"d"]),
        (b"f() { a; }", [b"f", b"{", b"a", b"}"]),
        (b"function f { a; }", [b"function", b"{", b"a", b"}"]),
        (b"for x in a b; do c $x; done | d", [b"for", b"do", b"c", b"done", b"d"]),
        (b"for ((i=0; i<3; i++)); do a; done", [b"for", b"do", b"a", b"done"]),
        (b"if ! a; then b; else c; fi", [b"if", b"!", b"a", b"then", b"b", b"else", b"c", b"fi"]),
        (b"case $x in a|b) c;; (d) e;; esac; f", [b"case", b"c", b"e", b"esac", b"f"]),
        (b"[[ a && b < c ]] && d", [b"[[", b"d"]),
        (b"((x = 1 && y)) || d", [b"d"]),
        (b"a=(b $(c) d) e", [b"c", b"e"]),
        (b"x=1 if a", [b"if"]),
        (b"a # b; c\nd", [b"a", b"d"]),
        (b"a \\\n b\nc", [b"a", b"c"]),
        (b"a ${x:-$(b)} ${y#'}'} c", [b"a", b"b"]),
        (b"a {b,c} }", [b"a"]),
        (b"a 2>&1 >&2 b", [b"a"]),
        (b"\xc3\xa9\xff a", [b"\xc3\xa9\xff"]),
        (b"", []),
    ],
)
def test_command_words(program: bytes, expected: list[bytes]) -> None:
    # Words inside of a substitution come after the word that holds it.
    assert commands(program) == expected


def test_the_body_of_a_here_document_ends_with_its_delimiter() -> None:
    program = b"cat <<A <<'B' > f\na $(x\nA\nb\nB\nnext"
    redirections = outline(program).redirections
    assert [program[each.start : each.end] for each in redirections] == [b"<<A", b"<<'B'", b"> f"]
    bodies = [None if each.body is None else program[slice(*each.body)] for each in redirections]
    assert bodies == [b"a $(x\nA\n", b"b\nB\n", None]


def test_a_body_without_its_delimiter_ends_with_the_text() -> None:
    program = b"cat <<E\na\nb"
    (redirection,) = outline(program).redirections
    assert redirection.body == (8, len(program))


def test_quotes_and_substitutions_are_pairs_of_marks() -> None:
    program = b"a 'b' \"c$(d 'e')\" $'f\\'g' `h`"
    found = outline(program)
    shown = [program[pair.opening[0] : pair.closing[1]] for pair in (*found.quotes, *found.substitutions)]
    assert sorted(shown) == sorted([b"'b'", b"\"c$(d 'e')\"", b"'e'", b"$'f\\'g'", b"$(d 'e')", b"`h`"])


@pytest.mark.parametrize(
    "program",
    [
        *(
            b"a 'b",
            b'a "b',
            b"a $'b",
            b"a $(b",
            b"a `b",
            b"a ${b",
            b"a >",
            b"a <<",
            b"a (",
            b"a )",
            b"(a",
            b"((a",
            b"x=(a",
        ),
        *(
            b"a |",
            b"a &&",
            b"&& a",
            b"a; ; b",
            b"a | | b",
            b"; a",
            b"a\n|b",
            b"do a; done",
            b"for x in y; do a",
            b"for x in y; do done",
        ),
        *(b"if a; then b", b"if a; then; fi", b"{ a", b"a; }", b"a;;"),
    ],
)
def test_broken(program: bytes) -> None:
    assert outline(program).broken


@pytest.mark.parametrize(
    "program",
    [
        *(
            b"a \\'",
            b"a '\"'",
            b'a "\'"',
            b'a "${x:-it\'s}"',
            b"a $",
            b"a }",
            b"time",
            b"! ;",
            b"a &",
            b"a;",
            b"a |\n b",
        ),
        *(b"case a in b) ;; esac", b"f()\n{ a; }", b"a <<E\n'$(\nE", b"x=1", b">f", b"a $((1 << 2))", b"{ a; } && (b)"),
        *(
            b"for x\ndo a\ndone",
            b"while a; do b; done <f",
            b"if a; then b; fi >c",
            b"a && ! b",
            b"select x in y; do a; done",
        ),
        *(b"$(" * 60 + b"a" + b")" * 60, b"# it's", b"a#'b'", b"x[1]=2 a", b"[[ a < b ]]", b"a <(b) && c"),
        *(b"`if`", b">((for x in))", b'a `b \\"c`'),
    ],
)
def test_not_broken(program: bytes) -> None:
    assert not outline(program).broken


def test_text_spans() -> None:
    program = b"a | b; for x in y; do c; done"
    spans = text_spans(outline(program), program)
    by_part = {part: [program[each.start : each.end] for each in spans if each.part is part] for part in Part}
    assert by_part[Part.COMPOUND] == [b"for x in y; do c; done"]
    assert by_part[Part.STATEMENT] == [b"a | b", b"for x in y", b"do c", b"done"]
    assert by_part[Part.STAGE][:2] == [b"a", b"b"]


def test_a_body_is_in_no_span() -> None:
    program = b"cat <<E | b\nx; y\nE\nc"
    spans = text_spans(outline(program), program)
    assert {program[each.start : each.end] for each in spans} == {b"cat <<E | b", b"cat <<E", b"b", b"c"}
