"""A program as numbered lines with marks under its characters, within a width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qfuzz.report.visible import fold, visible, width_of


def marked_lines(program: bytes, marks: Mapping[int, str], width: int) -> Iterator[str]:
    """The lines of `program`, each followed by a line of marks where it has any.

    `marks` maps byte offsets to one-column marks. Long lines are cut into parts of at most `width` columns. A marked
    line end is shown as ␊.
    """
    offset = 0
    lines = program.split(b"\n")
    digits = len(str(len(lines)))
    for number, line in enumerate(lines, 1):
        ended = number < len(lines) and offset + len(line) in marks
        yield from _numbered(line + b"\n" if ended else line, offset, marks, f"  {number:>{digits}} ", width)
        offset += len(line) + 1


def _numbered(line: bytes, offset: int, marks: Mapping[int, str], head: str, width: int) -> Iterator[str]:
    blank = " " * len(head)
    text, under = "", ""
    for char in line.decode("utf-8", "surrogateescape"):
        shown = visible(char) if char != " " else " "
        columns = width_of(shown)
        if len(head) + width_of(text) + columns > width:
            yield from _part(head, text, blank, under)
            head, text, under = blank, "", ""
        text += shown
        under += marks.get(offset, " ").ljust(columns)
        offset += len(char.encode("utf-8", "surrogateescape"))
    yield from _part(head, text, blank, under)


def _part(head: str, text: str, blank: str, under: str) -> Iterator[str]:
    yield f"{head}{text}".rstrip()
    if under.strip():
        yield f"{blank}{under}".rstrip()


def quoted_lines(text: bytes, width: int) -> Iterator[str]:
    """A text as indented lines, control characters visible, folded to the width."""
    for line in visible(text).split("\n"):
        yield from (f"  {part}" for part in fold(line, width - 2))
