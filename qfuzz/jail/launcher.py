"""Becomes an ordinary user, or root of a range of users, then bubblewrap. Run as a script.

    python -IS launcher.py UID COUNT PATH... PROGRAM ARGUMENT...
    python -IS launcher.py FIRST+IDS COUNT PATH... PROGRAM ARGUMENT...

With `--uid` alone bubblewrap leaves the host's root underneath, who may read root's files and is bound by no limit of
processes. The COUNT paths are folders and files that the jail shows and that the user may not be able to reach (below
/root): each is bound to a path that the user can reach, in a mount namespace that ends with the jail, and PROGRAM's
arguments name those paths as `@0@`, `@1@`, ...

FIRST+IDS makes a user namespace that maps its 0, 1, ... to that many users from FIRST on, and goes on as 0 in it. An
ordinary user needs newuidmap(1) for that, and a range of his own in /etc/subuid and /etc/subgid.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
_MS_BIND_REC = 4096 | 16384
_MS_PRIVATE_REC = (1 << 18) | 16384
_REACHABLE = "/tmp"


def main(user: str, folders: list[str], command: list[str]) -> None:
    if folders:
        _bind(folders)
        reachable = {f"@{index}@": f"{_REACHABLE}/{index}" for index in range(len(folders))}
        command = [reachable.get(word, word) for word in command]
    first, _, count = user.partition("+")
    if count:
        _enter_namespace(int(first), int(count))
    become = 0 if count else int(first)
    os.setgroups([])
    os.setresgid(become, become, become)
    os.setresuid(become, become, become)
    os.execv(command[0], command)


def _enter_namespace(first: int, count: int) -> None:
    """A namespace's maps are written from outside of it: by a child that was there before."""
    parent = os.getpid()
    entered, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(tell)
        os.read(entered, 1)
        for kind in ("gid", "uid"):
            if os.geteuid() == 0:
                with open(f"/proc/{parent}/{kind}_map", "w") as file:
                    file.write(f"0 {first} {count}")
            else:
                words = [f"/usr/bin/new{kind}map", str(parent), "0", str(first), str(count)]
                if os.spawnv(os.P_WAIT, words[0], words):
                    os._exit(1)
        os._exit(0)
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER) < 0:
        sys.exit(f"can't make a user namespace: {os.strerror(ctypes.get_errno())}")
    os.write(tell, b".")
    if os.waitpid(child, 0)[1]:
        sys.exit(f"can't map {count} users from {first} on into a user namespace")
    os.close(entered)
    os.close(tell)


def _bind(folders: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result: int, what: str) -> None:
        if result < 0:
            sys.exit(f"can't show {what} to a jail: {os.strerror(ctypes.get_errno())}")

    def mount(source: bytes, target: str, kind: bytes | None, flags: int, data: bytes | None = None) -> int:
        return int(libc.mount(source, target.encode(), kind, ctypes.c_ulong(flags), data))

    check(libc.unshare(_CLONE_NEWNS), "folders")
    check(mount(b"", "/", None, _MS_PRIVATE_REC), "folders")
    # Some of them may lie where the others are going to be bound.
    opened = [os.open(folder, os.O_PATH) for folder in folders]
    check(mount(b"tmpfs", _REACHABLE, b"tmpfs", 0, b"size=64k,mode=755"), "folders")
    for index, (folder, fd) in enumerate(zip(folders, opened, strict=True)):
        target = f"{_REACHABLE}/{index}"
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.mkdir(target)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        check(mount(b"/proc/self/fd/%d" % fd, target, None, _MS_BIND_REC), folder)
        os.close(fd)


if __name__ == "__main__":
    _count = int(sys.argv[2])
    main(sys.argv[1], sys.argv[3 : 3 + _count], sys.argv[3 + _count :])
