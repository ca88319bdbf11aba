"""No jail: a temporary directory and an agent that kills what it started. For reviewed replies only."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from qfuzz.jail.environment import ENVIRONMENT
from qfuzz.jail.limits import Limits
from qfuzz.jail.recipe import agent_zip, bounds, resource_limits
from qfuzz.model.content import JsonValue


class BareRecipe:
    """How replies run as the user who started qfuzz, on the host's file system and network."""

    files: Mapping[str, bytes] = {}

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._folder = Path(tempfile.mkdtemp(prefix="qfuzz-"))
        self._agent = self._folder / "agent.zip"
        self._agent.write_bytes(agent_zip())
        self.side_files = str(self._folder / "in")

    def command(self, files: Mapping[str, int]) -> list[str]:
        assert not files, f"no file is handed over: {files}"
        return [sys.executable, "-ISBu", str(self._agent)]

    def configuration(self) -> JsonValue:
        home, temporary = str(self._folder / "home"), str(self._folder / "tmp")
        return {
            "confined": False,
            "places": [
                {"path": str(self._folder / "work"), "mode": 0o755},
                {"path": home, "mode": 0o755},
                {"path": temporary, "mode": 0o755},
                {"path": str(self._folder / "tap"), "mode": 0o755},
            ],
            "side": {"path": self.side_files, "mode": 0o755},
            "rlimits": resource_limits(self._limits),
            "environment": {**ENVIRONMENT, "HOME": home, "TMPDIR": temporary},
            **bounds(self._limits),
        }

    def clean(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._folder)
