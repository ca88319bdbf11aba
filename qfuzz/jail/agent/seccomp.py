"""A filter that takes from replies the system calls with which state could outlive them or evade the limits.

Refused: System V shared memory, message queues and semaphores, POSIX message queues, kernel keyrings (all outlive
their maker); memfd_create (memory that no limit counts); io_uring, bpf, perf_event_open, userfaultfd (large kernel
surfaces that no shell command needs). Calls of another architecture are refused as a whole: their numbers differ.
The answer is always ENOSYS, as of a kernel built without them.
"""

from __future__ import annotations

import errno
import struct

from . import linux

# The numbers come from the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
_X86_64 = (
    *(29, 64, 68),  # shmget semget msgget
    *(240, 241, 248, 249, 250),  # mq_open mq_unlink add_key request_key keyctl
    *(298, 319, 321, 323, 425, 447),  # perf_event_open memfd_create bpf userfaultfd io_uring_setup memfd_secret
)
_GENERIC = (
    *(194, 190, 186),
    *(180, 181, 217, 218, 219),
    *(241, 279, 280, 282, 425, 447),
)
_ARCHITECTURES = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _GENERIC),
    "riscv64": (0xC00000F3, _GENERIC),
    "loongarch64": (0xC0000102, _GENERIC),
}
"""Machine name (`uname -m`) to its AUDIT_ARCH value and the refused numbers."""

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_JUMP_EQUAL = 0x15
_JUMP_GREATER_EQUAL = 0x35
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.ENOSYS
_X32_BIT = 0x40000000


def program(machine: str) -> bytes | None:
    """The filter for a machine as classic BPF, or None for a machine whose call numbers are not known here."""
    known = _ARCHITECTURES.get(machine)
    if known is None:
        return None
    architecture, refused = known
    count = len(refused)
    code = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 0, count + 3, architecture),
        (_LOAD, 0, 0, 0),
        (_JUMP_GREATER_EQUAL, count + 1, 0, _X32_BIT),
    ]
    code += [(_JUMP_EQUAL, count - index, 0, number) for index, number in enumerate(refused)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def install(machine: str) -> bool:
    """Whether the filter is now on this process and its children."""
    filter_program = program(machine)
    if filter_program is None:
        return False
    linux.install_filter(filter_program)
    return True
