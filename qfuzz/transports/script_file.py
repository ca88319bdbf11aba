"""The script file: the reply is written to a temporary file and bash is started with its name."""

from __future__ import annotations

from qfuzz.bash.quote import one_line
from qfuzz.model.content import sha256_hex
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul

SCRIPT_DIRECTORY = b"/run/qfuzz/in/"


class ScriptFile(Boundary):
    """`bash FILE`: what CI runners and job schedulers do with a step.

    Not equal to `bash -c R` in: `$0`, `$BASH_SOURCE`, `$-`, variables that describe how bash was started, a text that
    begins with a dash or plus sign, which `bash -c` takes for options, and the last command of the program, which
    `bash -c` replaces itself with, so that its death by signal n is seen as such there and as exit status 128+n here.
    It owns nothing, and can't carry a NUL, nor a backslash that ends the text and that no other escapes: before the end
    of a file Bash drops it, under -c it is a character. Source: bash(1), INVOCATION.
    """

    name = "script-file"
    summary = "the reply in a temporary file, run as bash FILE"
    owns = "nothing"
    cannot_carry = "NUL; at the end, a backslash that no other escapes"
    witness = None
    faithful = True
    starts_shell = True

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text, "bash drops NULs from a script") or _refuse_last_backslash(text)
        if refusal is not None:
            return refusal
        # Named by its content, so that two script files of one stack have two names.
        path = SCRIPT_DIRECTORY + sha256_hex(text)[:16].encode() + b".sh"
        return Launch(b"/bin/bash", (b"bash", path), text, files=(SideFile(path, text),))

    def armor(self, program: bytes) -> bytes:
        return one_line(program) if _refuse_last_backslash(program) else program

    def disclosure(self) -> str:
        return "R is written, byte for byte, to a temporary file, and the file is run with `bash FILE`."


def _refuse_last_backslash(text: bytes) -> Refusal | None:
    """There is no text to write instead: two backslashes are one in a command, and two in a here-document."""
    at_the_end = len(text) - len(text.rstrip(b"\\"))
    if at_the_end % 2 == 0:
        return None
    return Refusal(ScriptFile.name, len(text) - 1, "bash drops a backslash that ends a file")


BOUNDARIES: tuple[Boundary, ...] = (ScriptFile(),)
