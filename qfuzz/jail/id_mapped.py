"""The second kind of jail: a range of users inside, for programs that change from one user to another.

Root of the jail is an unused user of the machine, and starts su and sudo; the reply runs as the same ordinary user as
in every jail. Programs inside get the capabilities to change users and no others. What su and sudo read (accounts,
rules, authentication) are the jail's own files, which allow root to become anybody without a password.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from qfuzz.jail.bubblewrap import PREFERRED_USER, WRITTEN_FILES, BubblewrapRecipe, IdRange, user_ranges
from qfuzz.jail.environment import ENVIRONMENT
from qfuzz.model.content import canonical_json, sha256_hex
from qfuzz.model.errors import HostError
from qfuzz.model.recorder import BEGIN, NOTE_ARRIVAL

_IDS = 65_536
_KEPT = " ".join(sorted({*ENVIRONMENT, "_QFUZZ_SHELLS_LEFT"} - {"_", "HOME", "USER", "LOGNAME"}))
_ALLOW = "auth sufficient pam_permit.so\naccount sufficient pam_permit.so\nsession sufficient pam_permit.so\n"
_PLUGINS = (Path("/usr/libexec/sudo"), Path("/usr/lib/sudo"))
"""Where Debian (and, before release 12, Debian and Ubuntu) keep sudo's plugins."""

_COPY = "/etc/qfuzz/sudoers.so"
_TEXTS: Mapping[str, str] = {
    "/etc/shadow": "root:*:19000::::::\nuser:*:19000::::::\n",
    "/etc/login.defs": "ENV_PATH PATH=/usr/bin:/bin\nENV_SUPATH PATH=/usr/bin:/bin\n",
    "/etc/pam.d/su": _ALLOW,
    "/etc/pam.d/su-l": _ALLOW,
    "/etc/pam.d/sudo": _ALLOW,
    "/etc/pam.d/sudo-i": _ALLOW,
    "/etc/pam.d/other": _ALLOW,
    "/etc/sudo.conf": f"Plugin sudoers_policy {_COPY}\nPlugin sudoers_io {_COPY}\nSet disable_coredump false\n",
    "/etc/sudoers": "Defaults !use_pty, !syslog, !pam_session, !pam_setcred, !lecture, runcwd=*, umask=0777\n"
    f'Defaults env_keep += "{_KEPT}"\nroot ALL=(ALL:ALL) NOPASSWD: ALL\n',
    # A login begins in the home directory.
    "/etc/profile": BEGIN + "unset OLDPWD MAIL\n" + NOTE_ARRIVAL,
}


def unused_ids(slot: int) -> IdRange:
    """A range that nobody uses, for the jail of that number; raises HostError where this user has none."""
    if os.geteuid() == 0:
        for first, count in user_ranges():
            start = max(first, PREFERRED_USER + _IDS)
            if start + (slot + 1) * _IDS <= first + count:
                return IdRange(start + slot * _IDS, _IDS)
        raise HostError("this container has no range of unused user ids", hint="run qfuzz outside of it")
    user = _user()
    names = {user, str(os.geteuid())}
    for line in _lines(Path("/etc/subuid")):
        name, _, numbers = line.partition(":")
        begin, _, length = numbers.partition(":")
        if name in names and begin.isdigit() and length.isdigit() and int(length) >= _IDS and _has_newuidmap():
            return IdRange(int(begin), _IDS)
    ranges = "--add-subuids 100000-165535 --add-subgids 100000-165535"
    raise HostError(
        "an ordinary user needs newuidmap and a range in /etc/subuid and /etc/subgid for a jail of several users",
        hint=f"sudo apt-get install uidmap && sudo usermod {ranges} {user}",
    )


def _user() -> str:
    """The name of the user who started qfuzz; containers often start programs as one who has none."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        # newuidmap gives nobody ids whose name it does not find.
        raise HostError(
            f"the user {os.geteuid()}, who has no entry in /etc/passwd, can have no jail of several users",
            hint="run qfuzz as a user with an entry in /etc/passwd, or as root",
        ) from None


def _has_newuidmap() -> bool:
    return all(os.path.exists(f"/usr/bin/new{kind}map") for kind in ("uid", "gid"))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


class IdMappedRecipe(BubblewrapRecipe):
    """How a jail of several users is made."""

    @staticmethod
    def id_range(slot: int) -> IdRange:
        return unused_ids(slot)

    @staticmethod
    def further_files() -> dict[str, bytes]:
        files = {path: text.encode() for path, text in _TEXTS.items()}
        plugin = next((folder / "sudoers.so" for folder in _PLUGINS if (folder / "sudoers.so").exists()), None)
        if plugin is not None:
            # sudo takes a plugin of root's only, and the machine's root is nobody in here.
            files[_COPY] = plugin.read_bytes()
        return files


def files_digest() -> str:
    """A digest over the files that both kinds of jails are given: accounts, rules of su and sudo, sudo's plugin."""
    files = {**{path: text.encode() for path, text in WRITTEN_FILES.items()}, **IdMappedRecipe.further_files()}
    return sha256_hex(canonical_json({path: sha256_hex(content) for path, content in sorted(files.items())}))
