"""The whole content of a store, for comparing one file with another."""

from __future__ import annotations

import sqlite3
from pathlib import Path

VOLATILE = {"observations": ("seconds",)}
"""Columns that differ between any two runs."""
LOGS = ("runs", "_sqlite_migrations", "sqlite_sequence")
"""Tables that say when something was done."""


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table and its rows, sorted, but for times and the log of runs."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        return {name: _rows(connection, name) for name in sorted(names) if name not in LOGS}
    finally:
        connection.close()


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
    kept = [name for name in columns if name not in VOLATILE.get(table, ())]
    return sorted(connection.execute(f"select {', '.join(kept)} from {table}").fetchall(), key=repr)


def count(path: Path, table: str) -> int:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        (number,) = connection.execute(f"select count(*) from {table}").fetchone()
        return int(number)
    finally:
        connection.close()
