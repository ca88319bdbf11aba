"""The script file: the reply is written to a temporary file and bash is started with its name."""

from __future__ import annotations

from qfuzz.bash.quote import one_line
from qfuzz.model.content import sha256_hex
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul

SCRIPT_DIRECTORY = b"/run/qfuzz/in/"
_ELF = b"\x7fELF"


class ScriptFile(Boundary):
    """`bash FILE`: what CI runners and job schedulers do with a step.

    Not equal to `bash -c R` in: the name, which is the file's and not `bash`, in `$0`, `$BASH_SOURCE`, and before
    messages of Bash itself (`FILE: line 1: ...`), which a reply with `2>&1` prints; the status of an error that ends
    the shell (`${x:?}`, an unset variable under `set -u`, in POSIX mode an assignment to a readonly one), 1 here and
    127 there; `$-`, `caller`, `FUNCNAME` and other variables that describe how Bash was started; a text that begins
    with a dash or plus sign, which `bash -c` takes for options; the last command of the program, which `bash -c`
    replaces itself with, so that its death by signal n is seen as such there and as exit status 128+n here, and its
    SHLVL is smaller by one there; `set -t`, which ends with the line here and with the text there; the file itself,
    which is open as descriptor 255 and can be found by who searches all of the file system.

    It owns nothing, and can't carry a NUL; nor a backslash that ends the text and that no other escapes: before the end
    of a file Bash drops it, under -c it is a character; nor a text that begins as an ELF program does, which Bash
    refuses to read as a script. Source: bash(1), INVOCATION; Bash 5.2, check_binary_file.
    """

    name = "script-file"
    summary = "the reply in a temporary file, run as bash FILE"
    owns = "nothing"
    cannot_carry = "NUL; at the end, a backslash that no other escapes; at the beginning, the mark of an ELF program"
    witness = None
    faithful = True
    starts_shell = True
    exceptions = (Declared.NAME, Declared.ENDED)

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_script(self.name, text) or _refuse_last_backslash(text)
        if refusal is not None:
            return refusal
        path = script_path(text)
        return Launch(b"/bin/bash", (b"bash", path), text, files=(SideFile(path, text),))

    def armor(self, program: bytes) -> bytes:
        refused = refuse_script(self.name, program) or _refuse_last_backslash(program)
        return one_line(program) if refused else program

    def disclosure(self) -> str:
        return "R is written, byte for byte, to a temporary file, and the file is run with `bash FILE`."


def script_path(content: bytes, suffix: bytes = b"") -> bytes:
    """Named by its content, so that two script files of one stack have two names; none that a reply would look for."""
    return SCRIPT_DIRECTORY + sha256_hex(content)[:16].encode() + suffix


def refuse_script(boundary: str, text: bytes) -> Refusal | None:
    """What Bash does not read as a script."""
    elf = Refusal(boundary, 0, "bash refuses a script that begins as an ELF program does")
    return refuse_nul(boundary, text, "bash drops NULs from a script") or (elf if text.startswith(_ELF) else None)


def _refuse_last_backslash(text: bytes) -> Refusal | None:
    """There is no text to write instead: two backslashes are one in a command, and two in a here-document."""
    at_the_end = len(text) - len(text.rstrip(b"\\"))
    if at_the_end % 2 == 0:
        return None
    return Refusal(ScriptFile.name, len(text) - 1, "bash drops a backslash that ends a file")


BOUNDARIES: tuple[Boundary, ...] = (ScriptFile(),)
