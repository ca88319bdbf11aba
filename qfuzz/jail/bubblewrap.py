"""The command line that makes a jail, and the configuration that its agent gets."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qfuzz.jail.environment import HOME, SIDE_FILES
from qfuzz.jail.interpreter import Interpreter
from qfuzz.jail.limits import Limits
from qfuzz.jail.recipe import agent_zip, bounds, resource_limits
from qfuzz.jail.shown import Shown, for_agent, spared, stage, work_directory
from qfuzz.jail.userland import FOLDER, Userland, environment
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import HostError
from qfuzz.model.recorder import PLACE_FILES, TAP
from qfuzz.model.tools import FOLDER as TOOLS
from qfuzz.model.tools import shown_tools

AGENT = "/run/qfuzz/agent.zip"
_LAUNCHER = Path(__file__).parent / "launcher.py"

_CAPABILITIES = ("SYS_ADMIN", "SYS_RESOURCE", "SETUID", "SETGID", "DAC_OVERRIDE", "SETPCAP", "SETFCAP")
"""What the agent needs in bubblewrap's user namespace to mount, and to make one of its own below it."""

_TOP_DIRECTORIES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
WRITTEN_FILES = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/bash\nuser::1000:1000:user:/home/user:/bin/bash\n"
    "fish::1000:1000:user:/home/user:/usr/bin/fish\n"
    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "/etc/group": "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost qfuzz\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
"""Files of every jail that are no copies of the machine's."""

PREFERRED_USER = 1_879_048_193
"""A user id that no system hands out, below 2**31; the n-th jail takes the n-th id from here."""


@dataclass(frozen=True, slots=True)
class IdRange:
    """`count` user and group ids of the machine from `first` on, none of them in use: 0, 1, ... of a jail."""

    first: int
    count: int


def user_ranges() -> list[tuple[int, int]]:
    """The user ids that exist where qfuzz runs: (first, count)."""
    with open("/proc/self/uid_map") as file:
        return [(int(first), int(count)) for first, _, count in map(str.split, file)]


def unprivileged_user(slot: int) -> int:
    """A user id for a jail started by root: nobody's, and mapped where qfuzz itself runs in a user namespace."""
    ranges = user_ranges()
    for first, count in ranges:
        if first <= PREFERRED_USER and PREFERRED_USER + slot < first + count:
            return PREFERRED_USER + slot
    first, count = max(ranges)
    if count < 60_000:
        raise HostError(
            "this container has no unused user id for replies", hint="run qfuzz as an ordinary user, not as root"
        )
    # The last ids of a range of 65536 hold nobody (65534); a thousand below is nobody's.
    return first + count - 1_000 - slot


def _program() -> str:
    program = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if program is None:
        raise HostError("bubblewrap is missing", hint="sudo apt-get install bubblewrap")
    return program


def bubblewrap_version() -> str:
    """What `bwrap --version` says; raises HostError where it is missing."""
    return subprocess.run([_program(), "--version"], capture_output=True, text=True, check=True).stdout.strip()


_PRIVATE_FILES = frozenset({"/etc/shadow", "/etc/sudoers"})
_NAMESPACES = ("ipc", "pid", "net", "uts")


