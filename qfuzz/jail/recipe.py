"""What every way of making a jail has in common: the agent as one file, and most of its configuration."""

from __future__ import annotations

import functools
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from qfuzz.jail.limits import Limits
from qfuzz.model.content import JsonValue

_AGENT_PACKAGE = Path(__file__).parent / "agent"


class Recipe(Protocol):
    """How one jail is made. `files` are to be handed over as descriptors; `side_files` is where side files are seen."""

    files: Mapping[str, bytes]
    side_files: str

    def command(self, files: Mapping[str, int]) -> list[str]:
        """What to execute; `files` maps the paths of `self.files` to descriptors."""

    def configuration(self) -> JsonValue:
        """What the agent is told first."""

    def clean(self) -> None:
        """Removes what the jail left on the host, after its end. May be called again."""


@functools.cache
def agent_zip() -> bytes:
    """The agent as a program that `python` runs: equal sources give equal bytes, for their digest is in every key."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        # A ZipInfo of our own has a fixed time; a bare name would get the present one.
        archive.writestr(zipfile.ZipInfo("__main__.py"), "from agent.main import main\nmain()\n")
        for path in sorted(_AGENT_PACKAGE.glob("*.py")):
            archive.writestr(zipfile.ZipInfo(f"agent/{path.name}"), path.read_bytes())
    return packed.getvalue()


def resource_limits(limits: Limits) -> dict[str, int]:
    """Limits of each process, by their names in `resource`."""
    return {
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_DATA": limits.process_memory_bytes,
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_MEMLOCK": 64 << 10,
        "RLIMIT_NICE": 0,
        "RLIMIT_RTPRIO": 0,
    }


def bounds(limits: Limits) -> dict[str, JsonValue]:
    """How much of a run is looked at, and the memory of all its processes."""
    return {
        "memory_bytes": limits.memory_bytes,
        "bounds": {
            "output_bytes": limits.output_keep_bytes,
            "discarded_bytes": limits.output_most_bytes,
            "tree_paths": limits.tree_paths,
            "tree_depth": limits.tree_depth,
            "tree_bytes": limits.tree_bytes,
            "file_bytes": limits.tree_file_bytes,
            "git_paths": limits.git_paths,
            "git_bytes": limits.git_bytes,
        },
    }
