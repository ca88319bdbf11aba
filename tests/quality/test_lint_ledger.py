"""Lint's figures are those of the ledger, and the ledger's are good enough. A figure that moves, up or down, fails."""

from __future__ import annotations

import hashlib
import json

import pytest

from qfuzz.jail.pool import Pool
from tests.quality.lint_figures import (
    JOBS,
    LEDGER,
    ONE_LINERS,
    TRANSPORTS,
    flagged,
    measure,
    one_liners,
    read_ledger,
    sample_of,
)

needs_one_liners = pytest.mark.skipif(not ONE_LINERS.exists(), reason=f"{ONE_LINERS} is not there")


@pytest.mark.parametrize("part", ["shipped", "sample", "whole"])
def test_the_bars_are_met(part: str) -> None:
    ledger = read_ledger(part)
    assert set(ledger) == set(TRANSPORTS)
    for name, figures in ledger.items():
        assert figures.broken > 0, name
        assert figures.recall >= 0.995, name
    if part == "shipped":
        assert [figures.missed for figures in ledger.values()] == [0] * len(TRANSPORTS)
        assert ledger["nested"].precision >= 0.8


@pytest.mark.long
def test_the_shipped_replies_are_as_in_the_ledger() -> None:
    with Pool(JOBS) as pool:
        assert measure("shipped", pool) == read_ledger("shipped")


@needs_one_liners
def test_what_is_flagged_of_a_sample_of_the_one_liners_is_as_in_the_ledger() -> None:
    assert flagged(sample_of(one_liners())) == {name: each.flagged for name, each in read_ledger("sample").items()}


@pytest.mark.nightly
@needs_one_liners
def test_what_is_flagged_of_all_one_liners_is_as_in_the_ledger() -> None:
    ledger = json.loads(LEDGER.read_text())["one-liners"]
    assert ledger == {
        "sha256": hashlib.sha256(ONE_LINERS.read_bytes()).hexdigest(),
        "distinct": len(one_liners()),
        "flagged": flagged(one_liners()),
    }


@pytest.mark.nightly
@needs_one_liners
def test_a_sample_of_the_one_liners_is_as_in_the_ledger() -> None:
    """A minute, most of it spent waiting for commands that never end. Races move what is broken, by one or two."""
    with Pool(JOBS) as pool:
        measured = measure("sample", pool)
    for name, ledger in read_ledger("sample").items():
        found = measured[name]
        assert (found.judged, found.flagged, found.missed) == (ledger.judged, ledger.flagged, ledger.missed), name
        assert abs(found.broken - ledger.broken) <= max(3, ledger.broken // 20), name
