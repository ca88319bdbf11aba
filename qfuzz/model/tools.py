"""Programs that packages from PyPI bring along, and where a jail shows them."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

FOLDER = "/run/qfuzz/tools"
"""Where they are in a jail: in no PATH, so that a reply meets none by chance."""

PACKAGES: Mapping[str, str] = MappingProxyType({"task": "go-task-bin"})
"""The programs, and the packages that hold them."""


def find_tool(name: str) -> Path | None:
    """Where its package has put the program; None where the package is not installed.

    Another program of that name is left alone: `task` is also what a to-do list is called.
    """
    pattern = f"{PACKAGES[name].replace('-', '_')}-*.dist-info/RECORD"
    for folder in sys.path:
        for record in glob.glob(pattern, root_dir=folder or "."):
            try:
                lines = Path(folder, record).read_text("utf-8").splitlines()
            except (OSError, ValueError):
                continue
            for path in (line.partition(",")[0] for line in lines):
                program = Path(os.path.normpath(Path(folder, path)))
                if program.name == name and os.path.isfile(program):
                    return program
    return None


def is_shown(program: Path) -> bool:
    """Whether the user that replies run as may execute it: somebody else where qfuzz runs as root."""
    return program.stat().st_mode & 0o005 == 0o005 if os.geteuid() == 0 else os.access(program, os.R_OK | os.X_OK)


def shown_tools() -> Iterator[tuple[str, Path]]:
    """Name and place of every program that a jail can show."""
    for name in PACKAGES:
        program = find_tool(name)
        if program is not None and is_shown(program):
            yield name, program
