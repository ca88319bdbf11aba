"""sqlite-utils, without what it takes along where it is installed.

That is numpy and pandas, for values that no store of ours has, and loading them takes longer than all the rest.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TAKEN_ALONG = ("numpy", "pandas")


@contextmanager
def _left_out() -> Iterator[None]:
    absent = [name for name in _TAKEN_ALONG if name not in sys.modules]
    for name in absent:
        # What an import takes for a module that is not installed.
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


with _left_out():
    from sqlite_utils import Database, Migrations

__all__ = ["Database", "Migrations"]
