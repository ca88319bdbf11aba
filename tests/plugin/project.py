"""A small project, and its test run in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

GOOD = {"schema": 1, "transport": "quoted", "expect": "survives", "reply": "echo '$5'"}
BROKEN = GOOD | {
    "transport": "nested",
    "expect": "broken",
    "failure": {"way": "silent", "channels": ["stdout"]},
    "reason": "$ starts an expansion",
}
FAULTY = GOOD | {"transport": "nested"}


@dataclass(frozen=True)
class Ran:
    """What a test run left. `outcomes` are the counts of its last line: {"passed": 2}."""

    status: int
    out: str

    @property
    def outcomes(self) -> dict[str, int]:
        last = self.out.strip().splitlines()[-1]
        return {
            name.rstrip("s"): int(count) for count, name in re.findall(r"(\d+) ([a-z]+)", last.partition(" in ")[0])
        }


class Project:
    """Files in a folder. It is no developer's checkout and no CI job unless a test says so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")

    def cases(self, name: str, *cases: Mapping[str, object]) -> Path:
        path = self.folder / f"{name}.breakers.jsonl"
        path.write_text("".join(json.dumps(case) + "\n" for case in cases))
        return path

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *arguments: str, env: Mapping[str, str] | None = None, autoload: bool = False) -> Ran:
        """Runs pytest with these arguments. With `autoload` it finds the plugin as in any project, with all others.

        Those of this machine cost more than the test: Hypothesis' plugin alone takes a second.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST"))}
        chosen = [] if autoload else ["-p", "qfuzz.pytest_plugin", "-p", "xdist"]
        if not autoload:
            kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *chosen, "-ra", "--color=no", *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**kept, "COLUMNS": "200", **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout)
