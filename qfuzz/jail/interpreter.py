"""Which Python runs the agent, and where a jail finds it."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from dataclasses import dataclass

from qfuzz.model.errors import HostError

_SYSTEM = "/usr/bin/python3"
_PROBE = "import sys, ctypes, json, socket; sys.exit(sys.version_info < (3, 9))"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`path` is the same on the host and in the jail. `home` is a directory to bind for it, or empty."""

    path: str
    home: str = ""


@functools.cache
def find_interpreter() -> Interpreter:
    """The system's Python where it can run the agent, else the one that runs now; raises HostError."""
    if runs_agent(_SYSTEM):
        return Interpreter(_SYSTEM)
    return running_interpreter()


def running_interpreter() -> Interpreter:
    """The Python that runs now, outside any virtual environment."""
    home = os.path.realpath(sys.base_prefix)
    path = os.path.join(home, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    if not runs_agent(path):
        raise HostError(
            f"no Python that can run in a jail: neither {_SYSTEM} nor {path} has the ctypes module",
            hint="install the package python3",
        )
    return Interpreter(path, "" if home == "/usr" or home.startswith("/usr/") else home)


def runs_agent(path: str) -> bool:
    """Whether this Python exists and has what the agent imports."""
    try:
        done = subprocess.run([path, "-ISc", _PROBE], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
