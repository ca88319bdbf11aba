"""Which hazards a text holds."""

from __future__ import annotations

import pytest

from qfuzz.bash.hazards import HAZARDS, hazards_of

HOLDS = {
    "apostrophe": b"it's",
    "double-quote": b'5" pipe',
    "backslash": b"a\\b",
    "dollar": b"US$",
    "command-substitution": b"$(id)",
    "backtick": b"`id`",
    "glob": b"a*",
    "bracket": b"a]",
    "brace": b"{a",
    "parenthesis": b"a)",
    "tilde": b"a~",
    "exclamation": b"a!",
    "hash": b"a#",
    "semicolon": b"a;",
    "ampersand": b"a&b",
    "pipe": b"a|b",
    "redirection": b"a>b",
    "percent": b"5%",
    "leading-dash": b"-a",
    "outer-blank": b"a \n",
    "double-blank": b"a  b",
    "tab": b"a\tb",
    "newline": b"a\nb",
    "heredoc-delimiter": b"a\nEOF\n",
    "non-ascii": "é".encode(),
}


def test_the_list_is_closed_and_every_hazard_has_an_example() -> None:
    assert tuple(HOLDS) == HAZARDS


@pytest.mark.parametrize("hazard", HAZARDS)
def test_example_holds_its_hazard(hazard: str) -> None:
    assert hazard in hazards_of([HOLDS[hazard]])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"plain words, here: 42 @ a.b/c_d=e+f^", ()),
        (b"a-b", ()),
        (b"$((1))", ("dollar", "parenthesis")),
        (b" a", ("outer-blank",)),
        (b"a   ", ("outer-blank",)),
        (b"a\tb\t", ("outer-blank", "tab")),
        (b"EOF", ()),
        (b"EOF\nx", ("newline", "heredoc-delimiter")),
        (b"a\nEof\n", ("newline",)),
        (b"a\n EOF\n", ("newline",)),
        (b"a\nEOF x\n", ("newline",)),
    ],
)
def test_exactly_these(text: bytes, names: tuple[str, ...]) -> None:
    assert hazards_of([text]) == names


def test_hazards_of_several_texts_keep_the_order_of_the_list() -> None:
    assert hazards_of([b"#", b"'", b"'"]) == ("apostrophe", "hash")
    assert hazards_of([]) == ()
