"""The system calls that Python has no function for (all of them in every Python that the agent may run under)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Container

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_MOVE = 8192
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

KEYCTL_JOIN_SESSION_KEYRING = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    result = _libc.mount(os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode())
    _check(result, f"mount {target}")


def umount(target: str, flags: int = MNT_DETACH) -> None:
    _check(_libc.umount2(os.fsencode(target), flags), f"umount {target}")


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    _check(_libc.setns(fd, kind), "setns")


def prctl(option: int, argument: int, what: str) -> None:
    unsigned = ctypes.c_ulong
    _check(_libc.prctl(option, unsigned(argument), unsigned(0), unsigned(0), unsigned(0)), f"prctl {what}")


def drop_bounding_set(but: Container[int] = ()) -> None:
    """Empties the capability bounding set, `but` aside; the kernel answers EINVAL after its last capability."""
    for capability in range(64):
        if capability in but:
            continue
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            return


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def set_file_ids(user: int) -> None:
    """File access as `user` and his group, with all the capabilities that this process may have."""
    _libc.setfsgid(user)
    _libc.setfsuid(user)
    # The kernel takes those that are about files when the user is not root any more (capabilities(7)).
    header = _CapabilityHeader(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    _check(_libc.capget(ctypes.byref(header), sets), "capget")
    # Effective, permitted, inheritable: the lower words, then the upper ones.
    sets[0], sets[3] = sets[1], sets[4]
    # What is inheritable would reach what this process starts, past the bounding set.
    sets[2] = sets[5] = 0
    _check(_libc.capset(ctypes.byref(header), sets), "capset")


def join_new_session_keyring() -> None:
    """Leaves the keys of the session that started qfuzz behind. Kernels without keyrings answer ENOSYS."""
    number = {"x86_64": 250}.get(os.uname().machine, 219)
    _libc.syscall(ctypes.c_long(number), ctypes.c_long(KEYCTL_JOIN_SESSION_KEYRING), None)


def is_running(proc: int, pid: int) -> bool:
    """Whether a process has not ended, by the /proc that a descriptor leads to; one that nobody waited for has."""
    try:
        fd = os.open(f"{pid}/stat", os.O_RDONLY, dir_fd=proc)
    except OSError:
        return False
    try:
        # The name in parentheses may hold anything.
        return os.read(fd, 1 << 12).rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except (OSError, IndexError):
        return False
    finally:
        os.close(fd)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def install_filter(instructions: bytes) -> None:
    """Puts a seccomp filter (8 bytes an instruction) on this process and all that it starts."""
    program = _Program(len(instructions) // 8, instructions)
    mode_filter = ctypes.c_ulong(2)
    _check(_libc.prctl(PR_SET_SECCOMP, mode_filter, ctypes.byref(program), 0, 0), "prctl seccomp")
