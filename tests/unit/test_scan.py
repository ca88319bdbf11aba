"""Contexts by example: the corners of Bash's grammar, each seen in Bash 5.2 before it was written down here."""

from __future__ import annotations

import pytest

from qfuzz.bash.scan import TokenKind, contexts


def described(program: bytes, part: bytes) -> str:
    """The context of the one occurrence of `part` in the program, at its first byte."""
    assert program.count(part) == 1, part
    return contexts(program).describe(program.index(part))


@pytest.mark.parametrize(
    ("program", "part", "context"),
    [
        # Quotes and what their marks stand in.
        (b"p 'a'", b"'a", "unquoted"),
        (b"p 'a'", b"a", "single quotes"),
        (b'p "a"', b"a", "double quotes"),
        (b"p $'a'", b"a", "ANSI-C quotes"),
        (b'p $"a"', b"a", "locale quotes"),
        (b"p \"$'a'\"", b"a", "double quotes"),
        (b"p $'\\'a'", b"a", "ANSI-C quotes"),
        (b'p "\\$"', b"$", "escaped in double quotes"),
        (b'p "\\n"', b"n", "double quotes"),
        (b"p \\n", b"n", "escaped"),
        # Comments begin where a word could.
        (b"p a#b", b"b", "unquoted"),
        (b"p a #b", b"b", "comment"),
        (b"p a;#b", b"b", "comment"),
        (b"p a\\\n#b", b"b", "unquoted"),
        (b'p "a"#b', b"b", "unquoted"),
        (b"p $((1#1 # b))", b"b", "arithmetic"),
        (b"p $(a # )\nb)", b"b", "unquoted in command substitution"),
        (b"v=(a # )\nb)", b"b", "unquoted in array value"),
        (b"[[ a # ]]\nb ]]", b"b", "conditional expression"),
        # Substitutions and their ends.
        (b'p "$(a ")" b)"', b"b", "unquoted in command substitution in double quotes"),
        (b"p $(case x in x) a;; esac) b", b"b", "unquoted"),
        (b"p $(case x in (x) a; esac) b", b"b", "unquoted"),
        (b"p ${x:-$(case x in x) a;; esac)}b", b"b", "unquoted"),
        (b"p $((a); b)", b"b", "unquoted in command substitution"),
        (b"((a); b)", b"b", "unquoted"),
        (b"((a)+b)", b"b", "unquoted"),
        (b"((a+b))", b"b", "arithmetic"),
        (b"p $[a+b]", b"b", "arithmetic"),
        (b"for ((;;b)); do c; done", b"b", "arithmetic"),
        (b"p $\\\n(b)", b"b", "unquoted in command substitution"),
        (b"p <(b) c", b"b", "unquoted in process substitution"),
        (b'p "<(b)"', b"b", "double quotes"),
        (b"p `a '`' b", b"b", "single quotes"),
        (b'p "`a \\"b\\"`"', b"b", "double quotes in backquotes in double quotes"),
        (b"p `a \\`b\\``", b"b", "unquoted in backquotes in backquotes"),
        # Parameter expansion: whether apostrophes quote depends on what is around it and on the operator.
        (b"p ${x:-'b'}", b"b", "single quotes in parameter expansion"),
        (b"p \"${x:-'b'}\"", b"b", "parameter expansion in double quotes"),
        (b"p \"${x#'b'}\"", b"b", "single quotes in parameter expansion in double quotes"),
        (b"p \"${x:-'}'b}\"", b"b", "parameter expansion in double quotes"),
        (b"p \"${x:-'$(b)'}\"", b"b", "unquoted in command substitution in parameter expansion in double quotes"),
        (b"p ${#} b", b"b", "unquoted"),
        (b"p ${x[a]b}", b"b", "parameter expansion"),
        (b"p ${x[b]}", b"b", "array subscript in parameter expansion"),
        (b'p "${x:-<(}b)}"', b"b", "parameter expansion in parameter expansion in double quotes"),
        # Here-documents.
        (b"a <<E\nb\nE\n", b"b", "here-document"),
        (b"a <<'E'\nb\nE\n", b"b", "quoted here-document"),
        (b"a <<\\E\nb\nE\n", b"b", "quoted here-document"),
        (b"a <<E\nE \nb\nE\n", b"b", "here-document"),
        (b"a <<E\n\tE\nb\nE\n", b"b", "here-document"),
        (b"a <<-E\n\tE\nb", b"b", "unquoted"),
        (b"a <<E\n\\\nE\nb\nE\n", b"b", "unquoted"),
        (b"a <<E\nx\\\nE\nb\nE\n", b"b", "here-document"),
        (b"a <<EF\nE\\\nF\nb", b"b", "unquoted"),
        (b"a <<'EF'\nE\\\nF\nb\nEF\n", b"b", "quoted here-document"),
        (b"a <<-E\n\t\\\n\tE\nb", b"b", "unquoted"),
        (b"a <<-E\n\\\n\tE\nb", b"b", "unquoted"),
        (b"a <<E\nE\\\n\nb", b"b", "unquoted"),
        (b"p $(a <<EF\nx\nE\\\nF) b", b"b", "unquoted"),
        (b"a <<E\n\\\\\nE\nb", b"b", "unquoted"),
        (b"a <<E <<F\nE\nb\nF\n", b"b", "here-document"),
        (b"a <<E 'x\ny' b\nE\n", b"b", "unquoted"),
        (b"a <<E\n'b'\nE\n", b"b", "here-document"),
        (b"a <<E\n$(b)\nE\n", b"b", "unquoted in command substitution in here-document"),
        (b"p $(a <<E\nx\nE) b", b"b", "unquoted"),
        (b'p "[$(a <<E)]"\nb\nE\n', b"b", "here-document"),
        (b"a <<<b", b"b", "unquoted"),
        (b"a <<\\\n<'b'", b"b", "single quotes"),
        # Reserved words count at the place of a command only.
        (b"p case b in c", b"b", "unquoted"),
        (b"case a in b) c;; esac", b"b", "case pattern"),
        (b"f() case a in b) c;; esac", b"b", "case pattern"),
        (b"! case a in b) c;; esac", b"b", "case pattern"),
        (b"if [[ b ]]; then c; fi", b"b", "conditional expression"),
        (b"p [[ b ]]", b"b", "unquoted"),
        (b"x=1 [[ b ]]", b"b", "unquoted"),
        (b"[[ a =~ ^(b c)$ ]]", b"b", "pattern group in conditional expression"),
        (b"[[ a == @(b|c) ]]", b"b", "pattern group in conditional expression"),
        (b"[[ ( b ) ]]", b"b", "conditional expression"),
        (b"p @(a|b)", b"b", "pattern group"),
        (b"!(b)", b"b", "unquoted"),
        (b"v[ 'b' ]=c", b"b", "single quotes in array subscript"),
        (b"p v[ 'b' ]=c", b"b", "single quotes"),
        (b"v=([b]=c)", b"b", "array subscript in array value"),
        # What never ends reaches to the end.
        (b"p 'a\nb", b"b", "single quotes"),
        (b'p "$(a `b', b"b", "unquoted in backquotes in command substitution in double quotes"),
    ],
)
def test_context(program: bytes, part: bytes, context: str) -> None:
    assert described(program, part) == context


