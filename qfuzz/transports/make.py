"""GNU make: the reply as the recipe of a target, each line behind a tab."""

from __future__ import annotations

from types import MappingProxyType

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.afresh import afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul
from qfuzz.transports.script_file import script_path

_UNSET = b"unset MAKEFLAGS MAKELEVEL MFLAGS"


class _Recipe(Boundary):
    """A recipe in a Makefile of its own, with bash as the shell."""

    cannot_carry = "NUL"
    faithful = False
    keeps_status = False
    starts_shell = True
    tool = True
    arrival_note = "each line is a program of its own"
    programs = ("make",)

    def recipe(self, text: bytes) -> bytes:
        """What stands in the Makefile for `text`."""
        return text

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text, "a Makefile can't hold a NUL")
        lines = self.recipe(text).replace(b"\n", b"\n\t")
        makefile = b"SHELL := bash\n.PHONY: run\nrun:\n\t" + lines + b"\n"
        path = script_path(makefile, b".mk")
        words = (b"make", b"-s", b"-f", path, b"run")
        return refusal or Launch(b"/usr/bin/make", words, text, files=(SideFile(path, makefile),))


class Make(_Recipe):
    """A recipe with the reply as it is: Makefiles that somebody pasted a command into. A dollar is make's, each
    line is a program of its own, an `@`, `-` or `+` where a line begins is a flag, and every failure ends with
    status 2. It owns these, and can't carry a NUL. Source: the GNU make manual, 5.1 (Recipe Syntax), 5.3 (Recipe
    Execution), 6.1; it runs, with `SHELL := bash`."""

    name = "make"
    summary = "the recipe of a make target, each line behind a tab"
    owns = "dollar; newline; @, - and + where a line begins; the exit status"
    witness = b"x=1; echo $x"
    rules = MappingProxyType({ord("$"): "begins a reference to a variable of make"})

    def shield(self, one: bytes) -> bytes:
        return one * 2

    def armor(self, program: bytes) -> bytes:
        return one_line(afresh(program, _UNSET)).replace(b"$", b"$$")

    def disclosure(self) -> str:
        return (
            "R is the recipe of a make target, each of its lines behind a tab; make runs every line with a bash "
            "of its own."
        )


class MakeDollars(_Recipe):
    """The same with each dollar doubled: the escape that everybody knows, and the only one. Lines are still
    programs of their own, so a heredoc, a loop over lines or a variable set before is lost. It owns newlines,
    `@`, `-` and `+` where a line begins and the exit status, and can't carry a NUL. Source: the GNU make manual,
    5.3 (Recipe Execution); it runs, with `SHELL := bash`."""

    name = "make-dollars"
    summary = "the same, with each dollar of the reply doubled"
    owns = "newline; @, - and + where a line begins; the exit status"
    witness = b"x=1\necho $x"

    def recipe(self, text: bytes) -> bytes:
        return text.replace(b"$", b"$$")

    def armor(self, program: bytes) -> bytes:
        return one_line(afresh(program, _UNSET))

    def disclosure(self) -> str:
        return (
            "The recipe of a make target is R with each dollar doubled and each of its lines behind a tab; make runs "
            "every line with a bash of its own."
        )


BOUNDARIES: tuple[Boundary, ...] = (Make(), MakeDollars())
