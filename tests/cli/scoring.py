"""What the tests of `qfuzz score` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.command import Said
from tests.cli.inside import Inside
from tests.scored import fill, passing

DB = Path("qfuzz.db")
"""The store that the command line takes by itself."""


def going_well(inside: Inside) -> Callable[..., Said]:
    """Calls that must end with status 0 and nothing on standard error."""

    def call(*arguments: str) -> Said:
        said = inside.call(*arguments)
        assert (said.status, said.err) == (0, ""), said
        return said

    return call


def only(said: Said, record: str = "configuration") -> Any:
    """The one object of this kind."""
    (found,) = (each for each in said.records() if each["record"] == record)
    return found


def several() -> None:
    for model, raw, nested in (("a", 56, 50), ("b", 55, 51), ("c", 20, 10)):
        fill(DB, "raw", {"direct": passing(raw), "nested": passing(9)}, model=model)
        fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(nested)}, model=model)
