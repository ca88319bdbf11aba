"""The family bootstrap holds the truth as often as the report says, and no oftener."""

from __future__ import annotations

import pytest

from qfuzz.stats.bootstrap import COVERAGE_OF_14
from qfuzz.stats.coverage import World, coverage

REPETITIONS = 1_500
DRAWS = 1_000
ROOM = 0.02
"""Three standard errors of a share near 0.92 of so many repetitions."""


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
def test_fourteen_families_cover_what_is_printed(spread: float) -> None:
    found = coverage(World(14, 4, spread), REPETITIONS, DRAWS, seed=1)
    assert COVERAGE_OF_14[0] - ROOM <= found <= COVERAGE_OF_14[1] + ROOM
    assert found < 0.95


def test_many_families_come_near_to_what_is_nominal_and_few_do_not() -> None:
    assert coverage(World(100, 4, 1.0), 600, 600, seed=2) > 0.93 - 0.03
    assert coverage(World(3, 4, 1.0), REPETITIONS, DRAWS, seed=3) < 0.8
