"""Another userland first in PATH: the applets of one program, as links in the jail."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

from qfuzz.jail.environment import ENVIRONMENT
from qfuzz.model.content import sha256_hex
from qfuzz.model.errors import HostError
from qfuzz.model.userland import GNU

USERLANDS = (GNU, "busybox", "toybox")
FOLDER = "/run/qfuzz/userland"
"""Where the links are in the jail."""

_SHELLS = frozenset({"ash", "bash", "cttyhack", "hush", "lash", "sh", "toysh"})
"""Applets that are left out: what is compared are tools, under the same shells."""
_ASK = {"busybox": ("--list",), "toybox": ()}
_ASK_VERSION = {"busybox": ("--help",), "toybox": ("--version",)}


@dataclass(frozen=True, slots=True)
class Userland:
    """`program` holds all `applets`; `version` is the first line that it says of itself."""

    name: str
    program: str
    version: str
    applets: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Binds which applets there are: another build of the same version may have others."""
        return sha256_hex("\n".join(self.applets).encode())


def find_userland(name: str) -> Userland | None:
    """The userland of this name on this machine, None for the machine's own. Raises HostError where it is missing."""
    if name == GNU:
        return None
    program = shutil.which(name, path="/usr/bin:/bin")
    if program is None:
        raise HostError(f"{name} is missing", where="--userland", hint=f"sudo apt-get install {name}")
    applets = sorted(set(_said(program, _ASK[name]).split()) - _SHELLS)
    unfit = [applet for applet in applets if "/" in applet or applet in (".", "..")]
    if not applets or unfit:
        raise HostError(f"{program} does not say which applets it has", where="--userland")
    lines = _said(program, _ASK_VERSION[name]).splitlines()
    return Userland(name, program, lines[0] if lines else "", tuple(applets))


def _said(program: str, arguments: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=30, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"{program} can't be asked ({error})", where="--userland") from None
    return done.stdout or done.stderr


def environment(userland: Userland | None) -> dict[str, str]:
    """What a reply finds in its environment under this userland."""
    first = "" if userland is None else f"{FOLDER}:"
    return {**ENVIRONMENT, "PATH": first + ENVIRONMENT["PATH"]}
