"""Whether a transport can be had on this machine: its programs where replies look for them, its libraries here.

What is missing is never a failure of a reply: it is said once, with the command that gets it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType

from qfuzz.model.errors import HostError
from qfuzz.model.extras import hint_for
from qfuzz.model.tools import PACKAGES as TOOL_PACKAGES
from qfuzz.model.tools import find_tool, is_shown
from qfuzz.transports.base import Boundary, NodePackage, Transport

SEARCH_PATH = "/usr/bin:/bin"
"""Where programs are found in the jail, which sees the machine's own folders there."""

SERVERS_PATH = "/usr/sbin"
"""Where servers are, which boundaries start by their whole path."""

PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "busybox": "busybox",
        "dash": "dash",
        "envsubst": "gettext-base",
        "find": "findutils",
        "fish": "fish",
        "ksh": "ksh",
        "make": "make",
        "mksh": "mksh",
        "node": "nodejs",
        "npm": "npm",
        "python3": "python3",
        "script": "bsdutils",
        "ssh": "openssh-client",
        "sshd": "openssh-server",
        "su": "util-linux",
        "sudo": "sudo",
        "tmux": "tmux",
        "xargs": "findutils",
        "yash": "yash",
        "zsh": "zsh",
    }
)
"""Programs that boundaries start, and the Debian packages that hold them."""

EXTRA_HINT = hint_for("boundaries")
_OTHER_MODULES = {"bashlex": "pip install bashlex"}
"""Libraries that are left to the user (see NOTICE)."""


@dataclass(frozen=True, slots=True)
class Missing:
    """What a boundary lacks here. `packages` are Debian's; empty for what is no program."""

    boundary: str
    what: str
    packages: tuple[str, ...] = ()
    other: str = EXTRA_HINT
    """The command for what is no package of Debian's."""

    @property
    def remedy(self) -> str:
        """The one command that gets it."""
        return f"sudo apt-get install {' '.join(self.packages)}" if self.packages else self.other

    def __str__(self) -> str:
        return f"{self.boundary} is not available here, because {self.what}"


def missing(boundary: Boundary) -> Missing | None:
    """What `boundary` lacks on this machine, or None. Starts nothing and loads nothing."""
    path = f"{SEARCH_PATH}:{SERVERS_PATH}"
    lacking = [program for program in boundary.programs if shutil.which(program, path=path) is None]
    if lacking:
        packages = tuple(PACKAGES[program] for program in lacking)
        what = f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not in {path}"
        return Missing(boundary.name, what, packages)
    for name in boundary.tools:
        program = find_tool(name)
        if program is None:
            return Missing(boundary.name, f"{name} of the package {TOOL_PACKAGES[name]} is not installed")
        if not is_shown(program):
            what = f"the user that replies run as may not execute {program}"
            return Missing(boundary.name, what, other=f"chmod o+rx {program}")
    for module in boundary.modules:
        if importlib.util.find_spec(module) is None:
            what = f"the Python module {module} is not installed"
            return Missing(boundary.name, what, other=_remedy_of(module))
    for package in boundary.node_packages:
        folder = folder_of(package)
        if not all((folder / name).is_file() for name in package.files):
            remedy = f"npm install --prefix {Path(sys.prefix) / 'node'} {package.source}"
            return Missing(boundary.name, f"the npm package {package.name} is not in {folder}", other=remedy)
    return None


def _remedy_of(module: str) -> str:
    return _OTHER_MODULES.get(module, EXTRA_HINT)


def folder_of(package: NodePackage) -> Path:
    """Where a package from npm is looked for: beside the Python packages of this environment."""
    return Path(sys.prefix) / "node" / "node_modules" / package.name


def version_of(package: NodePackage) -> str | None:
    """The version of a package from npm that is here; None where it is not, or does not say."""
    try:
        said = json.loads((folder_of(package) / "package.json").read_bytes())
    except (OSError, ValueError):
        return None
    found = said.get("version") if isinstance(said, dict) else None
    return found if isinstance(found, str) else None


def missing_of(transport: Transport) -> Missing | None:
    """What the first boundary of `transport` that lacks something lacks."""
    return next((found for found in map(missing, transport.boundaries) if found is not None), None)


def require_boundary(boundary: Boundary) -> None:
    """Raises HostError, with the remedy, where `boundary` can't be had here."""
    found = missing(boundary)
    if found is not None:
        raise HostError(str(found), hint=found.remedy)


def require(transport: Transport) -> None:
    """The same for every boundary of a transport."""
    for boundary in transport.boundaries:
        require_boundary(boundary)


def library(module: str) -> ModuleType:
    """A module that only some need, loaded by these; raises HostError, with the remedy, where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise HostError(f"the Python module {module} is not installed", hint=_remedy_of(module)) from None
