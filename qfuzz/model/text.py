"""Text of unknown origin in a line for people."""

from __future__ import annotations

from collections.abc import Iterable


def one_line(text: str, most: int = 500) -> str:
    """`text` without anything that a terminal acts on: control characters, line ends and lone surrogates as escapes.

    Longer than `most` characters, it loses its middle.
    """
    if len(text) > most:
        half = (most - 5) // 2
        text = f"{text[:half]} ... {text[-half:]}"
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def last_line(data: bytes, most: int = 300) -> str:
    """The last line that is not blank of what a program said, cut to `most` characters; empty where there is none."""
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")[:most]


def near(name: str, known: Iterable[str], most: int = 5) -> list[str]:
    """The known names that begin with `name`, or else those that are spelled much like it."""
    from difflib import get_close_matches

    names = list(known)
    begin = [each for each in names if name and each.startswith(name)]
    return (begin or get_close_matches(name, names, cutoff=0.7))[:most]


def counted(count: int, noun: str, several: str = "") -> str:
    """A number with its noun: `1 task`, `2 tasks`; `several` is a plural that is no noun with an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {several or noun + 's'}"
