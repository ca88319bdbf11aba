"""The direct path: the reply is one argument of execve, and nothing reads it before bash does."""

from __future__ import annotations

from qfuzz.model.delivery import Launch, Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_long, refuse_nul

MAX_ARGUMENT_BYTES = 131_071
"""Linux, MAX_ARG_STRLEN in include/uapi/linux/binfmts.h: 32 pages of 4 KiB, one byte of them for the final NUL."""


def refuse_for_argument(boundary: str, text: bytes) -> Refusal | None:
    """The refusal of a text that can't be one argument of execve: it holds a NUL, or is too long. Else None."""
    no_nul = refuse_nul(boundary, text, "an argument can't hold a NUL")
    return no_nul or refuse_long(boundary, text, MAX_ARGUMENT_BYTES, "an argument")


class Direct(Boundary):
    """`execve(bash, "bash", "-c", R)`: what a harness does that passes an argument list, and what all other paths
    are compared with. It owns nothing; it can't carry a NUL, nor more than one argument of execve holds. Source:
    execve(2); Linux, MAX_ARG_STRLEN."""

    name = "direct"
    summary = "execve of bash with the reply as one argument"
    owns = "nothing"
    cannot_carry = "NUL; more than 131,071 bytes"
    witness = None
    faithful = True
    starts_shell = True

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        return refusal or Launch(b"/bin/bash", (b"bash", b"-c", text), text)

    def armor(self, program: bytes) -> bytes:
        return program

    def disclosure(self) -> str:
        return "R is passed unchanged as the single script argument of `bash -c`, without any other shell in between."


BOUNDARIES: tuple[Boundary, ...] = (Direct(),)
