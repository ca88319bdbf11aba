"""Programs that packages from PyPI bring along, and where a jail shows them."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

FOLDER = "/run/qfuzz/tools"
"""Where they are in a jail: in no PATH, so that a reply meets none by chance."""

PACKAGES: Mapping[str, str] = MappingProxyType({"task": "go-task-bin"})
"""The programs, and the packages that hold them."""


def find_tool(name: str) -> Path | None:
    """The program beside the Python that runs now, or in the user's own folder; None where its package is not there.

    Another program of that name is left alone: `task` is also what a to-do list is called.
    """
    package = PACKAGES[name].replace("-", "_")
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        program = Path(sysconfig.get_path("scripts", scheme)) / name
        packages = Path(sysconfig.get_path("purelib", scheme))
        if program.is_file() and next(packages.glob(f"{package}-*.dist-info"), None) is not None:
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