def command_line(
    interpreter: Interpreter,
    slot: int,
    files: Mapping[str, int],
    shown: Sequence[Shown] = (),
    userland: Userland | None = None,
    ids: IdRange | None = None,
    tools: Sequence[tuple[str, Path]] = (),
) -> list[str]:
    """What to execute for a jail. `files` are paths in the jail and inherited descriptors that hold their contents.

    `tools` are programs of the host by the names that they have in the folder TOOLS. With `ids` the jail lives in a
    user namespace that maps them, instead of one with a single user.
    """
    as_root = os.geteuid() == 0
    command = [_program(), "--hostname", "qfuzz"]
    if ids is None:
        command += ["--unshare-all", "--uid", "0", "--gid", "0"]
    else:
        # The launcher has made the user namespace.
        command += [*(f"--unshare-{name}" for name in _NAMESPACES), "--unshare-cgroup-try"]
    for capability in (*_CAPABILITIES, *(("CHOWN",) if ids is not None else ())):
        command += ["--cap-add", f"CAP_{capability}"]
    command += ["--die-with-parent", "--new-session", "--as-pid-1", "--ro-bind", "/usr", "/usr"]
    for name in _TOP_DIRECTORIES:
        path = f"/{name}"
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            command += ["--ro-bind", path, path]
    # Made on the way to a file, a directory would be its owner's alone.
    for folder in sorted({os.path.dirname(path) for path in files if path.startswith("/etc/")}):
        command += ["--perms", "0755", "--dir", folder]
    for path in _SYSTEM_FILES:
        command += ["--ro-bind-try", path, path]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for path in (work_directory(shown), HOME, "/tmp", SIDE_FILES, TAP):
        command += ["--dir", path]
    command += ["--symlink", "../tmp", "/var/tmp"]
    if userland is not None:
        command += ["--perms", "0755", "--dir", FOLDER]
        for applet in userland.applets:
            command += ["--symlink", userland.program, f"{FOLDER}/{applet}"]
    for path, fd in files.items():
        command += ["--perms", "0600" if path in _PRIVATE_FILES else "0644", "--file", str(fd), path]
    folders = [(each.path, stage(index)) for index, each in enumerate(shown)]
    if tools:
        command += ["--perms", "0755", "--dir", TOOLS]
        folders += [(str(program), f"{TOOLS}/{name}") for name, program in tools]
    if interpreter.home:
        folders.append((interpreter.home, interpreter.home))
    for index, (path, target) in enumerate(folders):
        command += ["--ro-bind", f"@{index}@" if as_root else path, target]
    if not as_root:
        folders = []
    command += ["--chdir", "/", interpreter.path, "-ISBu", AGENT]
    if as_root or ids is not None:
        user = f"{ids.first}+{ids.count}" if ids is not None else str(unprivileged_user(slot))
        command = [
            *(sys.executable, "-IS", str(_LAUNCHER), user),
            *(str(len(folders)), *(path for path, _ in folders)),
            *command,
        ]
    return command


class BubblewrapRecipe:
    """How a jail is made in which replies may be hostile."""

    side_files = SIDE_FILES

    def __init__(
        self,
        limits: Limits,
        interpreter: Interpreter,
        slot: int,
        shown: Sequence[Shown] = (),
        userland: Userland | None = None,
    ) -> None:
        """`slot` numbers the jails of a pool; raises HostError where this user has no ids for such a jail."""
        self._interpreter = interpreter
        self._shown = shown
        self._userland = userland
        self._slot = slot
        self._limits = limits
        self._ids = self.id_range(slot)
        self._tools = tuple(shown_tools())
        self.files: Mapping[str, bytes] = {
            AGENT: agent_zip(),
            **{path: text.encode() for path, text in WRITTEN_FILES.items()},
            **dict(zip(PLACE_FILES, self._place(), strict=True)),
            **self.further_files(),
        }

    @staticmethod
    def id_range(slot: int) -> IdRange | None:  # noqa: ARG004
        """The ids that are users of the jail of that number; None where it has a single user."""
        return None

    @staticmethod
    def further_files() -> dict[str, bytes]:
        """Contents of files that only this kind of jail has, by their path in it."""
        return {}

    def _place(self) -> tuple[bytes, bytes]:
        return work_directory(self._shown).encode(), environment(self._userland)["PATH"].encode()

    def command(self, files: Mapping[str, int]) -> list[str]:
        return command_line(self._interpreter, self._slot, files, self._shown, self._userland, self._ids, self._tools)

    def configuration(self) -> JsonValue:
        limits, home = self._limits, self._interpreter.home
        parents = [str(path) for path in (Path(home), *Path(home).parents) if str(path) not in ("/", ".")]
        other = {"bytes": limits.other_bytes, "inodes": limits.other_inodes}
        return {
            "confined": True,
            "id_mapped": self._ids is not None,
            "places": [
                {
                    **{"path": work_directory(self._shown), "mode": 0o755},
                    **{"bytes": limits.work_bytes, "inodes": limits.work_inodes},
                },
                {"path": HOME, **other, "mode": 0o755, "spared": spared(self._shown, HOME)},
                {"path": "/tmp", **other, "mode": 0o1777, "spared": spared(self._shown, "/tmp")},
                {"path": "/dev/shm", **other, "mode": 0o1777},
                {"path": TAP, **other, "mode": 0o755},
            ],
            "side": {"path": SIDE_FILES, **other},
            "detach": [home] if home else [],
            "remove": [AGENT, *parents],
            "shown": for_agent(self._shown),
            "rlimits": {**resource_limits(limits), "RLIMIT_NPROC": limits.processes},
            "environment": environment(self._userland),
            **bounds(limits),
        }

    def clean(self) -> None:
        """Nothing is left on the host."""
