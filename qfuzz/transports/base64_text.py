"""Base64: the reply as letters, digits and two signs, decoded by a shell on the other side, which starts another."""

from __future__ import annotations

from base64 import b64encode
from itertools import accumulate

from qfuzz.bash.quote import single
from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_long, refuse_nul


def _decoded_bytes(line: bytes) -> int:
    """How many bytes can be written in base64 where `line` is the rest of one argument of execve."""
    return (MAX_ARGUMENT_BYTES - len(line)) // 4 * 3


class _Encoded(Boundary):
    """What both ways share."""

    owns = "nothing"
    witness = None
    faithful = True
    starts_shell = True
    encodes = True
    tool = True

    def armor(self, program: bytes) -> bytes:
        return program


class Base64(_Encoded):
    """`bash -c "$(echo ... | base64 -d)"`: how a command gets through kubectl, Ansible, cloud user-data and other
    people's quoting. A substitution drops newlines from the end, and with them what a backslash before them means
    and empty last lines of a here-document; so a full stop is appended and cut off again, as a careful author does.
    It owns nothing, and can't carry a NUL, nor more than fits in base64 into one argument of execve. Source:
    base64(1); POSIX.1-2024 XCU 2.6.3."""

    name = "base64"
    summary = 'bash -c "$(echo <R in base64> | base64 -d)", newlines at the end kept'
    _BEFORE = b"r=$(echo "
    _AFTER = b' | base64 -d; echo .); bash -c "${r%.}"'
    _MOST = _decoded_bytes(_BEFORE + _AFTER)
    cannot_carry = f"NUL; more than {_MOST:,} bytes"

    def embed(self, text: bytes) -> bytes | Refusal:
        refusal = refuse_nul(self.name, text) or refuse_long(self.name, text, self._MOST, "a command in base64")
        return refusal or self._BEFORE + b64encode(text) + self._AFTER

    def disclosure(self) -> str:
        return (
            "R is written in base64 into a command line that decodes it and runs it with `bash -c`, and bash gets "
            "exactly R."
        )


class Base64Piped(_Encoded):
    """`echo ... | base64 -d | bash`: the same where not even quotes and dollars get through, for to most readers no
    character of the line means anything. A shell whose program comes through a pipe shares that pipe with its
    commands; so what is encoded is `exec bash -c 'R' < /dev/null`, with SHLVL as it was. It owns nothing, and can't
    carry a NUL, nor more than fits in base64 into one argument of execve, an apostrophe being four bytes. Source:
    base64(1); bash(1), INVOCATION.

    Not equal to `bash -c R` in: `$PPID`, `$_` before the first command, and death by signal n, which is exit status
    128+n here.
    """

    name = "base64-piped"
    summary = "echo <R and more in base64> | base64 -d | bash"
    _BEFORE = b"echo "
    # By its path, for a recorder that stands before bash knows programs in arguments only.
    _AFTER = b" | base64 -d | /bin/bash"
    _START = b"((SHLVL--)); exec bash -c '"
    _END = b"' < /dev/null"
    _MOST = _decoded_bytes(_BEFORE + _AFTER) - len(_START + _END)
    cannot_carry = f"NUL; more than {_MOST:,} bytes, an apostrophe being four"

    def embed(self, text: bytes) -> bytes | Refusal:
        refusal = refuse_nul(self.name, text) or self._refuse_long(text)
        program = self._START + single(text)[1:-1] + self._END
        return refusal or self._BEFORE + b64encode(program) + self._AFTER

    def _refuse_long(self, text: bytes) -> Refusal | None:
        if len(text) + 3 * text.count(b"'") <= self._MOST:
            return None
        ends = accumulate(4 if byte == ord("'") else 1 for byte in text)
        offset = next(offset for offset, end in enumerate(ends) if end > self._MOST)
        return Refusal(self.name, offset, f"what is encoded can't be longer than {self._MOST} bytes, quoted")

    def disclosure(self) -> str:
        return (
            "A command that runs R with `bash -c` is written in base64 into a command line that decodes it and pipes "
            "it to a shell, and bash gets exactly R."
        )


BOUNDARIES: tuple[Boundary, ...] = (Base64(), Base64Piped())
