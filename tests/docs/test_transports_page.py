"""docs/transports.md says of every boundary what the boundary says of itself."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from qfuzz.report.transports_page import boundaries_page
from qfuzz.transports.loader import load

PAGE = Path(__file__).resolve().parents[2] / "docs" / "transports.md"
MARK = "<!-- from here on: qfuzz transports page -->\n"


def test_the_page_is_that_of_the_program() -> None:
    assert PAGE.read_text().partition(MARK)[2] == boundaries_page(load())


def test_a_heading_is_a_whole_sentence() -> None:
    headings = [line for line in boundaries_page(load()).splitlines() if line.startswith("### ")]
    assert len(headings) > 30
    assert [line for line in headings if not line.endswith(".")] == []


@pytest.mark.parametrize("boundary", load().boundaries.values(), ids=lambda boundary: boundary.name)
def test_a_boundary_speaks_for_itself(boundary) -> None:
    own = inspect.getdoc(type(boundary))
    assert own
    assert type(boundary).__doc__, "not inherited"
    module = inspect.getdoc(inspect.getmodule(type(boundary)))
    assert module
    assert len(boundary.summary) <= 72
    assert len(boundary.name) <= 20
