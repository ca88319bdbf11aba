"""The reply as the body of a here-document whose delimiter nobody quoted."""

from __future__ import annotations

from types import MappingProxyType

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Refusal
from qfuzz.transports.afresh import LEVEL, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul

_ACTIVE = b"\\$`"


class Heredoc(Boundary):
    """`bash <<EOF`, the reply, `EOF`: how scripts send several lines to a shell in a container or on another host.
    As the delimiter is not quoted, the outer shell expands the body first. It owns dollar, backtick, backslash
    before one of these or a newline, and a line that is the delimiter; the inner shell's program is its standard
    input, which commands of the reply share. It can't carry a NUL. Source: POSIX.1-2024 XCU 2.7.4."""

    name = "heredoc"
    summary = "bash <<EOF with the reply as its body, not quoted"
    owns = "dollar, backtick, backslash, the line EOF; standard input"
    cannot_carry = "NUL"
    witness = b"x=1; echo $x"
    faithful = False
    expands = True
    starts_shell = True
    sees_arrival = False
    adds_text = True
    arrival_note = "commands of the reply can read the text before bash does"
    rules = MappingProxyType(
        {
            ord("$"): "starts an expansion in an unquoted here-document",
            ord("`"): "starts or ends a command substitution in an unquoted here-document",
            ord("\\"): "in an unquoted here-document, escapes a dollar, backtick, backslash or newline",
        }
    )

    def inert(self, text: bytes, offset: int) -> bool:
        following = text[offset + 1 : offset + 2]
        return text[offset] == ord("\\") and following not in (b"", b"\\", b"$", b"`", b"\n")

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text, "a script can't hold a NUL") or b"bash <<EOF\n" + text + b"\nEOF"

    def shield(self, one: bytes) -> bytes:
        return b"\\" + one

    def armor(self, program: bytes) -> bytes:
        text = one_line(afresh(program, LEVEL)) + b" < /dev/null"
        return b"".join(b"\\" + bytes([byte]) if byte in _ACTIVE else bytes([byte]) for byte in text)

    def disclosure(self) -> str:
        return (
            "R is pasted, as it is, between the lines `bash <<EOF` and `EOF` of a script that bash runs. So the "
            "outer bash "
            "expands R as the body of an unquoted here-document, and the inner one reads what is left as its standard "
            "input. Nothing escapes R for you."
        )


BOUNDARIES: tuple[Boundary, ...] = (Heredoc(),)
