"""Programs that read patterns agree with the decoys. They get their arguments as a list; no shell is involved."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from qfuzz.gen.choices import SeededChoices
from qfuzz.gen.decoys import Dialect, decoy

PIECES = (
    *(".", "*", "?", "a", "b*", "[xy]", "[^a]", "[!a]", "[a-c]", "[b-]", "\\.", "\\*", "\\\\", "\\[", "]", "{2}", "-"),
    *("x", "1", "é", "^", "$", "+", "(", ")", "|", "\\d", "\\w", "\\W", "\\s", "\\S", " "),
)


def promised(dialect: Dialect) -> list[tuple[bytes, bytes]]:
    """Patterns put together at random, with a text that each is promised to match."""
    found = {}
    for number in range(400):
        choices = SeededChoices("patterns", dialect.value, str(number))
        pattern = "".join(choices.pick(PIECES) for _ in range(choices.integer(1, 6))).encode()
        text = decoy(pattern, dialect)
        if text is not None:
            found[pattern] = text
    assert len(found) > 100
    return list(found.items())


def output(*argv: str | bytes, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        argv, input=stdin, capture_output=True, timeout=20, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    ).stdout


def has_two_meanings(pattern: bytes) -> bool:
    return any(place in pattern for place in (b"$)", b"$|"))


def grep_finds(pattern: bytes, text: bytes) -> bytes:
    return output("grep", "-o", "-e", pattern, stdin=text + b"\n").partition(b"\n")[0]


def sed_leaves(pattern: bytes, text: bytes) -> bytes:
    return output("sed", "--sandbox", b"s/" + pattern + b"/=/", stdin=text + b"\n").removesuffix(b"\n")


def test_grep_matches_the_whole_decoy() -> None:
    for pattern, text in promised(Dialect.GREP):
        if not has_two_meanings(pattern):
            assert grep_finds(pattern, text) == text, pattern


def test_sed_matches_the_whole_decoy() -> None:
    for pattern, text in promised(Dialect.SED):
        if not has_two_meanings(pattern):
            assert sed_leaves(pattern, text) == b"=", (pattern, text)


def test_no_pattern_matches_its_own_text_without_the_decoy() -> None:
    for pattern, text in promised(Dialect.GREP):
        assert grep_finds(pattern, text) or not grep_finds(pattern, b"before " + pattern + b" after"), pattern
    for pattern, text in promised(Dialect.SED):
        assert sed_leaves(pattern, text) != text or sed_leaves(pattern, pattern) == pattern, pattern


def test_find_matches_the_decoy(tmp_path: Path) -> None:
    for pattern, text in promised(Dialect.GLOB):
        if b"/" in text or text in (b".", b".."):
            continue
        path = tmp_path / text.decode()
        path.touch()
        assert output("find", str(tmp_path), "-name", pattern) != b"", (pattern, text)
        path.unlink()


@pytest.mark.parametrize("dialect", Dialect)
def test_a_decoy_never_holds_its_payload(dialect: Dialect) -> None:
    assert all(pattern not in text for pattern, text in promised(dialect))
