"""Packages of this Python environment that go into the jail with a launch, so that what is in them determines it."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from qfuzz.model.delivery import SideFile


@functools.cache
def python_package(name: str, folder: bytes) -> tuple[SideFile, ...]:
    """The sources of an installed package, below `folder`; what is compiled for one interpreter is left out."""
    found = importlib.util.find_spec(name)
    assert found is not None, f"{name} was there a moment ago"
    assert found.origin is not None, f"{name} is a package"
    return tuple(
        SideFile(folder + name.encode() + b"/" + path.name.encode(), path.read_bytes())
        for path in sorted(Path(found.origin).parent.glob("*.py"))
    )
