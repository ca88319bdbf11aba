"""On which line of a TOML text a key stands: what tomllib does not tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_NAME = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*\[\[?\s*({_NAME})\s*\]")
_KEY = re.compile(rf"\s*({_NAME})\s*=")
_LONG = re.compile(r'"""|' + r"'''")

Path = tuple[str, ...]


def key_lines(text: str) -> Mapping[Path, int]:
    """The line, from 1, on which each table and each key that has a line of its own begins.

    Keys inside of inline tables stand on the line of the table. The text is one that tomllib reads.
    """
    found: dict[Path, int] = {}
    table: Path = ()
    inside = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not inside:
            if match := _TABLE.match(line):
                table = _parts(match[1])
                found.setdefault(table, number)
            elif match := _KEY.match(line):
                path = (*table, *_parts(match[1]))
                for length in range(len(table) + 1, len(path) + 1):
                    found.setdefault(path[:length], number)
        inside = _open_after(line, inside)
    return found


def _parts(name: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(_PART, name))


def _open_after(line: str, inside: str) -> str:
    """The quotes of a string of several lines that is open at the end of a line, or nothing."""
    for match in _LONG.finditer(line):
        if not inside:
            inside = match[0]
        elif match[0] == inside:
            inside = ""
    return inside


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a key, or of the nearest table around it that has one; 1 where none has."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1
