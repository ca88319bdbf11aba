"""Projects of other people, and pytest as they run it: in a process of its own, with the plugin as it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
