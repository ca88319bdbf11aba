"""A small machine for scripts/setup.sh: a PATH of our own, with stand-ins for python3, npm, apt-get, sudo and bwrap.

The stand-ins write down how they are called and change nothing outside the machine's folder.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

NEEDED = (
    "bash",
    "cat",
    "chmod",
    "cp",
    "dirname",
    "env",
    "grep",
    "head",
    "mkdir",
    "mktemp",
    "rm",
    "sha256sum",
    "tail",
    "touch",
    "true",
)

PYTHON = r"""#!/bin/bash
echo "python $*" >> "$MACHINE/calls"
case "$*" in
    *version_info\ \<*) [[ ! -e $MACHINE/old-python ]] ;;
    *"import ensurepip"*) [[ -e $MACHINE/ensurepip ]] ;;
    *%d.%d*) echo 3.11 ;;
    *base_prefix*) echo here ;;
    *"import pip"*) [[ -e ${0%/*}/pip ]] ;;
    *-m\ venv*)
        rm -rf -- "${!#}" && mkdir -p "${!#}/bin" && cp "$0" "${!#}/bin/python"
        [[ $* == *--without-pip* ]] || echo > "${!#}/bin/pip"
        ;;
    *bootstrap_pip.py*) [[ ! -e $MACHINE/offline ]] && echo > "${!#%/*}/pip" ;;
    *pip\ install* | *pip\ --python*) [[ ! -e $MACHINE/offline ]] ;;
esac
"""

APT_GET = r"""#!/bin/bash
echo "apt-get $*" >> "$MACHINE/calls"
[[ ! -e $MACHINE/offline ]] || { echo "E: no network" >&2; exit 100; }
case "$*" in
    *update*) touch "$MACHINE/lists" ;;
    *install*)
        [[ -e $MACHINE/lists ]] || { echo "E: Unable to locate package" >&2; exit 100; }
        [[ $* != *-venv* ]] || touch "$MACHINE/ensurepip"
        [[ $* != *bubblewrap* ]] || cp "$MACHINE/stand-ins/bwrap" "$MACHINE/bin/bwrap"
        ;;
esac
"""

NPM = r"""#!/bin/bash
echo "npm $*" >> "$MACHINE/calls"
[[ ! -e $MACHINE/offline ]]
"""

# Does what it is asked, as a sudo does that wants no password.
SUDO = r"""#!/bin/bash
while [[ $1 == -* ]]; do shift; done
exec "$@"
"""

# The last argument of setpriv's and bwrap's own is followed by the command; only the probe `true` comes here.
SETPRIV = r"""#!/bin/bash
while [[ $1 != -- ]]; do shift; done
shift
exec "$@"
"""

BWRAP = r"""#!/bin/bash
[[ ! -e $MACHINE/forbidden ]] || { echo "bwrap: Creating new namespace failed" >&2; exit 1; }
"""


class Machine:
    """What is installed is what lies in `bin`, or in `servers`, which is not on PATH; what a stand-in
    shall do differently is said by files beside it.
    """

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.servers = folder / "servers"
        self.servers.mkdir()
        for name in NEEDED:
            (self.bin / name).symlink_to(shutil.which(name) or "")
        stand_ins = {
            "python3": PYTHON,
            "apt-get": APT_GET,
            "sudo": SUDO,
            "setpriv": SETPRIV,
            "bwrap": BWRAP,
            "npm": NPM,
        }
        for line in (checkout / "scripts/debian-packages.txt").read_text().splitlines():
            if not line.startswith("#"):
                stand_ins.setdefault(line.split()[1], "")
        (folder / "stand-ins").mkdir()
        for name, text in stand_ins.items():
            (folder / "stand-ins" / name).write_text(text)
            (folder / "stand-ins" / name).chmod(0o755)
            self.install(name)
        self.have("ensurepip")
        self.checkout = folder / "a checkout"
        self.checkout.mkdir()
        shutil.copytree(checkout / "scripts", self.checkout / "scripts", symlinks=True)
        for name in ("pyproject.toml", "requirements-dev.lock"):
            shutil.copy2(checkout / name, self.checkout)
        (self.checkout / "docs/own-path").mkdir(parents=True)
        shutil.copy2(checkout / "docs/own-path/requirements.lock", self.checkout / "docs/own-path")

    def install(self, program: str) -> None:
        shutil.copy2(self.folder / "stand-ins" / program, self.bin)

    def remove(self, *programs: str) -> None:
        for program in programs:
            (self.bin / program).unlink()

    def have(self, condition: str) -> None:
        (self.folder / condition).touch()

    def lack(self, condition: str) -> None:
        (self.folder / condition).unlink()

    def setup(self, *arguments: str, **variables: str) -> tuple[int, list[str], list[str]]:
        """Runs the script. Returns its exit status, its lines, the calls of python3, npm and apt-get that mattered."""
        calls = self.folder / "calls"
        calls.write_text("")
        done = subprocess.run(
            [self.checkout / "scripts/setup.sh", *arguments],
            env={"PATH": str(self.bin), "MACHINE": str(self.folder), "SERVERS": str(self.servers), **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.stdout == ""
        doing = [line for line in calls.read_text().splitlines() if not line.startswith("python -c")]
        return done.returncode, done.stderr.splitlines(), doing
