"""`${{ }}` of GitHub Actions: an expression is replaced as text before any shell parses the step."""

from __future__ import annotations

from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul
from qfuzz.transports.nested import Nested


class ActionsExpression(Boundary):
    """`command="${{ inputs.command }}"` in a step, then `bash -c "$command"`: workflows that take a command, a
    title or a comment as input and quote it as if it were a variable. The reply is pasted between the double
    quotes of the script, so the outer shell expands it first. It owns backslash, dollar, backtick and double
    quote, and can't carry a NUL. Source: GitHub's Security hardening for GitHub Actions, Understanding the risk
    of script injections; POSIX.1-2024 XCU 2.2.3."""

    name = "actions-expression"
    summary = 'command="${{ R }}"; bash -c "$command" in a workflow step'
    owns = "between double quotes: backslash, dollar, backtick, double quote"
    cannot_carry = "NUL"
    witness = b"printf '%s\\n' 'Adds `touch side` helper'"
    faithful = False
    expands = True
    starts_shell = True
    tool = True
    rules = Nested.rules

    def inert(self, text: bytes, offset: int) -> bool:
        return Nested().inert(text, offset)

    def embed(self, text: bytes) -> bytes | Refusal:
        refusal = refuse_nul(self.name, text, "a script can't hold a NUL")
        return refusal or b'command="' + text + b'"\nbash -c "$command"'

    def armor(self, program: bytes) -> bytes:
        return Nested().armor(program)

    def disclosure(self) -> str:
        return (
            'R is pasted, as it is, between the double quotes of the line `command="R"` in a script, which then runs '
            '`bash -c "$command"`. Nothing escapes R for you.'
        )


BOUNDARIES: tuple[Boundary, ...] = (ActionsExpression(),)
