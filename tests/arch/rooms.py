"""The rooms of the project and who may import whom, as ARCHITECTURE.md says it. The table there is the only source."""

from __future__ import annotations

import re
from dataclasses import dataclass

PACKAGES = {"qfuzz": "qfuzz", "families": "qfuzz_families"}
"""Top folder in the checkout and the name that it is imported by."""


@dataclass(frozen=True, slots=True)
class Room:
    """One row of the table. `package` is an import name; `may_import` holds names of rooms, its own not among them."""

    name: str
    package: str
    may_import: frozenset[str]
    pure: bool


def read_rooms(architecture: str) -> dict[str, Room]:
    """The rooms in the order of the table, by name (`model`, `families`, ...).

    A row says its folder, what it holds, and what it may import: `nothing ...`, `everything ...`, names, `all above`
    or `all above except` names. Anything after a semicolon is for people. A room is pure if its second cell says so.
    Raises ValueError for a name that is not in the table and for a table without rows.
    """
    rows = re.findall(r"^\| `([a-z_/]+)/`[^|]*\| ([^|]+) \| ([^|]+) \|$", architecture, re.MULTILINE)
    if not rows:
        raise ValueError("no table of rooms: rows begin with a folder in backticks that ends in a slash")
    names = [folder.rpartition("/")[2] for folder, _, _ in rows]
    rooms: dict[str, Room] = {}
    for name, (folder, holds, may_import) in zip(names, rows, strict=True):
        above = frozenset(rooms)
        allowed = _allowed(may_import.partition(";")[0].strip(), above, frozenset(names) - {name})
        if not allowed <= above:
            raise ValueError(f"{name} may import {sorted(allowed - above)}: no row above it has that name")
        top, *rest = folder.split("/")
        package = ".".join([PACKAGES[top], *rest])
        rooms[name] = Room(name, package, allowed, pure="pure" in re.findall(r"\w+", holds))
    return rooms


def _allowed(cell: str, above: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    if cell.startswith("nothing"):
        return frozenset()
    if cell == "everything":
        return others
    kept, _, dropped = cell.partition(" except ")
    if kept == "all above":
        return above - _names(dropped, others)
    return _names(cell, others)


def _names(listed: str, known: frozenset[str]) -> frozenset[str]:
    names = frozenset(part.strip() for part in listed.split(",") if part.strip())
    if not names <= known:
        raise ValueError(f"unknown rooms in the table: {sorted(names - known)}")
    return names
