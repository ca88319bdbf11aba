"""A page of a score keeps its words whole and within its width."""

from __future__ import annotations

import io

import pytest

from qfuzz.report.score_page import WIDTH, Table, print_page

HEADS = ("configuration", "RR", "RN", "NR", "NN", "retained", "exit 0", "in tasks")


@pytest.mark.parametrize("cell", ["9.4", "96.4 [91.2, 100.0]", "96.4 [91.2, 100.0] (≤39.3)", "9" * 80])
def test_a_wide_table_is_shown_in_parts_and_no_word_is_broken(cell: str) -> None:
    shown = io.StringIO()
    row = ("reference-llm", cell, cell, cell, cell, "37.5 %", "3/4", "40/56")
    print_page([Table(HEADS, (row,))], shown)
    lines = shown.getvalue().splitlines()
    assert max(map(len, lines)) <= WIDTH
    heads = [line for line in lines if line.startswith("configuration")]
    assert " ".join(" ".join(heads).replace("configuration", "").split()) == " ".join(HEADS[1:])
    assert shown.getvalue().count(cell) >= 4
    assert shown.getvalue().count("reference-llm") == len(heads)
