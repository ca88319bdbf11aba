"""Text of unknown origin in a line for people."""

from __future__ import annotations


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


def counted(count: int, noun: str, several: str = "") -> str:
    """A number with its noun: `1 task`, `2 tasks`; `several` is a plural that is no noun with an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {several or noun + 's'}"
