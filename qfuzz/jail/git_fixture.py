"""Building the repository of a fixture."""

from __future__ import annotations

from qfuzz.model.task import Fixture


def repository_files(fixture: Fixture) -> list[tuple[bytes, bytes, int]]:
    raise NotImplementedError
