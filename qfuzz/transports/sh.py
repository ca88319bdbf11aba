"""The other shell that most people have: `sh`, which is dash on Debian and Ubuntu."""

from __future__ import annotations

from qfuzz.bash.quote import single
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import refuse_for_argument


class Sh(Boundary):
    """`sh -c R`: Python's `shell=True`, `system(3)`, Makefile recipes, npm scripts, Docker's shell form. On Debian
    and Ubuntu sh is dash, on other systems another shell. It owns every Bash extension; it can't carry a NUL,
    nor more than one argument of execve holds. Source: POSIX.1-2024 XCU 2."""

    name = "sh"
    summary = "sh -c R with the reply as one argument (dash on Debian)"
    owns = "every Bash extension: [[ ]], arrays, $'...', <<<, {a,b}, process substitution"
    cannot_carry = "NUL; more than 131,071 bytes"
    witness = b"echo {a,b}"
    faithful = False
    starts_shell = True
    shell = "sh"
    arrival_note = "another shell reads the text, by other rules"

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        return refusal or Launch(b"/bin/sh", (b"sh", b"-c", text), text, shell=self.shell)

    def armor(self, program: bytes) -> bytes:
        return b"exec bash -c " + single(program)

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `sh -c`, and sh is dash: it has no Bash extensions."


BOUNDARIES: tuple[Boundary, ...] = (Sh(),)
