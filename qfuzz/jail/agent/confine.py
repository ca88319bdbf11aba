"""From root of bubblewrap's namespace to what replies get: small writable places, limits, no way up.

The agent keeps the capabilities of a second user namespace, so that it can read what a reply made unreadable and
renew the process space; a program that it starts has none, because executing as an ordinary user drops them all.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Mapping

from . import linux, seccomp

USER_ID = 1000
KEPT_CAPABILITIES = (6, 7)
"""CAP_SETGID and CAP_SETUID of linux/capability.h: what su and sudo need to become USER_ID."""


def mount_tmpfs(path: str, size_bytes: int, inodes: int, mode: int) -> None:
    options = f"size={size_bytes},nr_inodes={inodes},mode={mode:o}"
    linux.mount("tmpfs", path, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, options)


def mount_side_files(path: str, size_bytes: int, inodes: int) -> int:
    """A directory that only the returned descriptor can write: the path leads to a read-only view of it."""
    mount_tmpfs(path, size_bytes, inodes, 0o755)
    writable = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    linux.mount(path, path, "", linux.MS_BIND)
    make_read_only(path)
    return writable


def make_read_only(path: str) -> None:
    flags = linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("", path, "", flags)


def show(stage: str, path: str, cover: str) -> None:
    """Moves a read-only folder from where it is mounted to `path`.

    `cover` is empty, or the topmost folder on the way in a place that replies can write: a mount that they can't
    remove, to be made read-only when all of its folders are there.
    """
    if cover and cover != path and not os.path.ismount(cover):
        os.mkdir(cover)
        mount_tmpfs(cover, 1 << 20, 1_000, 0o755)
    os.makedirs(path, exist_ok=True)
    linux.mount(stage, path, "", linux.MS_MOVE)
    os.removedirs(stage)


def forbid_user_namespaces(but: int) -> None:
    """No more below this one than `but`, the agent's own: none for replies."""
    _write("/proc/sys/user/max_user_namespaces", str(but))


def enter_user_namespace() -> None:
    """Goes on as USER_ID in a user namespace that owns its mounts and processes, with an empty bounding set.

    The caller returns as a child of itself, first in a pid namespace that it may enter again: one that bubblewrap's
    user namespace owns would be closed to it. The parent ends when the child does.
    """
    user, group = os.getuid(), os.getgid()
    _write("/proc/self/oom_score_adj", "1000")
    linux.join_new_session_keyring()
    linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWPID)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{USER_ID} {user} 1")
    _write("/proc/self/gid_map", f"{USER_ID} {group} 1")
    _go_on_in_new_spaces()
    linux.drop_bounding_set()
    _protect()


def stay_in_user_namespace() -> None:
    """Goes on as root of a range of users, who lays files as USER_ID and starts programs with KEPT_CAPABILITIES."""
    _write("/proc/self/oom_score_adj", "1000")
    linux.join_new_session_keyring()
    linux.unshare(linux.CLONE_NEWNS | linux.CLONE_NEWPID)
    _go_on_in_new_spaces()
    linux.drop_bounding_set(KEPT_CAPABILITIES)
    _protect()


def act_on_files_as_user() -> None:
    """New files belong to USER_ID, as do the folders above the work directory and the home; reading and removing other
    users' stays possible."""
    for folder in ("/", "/home"):
        os.chown(folder, USER_ID, USER_ID)
    linux.set_file_ids(USER_ID)


def _go_on_in_new_spaces() -> None:
    child = os.fork()
    if child:
        # The channel ends for the host when the child's copy does.
        os.closerange(0, 2)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.waitpid(child, 0)
        os._exit(0)
    linux.mount("proc", "/proc", "proc", linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC)


def _protect() -> None:
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1, "no_new_privs")
    linux.prctl(linux.PR_SET_DUMPABLE, 0, "dumpable")
    die_with_parent()


def die_with_parent() -> None:
    """Has the kernel kill this process when the thread that started it ends."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL, "pdeathsig")


def limit_resources(limits: Mapping[str, int]) -> None:
    """Sets soft and hard limits by their names in `resource`; replies inherit them and can't raise them."""
    for name, value in limits.items():
        resource.setrlimit(getattr(resource, name), (value, value))


def refuse_system_calls() -> bool:
    """Whether a filter for this machine exists; it is now in force."""
    return seccomp.install(os.uname().machine)


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