def test_what_is_too_deep_to_say_is_cut() -> None:
    assert described(b'p "$(p "$(p "b")")"', b"b").endswith("in command substitution, deeper")


def test_frames_say_where_constructs_begin_and_end() -> None:
    program = b'p "x${y}" [[ $\''
    found = [
        (program[frame.start : frame.end], frame.context.value, frame.closed) for frame in contexts(program).frames[1:]
    ]
    assert found == [
        (b'"x${y}"', "double quotes", True),
        (b"${y}", "parameter expansion", True),
        (b"$'", "ANSI-C quotes", False),
    ]


def test_tokens_tell_command_names_from_other_words() -> None:
    program = (
        b"if x=1 a b 2>c; then for i in d; do e; done; else case f in g) h;; esac; fi | 'i' && j() { k; }; [[ l ]]"
    )
    tokens = contexts(program).tokens
    by_kind = {
        kind: [program[token.start : token.end].decode() for token in tokens if token.kind is kind]
        for kind in TokenKind
    }
    assert by_kind[TokenKind.NAME] == ["a", "e", "h", "'i'", "j", "k"]
    assert by_kind[TokenKind.ASSIGNMENT] == ["x=1"]
    assert by_kind[TokenKind.WORD] == ["b", "c", "i", "d", "f", "g"]
    assert by_kind[TokenKind.KEYWORD] == [
        "if",
        "then",
        "for",
        "in",
        "do",
        "done",
        "else",
        "case",
        "in",
        "esac",
        "fi",
        "{",
        "}",
        "[[",
    ]
    assert by_kind[TokenKind.OPERATOR] == [">", ";", ";", ";", ";", ";;", ";", "|", "&&", "(", ")", ";", ";"]
