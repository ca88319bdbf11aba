"""The crate shlex of Rust before 1.2.1 and 1.3.0: a quoting function that leaves an open brace alone. A model."""

from __future__ import annotations

import re

from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul

_QUOTED = re.compile(rb"[|&;<>()$`\\\"' \t\r\n*?\[#~=%]")
_ESCAPED = re.compile(rb"[$`\"\\]")


class RustShlexModel(Boundary):
    """A model of `bash -c ` and `shlex::quote(R)` of old versions: a text with a blank or a character from a list
    is put between double quotes and escaped, any other stays bare, and the list lacks the open brace and the
    byte 0xA0. So a reply of one bare word with a brace expansion is expanded by the outer shell. It owns `{`,
    and can't carry a NUL. Source: RUSTSEC-2024-0006, and the documentation of the crate; compared with its
    version 1.1.0, over text, for that takes no other bytes."""

    name = "rust-shlex-model"
    summary = "bash -c and shlex::quote(R) of Rust before 1.3 (model)"
    owns = "an open brace, where nothing else is quoted"
    cannot_carry = "NUL"
    witness = b"{echo,hi}"
    faithful = False
    starts_shell = True

    def embed(self, text: bytes) -> bytes | Refusal:
        refusal = refuse_nul(self.name, text)
        if refusal is not None:
            return refusal
        if text and not _QUOTED.search(text):
            return b"bash -c " + text
        return b'bash -c "' + _ESCAPED.sub(lambda match: b"\\" + match.group(), text) + b'"'

    def armor(self, program: bytes) -> bytes:
        return program if _QUOTED.search(program) or b"{" not in program else program + b" "

    def disclosure(self) -> str:
        return (
            "If R holds no blank and no character that its quoting function knows, R is pasted bare behind `bash -c`."
        )


BOUNDARIES: tuple[Boundary, ...] = (RustShlexModel(),)
