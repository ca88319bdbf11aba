"""How each style writes a text, byte by byte. That Bash reads it back is tested in integration."""

from __future__ import annotations

import pytest

from qfuzz.bash import quote
from qfuzz.bash.styles import STYLES, python3, spell, spell_nested


@pytest.mark.parametrize(
    ("write", "text", "word"),
    [
        (quote.single, b"a'b", rb"'a'\''b'"),
        (quote.single, b"", b"''"),
        (quote.single, b"$x\\", b"'$x\\'"),
        (quote.double, b'a"$b`c\\d!', rb'"a\"\$b\`c\\d!"'),
        (quote.double, b"'\n", b'"\'\n"'),
        (quote.ansi_c, b"it's\t\\\n", rb"$'it\'s\t\\\n'"),
        (quote.ansi_c, "é1".encode(), rb"$'\xc3\xa91'"),
        (quote.ansi_c_octal, "é1\n".encode(), rb"$'\303\2511\n'"),
        (quote.ansi_c_octal, b"it's\\\x01\x7f0", rb"$'it\'s\\\001\1770'"),
        (quote.ansi_c, b"\x01\x7f", rb"$'\x01\x7f'"),
        (quote.backslash, b"a b~*", rb"a\ b\~\*"),
        (quote.backslash, b"", b"''"),
        (quote.backslash, b"a\nb", rb"a$'\n'b"),
        (quote.backslash, "é".encode(), "é".encode()),
        (quote.percent_b, b"50%\\n'", rb"'50%\\n\0047'"),
        (quote.percent_b, b"\n7", rb"'\00127'"),
    ],
)
def test_word(write: object, text: bytes, word: bytes) -> None:
    assert callable(write)
    assert write(text) == word


@pytest.mark.parametrize(
    ("body", "delimiter"),
    [(b"", b"EOF"), (b"EOF\n", b"EOF_2"), (b" EOF\n", b"EOF"), (b"x\nEOF_2\nEOF\n", b"EOF_3"), (b"EOF", b"EOF_2")],
)
def test_delimiter_is_no_line_of_the_body(body: bytes, delimiter: bytes) -> None:
    assert quote.heredoc_delimiter(body) == delimiter


def test_heredoc() -> None:
    assert quote.heredoc(b"cat", b"EOF\n") == b"cat <<'EOF_2'\nEOF\nEOF_2\n"
    assert quote.heredoc(b"cat", b"", b"END") == b"cat <<'END'\nEND\n"
    with pytest.raises(ValueError, match="without a newline"):
        quote.heredoc(b"cat", b"a")


def test_spelled_programs_hold_the_words_and_start_with_the_plain_style() -> None:
    spelled = spell(lambda words: b"f %s %s" % (words["one"], words["two"]), {"one": b"1'", "two": b"2"})
    assert list(spelled) == list(STYLES)
    assert next(iter(spelled.values())) == rb"f '1'\''' '2'"
    assert spelled["printf-b"] == b"printf -v one %b '1\\0047'\nprintf -v two %b '2'\nf \"$one\" \"$two\""


def test_nested_programs_are_quoted_once_for_each_shell() -> None:
    spelled = spell_nested(lambda words: b"out " + words["command"], lambda words: b"in " + words["x"], {"x": b"'"})
    assert spelled["single"] == b"out " + quote.single(b"in " + quote.single(b"'"))


def test_python_code_is_one_word() -> None:
    assert python3("print('é')") == "python3 -c 'print('\\''é'\\'')'".encode()
