"""The checkout keeps the rules of the house: checks.py says them, test_checks.py shows that each can fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.arch import checks


@pytest.mark.parametrize(
    "check",
    [
        checks.room_faults,
        checks.import_faults,
        checks.self_containment_faults,
        checks.cycle_faults,
        checks.purity_faults,
        checks.name_faults,
        checks.length_faults,
    ],
)
def test_checkout_has_no_faults(check: Callable[[Path], list[str]], checkout: Path) -> None:
    assert check(checkout) == []


def test_the_table_is_read_as_people_read_it(checkout: Path) -> None:
    rooms = checks.rooms_of(checkout)
    assert rooms["model"].may_import == frozenset()
    assert rooms["families"].package == "qfuzz_families"
    assert rooms["oracle"].pure
    assert not rooms["jail"].pure
    assert "families" not in rooms["engine"].may_import
    assert "jail" not in rooms["report"].may_import
    assert rooms["cli"].may_import == rooms.keys() - {"cli"}
    assert not any("cli" in room.may_import for room in rooms.values())
