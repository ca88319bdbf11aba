"""Python's shlex: the reply split into words by rules that are nearly the shell's, and then executed or joined
again."""

from __future__ import annotations

import shlex

from qfuzz.bash.quote import single
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long


class _Split(Boundary):
    """What `shlex.split` makes of the reply."""

    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    faithful = False
    starts_shell = False

    def split(self, text: bytes) -> list[bytes] | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "shlex") or refuse_long(
            self.name, text, MAX_ARGUMENT_BYTES, "a command"
        )
        if refusal is not None:
            return refusal
        try:
            return [word.encode("utf-8") for word in shlex.split(text.decode("utf-8"))]
        except ValueError as error:
            return Rejection(self.name, str(error))

    def armor(self, program: bytes) -> bytes | None:
        return None if refuse_bytes(self.name, program, "") else b"bash -c " + single(program)


class ShlexArgv(_Split):
    """`subprocess.run(shlex.split(R))`: the usual advice instead of `shell=True`. Quotes and backslashes are read
    as in a shell, and nothing else is: operators, variables, globs and redirections become arguments, a builtin
    is no program. It owns all syntax but quotes, and can't carry a NUL or bytes that are not UTF-8. Source: the
    Python Library Reference, shlex; started here by nice(1), which looks a program up as execvp(3) does."""

    name = "shlex-argv"
    summary = "subprocess.run(shlex.split(R)) of Python, no shell"
    owns = "all shell syntax but quotes: operators become arguments"
    witness = b"echo a; echo b"
    plain = b"touch out.txt"
    tool = True
    arrival_note = "no shell reads the text"

    def embed(self, text: bytes) -> Launch | Refusal | Rejection:
        words = self.split(text)
        if not isinstance(words, list):
            return words
        if not words:
            return Rejection(self.name, "no words, so no program")
        return Launch(b"/usr/bin/nice", (b"nice", b"-n0", b"--", *words), text)

    def disclosure(self) -> str:
        return "R is split into words by Python's shlex.split, and these are executed without any shell."


class ShlexJoin(_Split):
    """`shlex.join(shlex.split(R))`, run by bash: tools that normalize a command, or add an argument to it. Every
    operator comes back quoted, comments and line breaks are gone or are blanks, and what was to be expanded is
    protected. It owns all syntax but quotes, and can't carry a NUL or bytes that are not UTF-8. Source: the
    Python Library Reference, shlex."""

    name = "shlex-join"
    summary = "shlex.join(shlex.split(R)) of Python, run by bash"
    owns = "all shell syntax but quotes: operators come back quoted"
    witness = b"echo a; echo b"
    plain = b"touch out.txt"

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        words = self.split(text)
        return shlex.join(word.decode("utf-8") for word in words).encode("utf-8") if isinstance(words, list) else words

    def disclosure(self) -> str:
        return (
            "R is split into words by Python's shlex.split and joined again by shlex.join, and bash runs what "
            "comes out."
        )


BOUNDARIES: tuple[Boundary, ...] = (ShlexArgv(), ShlexJoin())
