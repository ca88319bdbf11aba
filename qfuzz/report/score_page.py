"""The parts of a page, and the page as text within a width or as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import TextIO

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from qfuzz.model.text import one_line
from qfuzz.report.console import Console

WIDTH = 100
_GAP = 3
"""What stands between two columns."""
_NAMES = 20
"""Columns that names have at least, where they are as long."""


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence or more, to be wrapped."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """The first column is text, the others are numbers and stand to the right."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Note | Table


def print_page(blocks: Iterable[Block], stream: TextIO) -> None:
    """The page for people, within WIDTH columns whatever the terminal is."""
    console = Console(file=stream, width=WIDTH, highlight=False, emoji=False, markup=False, soft_wrap=False)
    first = True
    for block in blocks:
        if isinstance(block, Heading):
            console.print(Text(("" if first else "\n") + one_line(block.text, WIDTH), style="bold"))
        elif isinstance(block, Note):
            for line in wrap(one_line(block.text), WIDTH, break_long_words=True):
                console.print(Text(line))
        else:
            for number, part in enumerate(_parts(block)):
                if number:
                    console.print()
                console.print(_rich_table(part))
        first = False


def _parts(table: Table) -> list[Table]:
    """The table, or where its numbers leave no room for the names several with some of the columns each."""
    widths = [max(len(one_line(row[place])) for row in (table.heads, *table.rows)) for place in range(len(table.heads))]
    room = WIDTH - sum(_GAP + width for width in widths[1:])
    if room >= min(widths[0], _NAMES):
        return [table]
    left = WIDTH - min(widths[0], _NAMES)
    parts: list[list[int]] = [[]]
    for place in range(1, len(widths)):
        if parts[-1] and sum(_GAP + widths[each] for each in (*parts[-1], place)) > left:
            parts.append([])
        parts[-1].append(place)
    return [
        Table(
            tuple(table.heads[place] for place in (0, *part)),
            tuple(tuple(row[place] for place in (0, *part)) for row in table.rows),
        )
        for part in parts
    ]


def _rich_table(table: Table) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="")
    for place, head in enumerate(table.heads):
        shown.add_column(
            Text(one_line(head)), justify="left" if place == 0 else "right", overflow="fold", no_wrap=place > 0
        )
    for row in table.rows:
        shown.add_row(*(Text(one_line(cell)) for cell in row))
    return shown


def markdown_lines(blocks: Iterable[Block]) -> Iterator[str]:
    """The page as Markdown (tables as GitHub has them), line by line."""
    for block in blocks:
        if isinstance(block, Heading):
            yield f"## {_escaped(block.text)}"
        elif isinstance(block, Note):
            yield _escaped(block.text)
        else:
            yield _row(block.heads)
            yield _row(("---", *("---:" for _ in block.heads[1:])), plain=True)
            yield from (_row(row) for row in block.rows)
        yield ""


def _row(cells: Iterable[str], *, plain: bool = False) -> str:
    return "| " + " | ".join(cell if plain else _escaped(cell) for cell in cells) + " |"


def _escaped(text: str) -> str:
    """Names come from files: nothing in them may become a table, a link or HTML."""
    escaped = one_line(text)
    for character in "\\`*_{}[]<>|#":
        escaped = escaped.replace(character, f"\\{character}")
    return escaped
