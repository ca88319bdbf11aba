"""One pool of jails for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.jail.pool import Pool


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started
