"""Transports as parameters of tests, skipped with the reason where they can't be had."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import resolve


def available(names: Iterable[str], *, nightly_but: frozenset[str] | None = None) -> list[object]:
    """The names as parameters. With `nightly_but`, all others of them are for the night."""
    parameters = []
    for name in names:
        missing = missing_of(resolve(name))
        marks = [pytest.mark.skipif(missing is not None, reason=str(missing))]
        if nightly_but is not None and name not in nightly_but:
            marks.append(pytest.mark.nightly)
        parameters.append(pytest.param(name, marks=marks))
    return parameters
