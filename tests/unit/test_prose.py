"""How an instruction shows a literal."""

from __future__ import annotations

import pytest

from qfuzz.gen.prose import instruction, literal


@pytest.mark.parametrize("text", ["plain", 'it\'s $5 \\d "x"', "a b"])
def test_clear_text_is_shown_as_it_is(text: str) -> None:
    assert literal(text.encode()) == f"⟪{text}⟫"


@pytest.mark.parametrize(
    ("text", "as_json"),
    [
        ("a\tb", r'"a\tb"'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ("a  b", '"a  b"'),
        ("a\n", r'"a\n"'),
        ("é", r'"\u00e9"'),
        ("\x1b[0m", r'"\u001b[0m"'),
        ("⟫", r'"\u27eb"'),
    ],
)
def test_text_that_a_reader_could_misjudge_has_a_json_string(text: str, as_json: str) -> None:
    assert literal(text.encode()) == f"⟪{text}⟫ (as a JSON string: {as_json})"


def test_an_instruction_says_what_the_signs_mean() -> None:
    text = instruction("One.", "Two.")
    assert text.startswith("One.\n\nTwo.\n\nExact text stands between ⟪ and ⟫;")
    assert text.endswith(".\n")
