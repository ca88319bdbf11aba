"""The table of `qfuzz diff --transport all`: one row a transport, over all contracts and models, the safest first."""

from __future__ import annotations

from dataclasses import fields
from typing import TextIO

from qfuzz.report.tally import Counts, Tally
from qfuzz.report.text import COMPARED, compared_cells, notes_of, table_lines

_JUDGED = ("retained", "breakers", "exit 0", "rejected", "refused")


def print_overview(tally: Tally, stream: TextIO) -> None:
    """Rows for replies with a task, then for those without one, each sorted by what is damaged."""
    rows = list(tally.rows())
    lines: list[str] = []
    for with_task in (True, False):
        merged = _merged(tally, with_task)
        if not merged:
            continue
        if lines:
            lines.append("")
        if with_task:
            ranked = sorted(merged.items(), key=lambda row: (-(row[1].retention() or 0.0), row[1].breakers))
            lines += table_lines(_JUDGED, [(name, _judged(counts)) for name, counts in ranked])
        else:
            ranked = sorted(merged.items(), key=lambda row: row[1].breakers)
            lines += table_lines(COMPARED, [(name, compared_cells(counts)) for name, counts in ranked])
    for line in (*lines, *notes_of(tally, rows)):
        print(line, file=stream)


def _merged(tally: Tally, with_task: bool) -> dict[str, Counts]:
    merged: dict[str, Counts] = {}
    for row in tally.rows():
        if row.with_task is with_task:
            total = merged.setdefault(row.transport, Counts())
            for field in fields(Counts):
                setattr(total, field.name, getattr(total, field.name) + getattr(row.counts, field.name))
    return merged


def _judged(counts: Counts) -> tuple[str, ...]:
    retention = counts.retention()
    return (
        "-" if retention is None else f"{100 * retention:.1f} %",
        str(counts.breakers),
        f"{counts.failed_with_exit_0}/{counts.failed}",
        str(counts.rejected),
        str(counts.refused),
    )
