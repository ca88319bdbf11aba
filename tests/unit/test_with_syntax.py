"""Whether a text parses is asked of the shells on the way, and of no other program."""

from __future__ import annotations

import pytest

from qfuzz.engine.syntax import with_syntax
from qfuzz.model.delivery import Launch
from tests.examples import observed

SHELL = Launch(b"/bin/bash", (b"bash", b"-c", b"outer"), b"outer", shell="zsh", inner_shells=1)
PROGRAM = Launch(b"/usr/bin/xargs", (b"xargs", b"bash"), b"outer", shell="zsh", inner_shells=1)
ALONE = Launch(b"/bin/fish", (b"fish", b"-c", b"outer"), b"outer", shell="fish")


@pytest.mark.parametrize(
    ("launch", "arrived", "bad", "parses", "asked"),
    [
        (ALONE, b"outer", set(), True, [("fish", b"outer")]),
        (ALONE, b"outer", {b"outer"}, False, [("fish", b"outer")]),
        (SHELL, b"inner", set(), True, [("bash", b"outer"), ("zsh", b"inner")]),
        (SHELL, b"inner", {b"outer"}, False, [("bash", b"outer")]),
        (SHELL, b"inner", {b"inner"}, False, [("bash", b"outer"), ("zsh", b"inner")]),
        (SHELL, None, set(), True, [("bash", b"outer")]),
        (PROGRAM, b"inner", {b"outer"}, True, [("zsh", b"inner")]),
        (PROGRAM, b"inner", {b"inner"}, False, [("zsh", b"inner")]),
        (PROGRAM, None, set(), None, []),
    ],
)
def test_who_is_asked(
    launch: Launch, arrived: bytes | None, bad: set[bytes], parses: bool | None, asked: list[tuple[str, bytes]]
) -> None:
    questions: list[tuple[str, bytes]] = []

    def answer(shell: str, text: bytes) -> bool:
        questions.append((shell, text))
        return text not in bad

    found = with_syntax(launch, observed(code=2), lambda _: arrived, answer)
    assert found.parses is parses
    assert questions == asked
