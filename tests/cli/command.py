"""`qfuzz` as a user calls it: a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def qfuzz(*arguments: str | Path, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs the command line in `cwd` and returns status and output, whatever the status is."""
    command = [sys.executable, "-m", "qfuzz", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, timeout=120)
