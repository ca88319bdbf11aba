"""The reply between the quotes of an `eval`: one more reading of it by the same shell."""

from __future__ import annotations

from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul
from qfuzz.transports.nested import Nested


class Eval(Boundary):
    """`eval "R"` in a script that bash reads: wrappers of agents and of CI that keep a shell alive use it, and
    deploy scripts with a command in a variable. The text between double quotes is expanded once, then read again
    as a program by the same shell. It owns backslash, dollar, backtick and double quote, and can't carry a NUL.
    The rules are those of `nested`. Source: POSIX.1-2024 XCU 2.2.3 and the special built-in eval."""

    name = "eval"
    summary = 'eval "R" in a script that bash reads'
    owns = "between double quotes: backslash, dollar, backtick, double quote"
    cannot_carry = "NUL"
    witness = b"x=1; echo $x"
    faithful = False
    expands = True
    starts_shell = False
    adds_text = True
    arrival_note = "the shell that gets the text reads it twice"
    rules = Nested.rules

    def inert(self, text: bytes, offset: int) -> bool:
        return Nested().inert(text, offset)

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text, "a script can't hold a NUL") or b'eval "' + text + b'"'

    def armor(self, program: bytes) -> bytes:
        return Nested().armor(program)

    def disclosure(self) -> str:
        return (
            'R is pasted, as it is, between the double quotes of `eval "R"` in a script that bash runs. So R is '
            "read twice by "
            "that bash: first as the inside of a double-quoted string, then as a program. Nothing escapes R for you."
        )


BOUNDARIES: tuple[Boundary, ...] = (Eval(),)
