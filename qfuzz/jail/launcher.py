"""Becomes an ordinary user, then bubblewrap. Run as a script, only where qfuzz runs as root.

    python -IS launcher.py UID HOME PROGRAM ARGUMENT...

With `--uid` alone bubblewrap leaves the host's root underneath, who may read root's files and is bound by no limit of
processes. HOME is an interpreter's directory that the user may not be able to reach (below /root), or empty: it is
bound to a path that the user can reach, in a mount namespace that ends with the jail, and PROGRAM's arguments name
that path as `@HOME@`.
"""

from __future__ import annotations

import ctypes
import os
import sys

_CLONE_NEWNS = 0x00020000
_MS_BIND_REC = 4096 | 16384
_MS_PRIVATE_REC = (1 << 18) | 16384
_REACHABLE = "/tmp"


def main(user: int, home: str, command: list[str]) -> None:
    if home:
        libc = ctypes.CDLL(None, use_errno=True)
        for done in (
            libc.unshare(_CLONE_NEWNS),
            libc.mount(b"", b"/", None, ctypes.c_ulong(_MS_PRIVATE_REC), None),
            libc.mount(home.encode(), _REACHABLE.encode(), None, ctypes.c_ulong(_MS_BIND_REC), None),
        ):
            if done < 0:
                sys.exit(f"can't show {home} to a jail: {os.strerror(ctypes.get_errno())}")
        command = [_REACHABLE if word == "@HOME@" else word for word in command]
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
