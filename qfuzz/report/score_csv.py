"""A score as a table for other programs: one row for each configuration, from the records of `score_records`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qfuzz.model.content import JsonValue
from qfuzz.report.score_records import configuration_record
from qfuzz.score.result import Report

_CSV_CELLS = ("rr", "rn", "nr", "nn", "native")
_CSV_EFFECTS = ("damage", "compensation", "matched_gap", "crossover", "native_minus_raw")
_CSV_PLAIN = ("model", "effort", "pair", "userland", "task_set", "tasks")


def csv_rows(report: Report) -> Iterator[list[JsonValue]]:
    """A head and one row a configuration. No data is an empty field."""
    head: list[JsonValue] = list(_CSV_PLAIN)
    for cell in _CSV_CELLS:
        head += [f"{cell}_passed", f"{cell}_total"]
    for effect in _CSV_EFFECTS:
        head += [effect, f"{effect}_low", f"{effect}_high"]
    yield [*head, "retention", "exit0_share", "task_set_digest", "qfuzz", "bash", "userland_version", "draws", "seed"]
    for score in report.scores:
        record = configuration_record(score, report)
        row = [record[key] for key in _CSV_PLAIN]
        for cell in _CSV_CELLS:
            row += _fields(record[cell], "passed", "total")
        for effect in _CSV_EFFECTS:
            row += _fields(record[effect], "points", "low", "high")
        validator = record["validator"]
        yield [
            *row,
            record["retention"],
            record["exit0_share"],
            validator["task_set"]["digest"],
            validator["qfuzz"],
            validator["bash"],
            validator["userland"]["version"],
            report.draws,
            report.seed,
        ]


def _fields(record: Mapping[str, JsonValue] | None, *keys: str) -> list[JsonValue]:
    return [None if record is None else record[key] for key in keys]
