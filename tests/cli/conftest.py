"""Calls inside the test's own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from qfuzz.gen.public import load_public
from tests.cli.inside import Inside, forbid_jails


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Inside:
    """The command line in `tmp_path`, with all that it reads of the installation read already."""
    load_public()
    forbid_jails(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return Inside(capfd, monkeypatch)
