"""Standard input: bash reads the reply as its own input, which the commands of the reply share."""

from __future__ import annotations

from qfuzz.bash.quote import single
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul


class Stdin(Boundary):
    """`bash -s` with the program on standard input: `curl ... | bash`, `ssh host bash -s < file`. It owns no
    character but a backslash that ends the text; yet a command of the reply that reads its input eats the rest of the
    program, `exec <` ends it, and the status of an error that ends the shell (`${x:?}`, an unset variable under
    `set -u`) is 1 and not 127. It can't carry a NUL. Source: POSIX.1-2024 XCU sh, STDIN."""

    name = "stdin"
    summary = "bash -s with the reply on standard input"
    owns = (
        "standard input: a command that reads it takes the rest of the program; a backslash that ends the text; the "
        "status of an error that ends the shell"
    )
    exceptions = (Declared.ENDED,)
    cannot_carry = "NUL"
    witness = b"cat\necho done"
    faithful = False
    starts_shell = True
    arrival_note = "commands of the reply can read the text before bash does"

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text, "bash drops NULs from its input")
        return refusal or Launch(b"/bin/bash", (b"bash", b"-s"), text, stdin=text)

    def armor(self, program: bytes) -> bytes:
        return b"exec bash -c " + single(program) + b" < /dev/null"

    def disclosure(self) -> str:
        return "R is written to the standard input of `bash -s`. Commands in R share that input with the shell."


BOUNDARIES: tuple[Boundary, ...] = (Stdin(),)
