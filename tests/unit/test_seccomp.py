"""The filter is a program of the kernel's packet filter language; a small interpreter of it shows what it decides."""

from __future__ import annotations

import errno
import struct

import pytest

from qfuzz.jail.agent import seccomp

ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.ENOSYS
X86_64, AARCH64, RISCV64 = 0xC000003E, 0xC00000B7, 0xC00000F3


def decision(program: bytes, architecture: int, number: int) -> int:
    """What the filter returns for a call (https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html)."""
    code = [struct.unpack_from("<HBBI", program, offset) for offset in range(0, len(program), 8)]
    data = struct.pack("<II", number, architecture)
    accumulator, at = 0, 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x15:
            at += if_true if accumulator == value else if_false
        elif operation == 0x35:
            at += if_true if accumulator >= value else if_false
        elif operation == 0x06:
            return value
        else:
            raise AssertionError(f"operation {operation:#x}")


@pytest.mark.parametrize(
    ("machine", "architecture", "refused"),
    [
        ("x86_64", X86_64, {29, 64, 68, 240, 241, 248, 249, 250, 298, 319, 321, 323, 425, 447}),
        ("aarch64", AARCH64, {180, 181, 186, 190, 194, 217, 218, 219, 241, 279, 280, 282, 425, 447}),
        ("riscv64", RISCV64, {180, 181, 186, 190, 194, 217, 218, 219, 241, 279, 280, 282, 425, 447}),
    ],
)
def test_exactly_the_listed_calls_are_refused(machine: str, architecture: int, refused: set[int]) -> None:
    program = seccomp.program(machine)
    assert program is not None
    decisions = {number: decision(program, architecture, number) for number in range(600)}
    assert {number for number, value in decisions.items() if value != ALLOW} == refused
    assert {decisions[number] for number in refused} == {REFUSE}


@pytest.mark.parametrize("number", [0, 1, 59, 319])
def test_calls_of_another_architecture_are_refused(number: int) -> None:
    program = seccomp.program("x86_64")
    assert program is not None
    assert decision(program, 0x40000003, number) == REFUSE  # 32-bit x86
    assert decision(program, X86_64, 0x40000000 | number) == REFUSE  # x32


def test_an_unknown_machine_has_no_filter() -> None:
    assert seccomp.program("vax") is None
