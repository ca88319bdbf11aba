"""Pools started by root and by an ordinary user of the host, behind one small interface."""

from __future__ import annotations

import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from qfuzz.jail.execution import Execution
from qfuzz.jail.limits import Limits
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture

ORDINARY_USER = 61_234
REPOSITORY = Path(__file__).parents[2]
_DEPENDENCIES = ("dulwich", "urllib3", "typing_extensions")


def execution(reply: bytes | str, fixture: Fixture | None = None, timeout: float = 10.0, **rest: Any) -> Execution:
    text = reply.encode() if isinstance(reply, str) else reply
    return Execution(Launch(b"/bin/bash", (b"bash", b"-c", text), text), fixture or Fixture(), timeout, **rest)


class LocalHost:
    """A pool of this process."""

    def __init__(self, jobs: int = 1, limits: Limits | None = None) -> None:
        self._pool = Pool(jobs, limits=limits or Limits())

    def run(self, reply: bytes | str, fixture: Fixture | None = None, timeout: float = 10.0) -> Observation:
        return self._pool.run(execution(reply, fixture, timeout))

    def close(self) -> None:
        self._pool.close()


class OrdinaryHost:
    """A pool of a child process that root has made an ordinary user, with a copy of the package that it can read."""

    def __init__(self, folder: Path, interpreter: str) -> None:
        packages = folder / "packages"
        shutil.copytree(REPOSITORY / "qfuzz", packages / "qfuzz", ignore=shutil.ignore_patterns("__pycache__"))
        for name in _DEPENDENCIES:
            spec = importlib.util.find_spec(name)
            if spec is None or spec.origin is None:
                continue
            origin = Path(spec.origin)
            if origin.name == "__init__.py":
                shutil.copytree(origin.parent, packages / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(origin, packages)
        (packages / "tests" / "jail").mkdir(parents=True)
        shutil.copy(__file__, packages / "tests" / "jail")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        self._process = subprocess.Popen(
            [
                *("setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"),
                *(interpreter, "-B", "-m", "tests.jail.hosts"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": str(packages), "PATH": "/usr/bin:/bin"},
            cwd="/",
        )

    def run(self, reply: bytes | str, fixture: Fixture | None = None, timeout: float = 10.0) -> Observation:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(execution(reply, fixture, timeout), self._process.stdin)
        self._process.stdin.flush()
        observation: Observation = pickle.load(self._process.stdout)
        return observation

    def close(self) -> None:
        self._process.communicate()


Host = LocalHost | OrdinaryHost


def interpreter_for(user: int) -> str | None:
    """A Python 3.11 or newer that this user of the host can start, or None."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        probe = [candidate, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            done = subprocess.run(
                ["setpriv", f"--reuid={user}", "--clear-groups", *probe], cwd="/", capture_output=True
            )
        except OSError:
            return None
        if done.returncode == 0 and _same_abi(candidate):
            return candidate
    return None


def _same_abi(candidate: str) -> bool:
    """Whether compiled modules of this interpreter's site-packages load there."""
    asked = subprocess.run([candidate, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True)
    return asked.stdout.strip() == str(sys.version_info[:2])


def _serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    assert os.getuid() == ORDINARY_USER
    with Pool(1) as pool:
        while True:
            try:
                request = pickle.load(requests)
            except EOFError:
                return
            pickle.dump(pool.run(request), answers)
            answers.flush()


if __name__ == "__main__":
    _serve(sys.stdin.buffer, sys.stdout.buffer)
