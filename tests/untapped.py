"""A machinery without recorders, for tests that only compare what runs left: half of the executions of a long stack."""

from __future__ import annotations

from dataclasses import replace

from qfuzz.engine.attempt import Machinery


def untapped(machines: Machinery) -> Machinery:
    """What arrives is not looked for, and no shell is asked whether it parses: a syntax error fails as others do."""
    return replace(
        machines,
        stopped_text=lambda *_: None,
        arrived_text=lambda *_: None,
        parses=lambda *_: True,
    )
