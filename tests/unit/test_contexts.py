"""What pasting a text breaks for certain. Texts marked as kept come out of Bash as they went in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qfuzz.bash import contexts

Predicate = Callable[[bytes], bool]


def heredoc(text: bytes) -> bool:
    return contexts.breaks_heredoc(text, b"EOF")


@pytest.mark.parametrize(
    ("breaks", "broken", "kept"),
    [
        (contexts.breaks_single, [b"it's", b"''"], [b'$x `y` " \\ \n', b"it's\\"]),
        (
            contexts.breaks_double,
            [b'"', b"`", b"$x", b"${x}", b"$(x)", b"$1", b"$$", b"\\\\", b"\\$", b"\\\n"],
            [b"'", b"$", b"$ 5", b"US$.", b"\\d", b"a!b", b"* ~ #", b"$'x'", b"$%"],
        ),
        (heredoc, [b"$x\n", b"`x`\n", b"\\$\n", b"a\\\nb\n", b"EOF\n", b"a\nEOF\n"], [b"'\"\n", b"\\d\n", b" EOF\n"]),
        (
            contexts.breaks_word,
            [
                *(b"a b", b"a\tb", b"a\nb", b"'", b'"', b"\\", b"$x", b"a;b", b"a&b", b"a|b", b"a<b", b"(a"),
                *(b"#a", b"~", b"~/a", b"a{b,c}", b"{1..3}"),
            ],
            [b"a#b", b"a~", b"~a", b"{a}", b"a!", b"$", b"-x", b"50%", "é".encode()],
        ),
        (contexts.breaks_assignment, [b"a b", b"$x", b"~/a", b"'a'"], [b"#a", b"{a,b}", b"*", b"a~"]),
        (contexts.breaks_format, [b"5%", b"%%", b"\\n", b"\\\\", b"\\x", b"-x"], [b"\\d", b"\\ ", b"-", b"a-b"]),
        (contexts.is_option, [b"-x", b"--"], [b"-", b"x-y", b""]),
        (contexts.expands, [b"$x", b"`"], [b"$", b"\\"]),
    ],
)
def test_context(breaks: Predicate, broken: list[bytes], kept: list[bytes]) -> None:
    assert [text for text in broken if not breaks(text)] == []
    assert [text for text in kept if breaks(text)] == []
