"""Programs that start other programs and read the reply on the way: env -S, xargs, find, script, and no shell at
all."""

from __future__ import annotations

from types import MappingProxyType

from qfuzz.bash.quote import one_line, single
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import refuse_for_argument
from qfuzz.transports.limits import refuse_long, refuse_nul


class EnvSplit(Boundary):
    """`env -S R`: the first line of a script (`#!/usr/bin/env -S ...`), wrappers and `.desktop` files that take a
    command as one string. env splits the string into words by rules of its own and executes the first one; no
    shell takes part. It owns blanks, quotes, backslashes, `${NAME}`, a number sign that begins a word, and every
    operator of the shell becomes a plain argument. It can't carry a NUL, nor more than one argument of execve
    holds. Source: GNU coreutils manual, env invocation, -S usage in scripts."""

    name = "env-split"
    summary = "env -S R: split into words by env, no shell"
    owns = "blanks, quotes, backslash, ${NAME}, #; operators become arguments"
    cannot_carry = "NUL; more than 131,071 bytes"
    witness = b"echo a; echo b"
    plain = b"touch out.txt"
    faithful = False
    starts_shell = False
    tool = True
    arrival_note = "no shell reads the text"

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        return refusal or Launch(b"/usr/bin/env", (b"env", b"-S", text), text)

    def armor(self, program: bytes) -> bytes:
        # Between single quotes env lets a backslash escape itself and an apostrophe, and nothing else.
        escaped = program.replace(b"\\", b"\\\\").replace(b"'", b"\\'")
        return b"bash -c '" + escaped + b"'"

    def disclosure(self) -> str:
        return (
            "R is the argument of `env -S`, which splits it into words by its own rules and executes them "
            "without a shell."
        )


class Xargs(Boundary):
    """`xargs -I{} bash -c {}` with the reply on its input: lists of commands in a file, one-liners that fan out
    work. xargs reads a line, drops leading blanks, and takes quotes and backslashes as its own before bash sees
    the rest; each line is a program of its own, empty lines are none, and the exit status is xargs's: 123 for a
    failure, 124 for status 255, 125 for death by a signal, the last two of which end it. It can't carry a NUL, nor
    more than its own limit of a command. Source: xargs(1) of GNU findutils; POSIX.1-2024 XCU xargs."""

    name = "xargs"
    summary = "xargs -I{} bash -c {} with the reply as a line of its input"
    owns = "apostrophe, double quote, backslash, newline, leading blanks; the exit status"
    cannot_carry = "NUL; more than 120,000 bytes"
    witness = b"printf '%s\\n' 'a  b'"
    faithful = False
    expands = True
    starts_shell = True
    tool = True
    keeps_status = False
    programs = ("xargs",)
    rules = MappingProxyType(
        {
            ord("'"): "starts or ends a quoted part for xargs, and is removed",
            ord('"'): "starts or ends a quoted part for xargs, and is removed",
            ord("\\"): "escapes the next character for xargs, and is removed",
            ord("\n"): "ends the item of xargs, and so the program",
            ord(" "): "is dropped by xargs where a line begins",
            ord("\t"): "is dropped by xargs where a line begins",
        }
    )
    _MOST = 120_000
    """Below what GNU xargs uses for a command and its environment unless told otherwise: 128 KiB."""

    def inert(self, text: bytes, offset: int) -> bool:
        """Other newlines and quotes being protected, only what stands before the first other byte begins a line."""
        return text[offset] in b" \t" and text[:offset].strip(b" \t") != b""

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text) or refuse_long(self.name, text, self._MOST, "a command of xargs")
        words = (b"xargs", b"-I{}", b"bash", b"-c", b"{}")
        return refusal or Launch(b"/usr/bin/xargs", words, text, stdin=text)

    def armor(self, program: bytes) -> bytes:
        # Newlines are escaped as well: xargs takes a newline after a backslash into the item.
        return b"".join(b"\\" + bytes([byte]) if byte in self.rules else bytes([byte]) for byte in program)

    def disclosure(self) -> str:
        return (
            "R is written to the standard input of `xargs -I{} bash -c {}`. xargs takes quotes and backslashes in "
            "R as its "
            "own, and runs each line as a program of its own."
        )


class FindExec(Boundary):
    """`find . -maxdepth 0 -exec bash -c R \\;`: a command for each file that find comes by. find puts the path in
    place of every `{}`, wherever it stands, and its own exit status in place of the command's. It owns `{}`; it
    can't carry a NUL, nor a little less than one argument of execve holds. Source: find(1) of GNU findutils;
    POSIX.1-2024 XCU find."""

    name = "find-exec"
    summary = "find . -maxdepth 0 -exec bash -c R \\;"
    owns = "{}; the exit status, which is find's"
    cannot_carry = "NUL; more than 131,000 bytes"
    witness = b"echo '{}'"
    faithful = False
    starts_shell = True
    tool = True
    keeps_status = False
    programs = ("find",)

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text) or refuse_long(self.name, text, 131_000, "a command of find")
        words = (b"find", b".", b"-maxdepth", b"0", b"-exec", b"bash", b"-c", text, b";")
        return refusal or Launch(b"/usr/bin/find", words, text)

    def armor(self, program: bytes) -> bytes:
        return program if b"{}" not in program else one_line(program, b"{")

    def disclosure(self) -> str:
        return (
            "R is the script argument in `find . -maxdepth 0 -exec bash -c R \\;`. find replaces every {} in R by "
            "a path, and "
            "the exit status of R is lost."
        )


class ScriptCommand(Boundary):
    """`script -qec R /dev/null`: the usual way to give a command a terminal where there is none (CI logs with
    colours, tools that ask isatty). A shell gets the reply whole, but it is `sh`, and its standard streams are
    one pseudo-terminal: every newline of the output becomes carriage return and newline, stderr is mixed into
    stdout, and programs that look at their terminal do otherwise. It can't carry a NUL, nor more than one
    argument of execve holds. Source: script(1) of util-linux; termios(3), OPOST and ONLCR."""

    name = "script-command"
    summary = "script -qec R /dev/null: sh on a pseudo-terminal"
    owns = "Bash extensions, as sh reads it; newlines of the output"
    cannot_carry = "NUL; more than 131,071 bytes"
    witness = b"echo a"
    plain = b"echo plain > out.txt"
    faithful = False
    starts_shell = True
    shell = "sh"
    sees_arrival = False
    arrival_note = "another shell reads the text, and a terminal its output"
    programs = ("script",)

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        return refusal or Launch(b"/usr/bin/script", (b"script", b"-qec", text, b"/dev/null"), text, shell="sh")

    def armor(self, program: bytes) -> bytes:
        return b"stty -opost; exec bash -c " + single(program) + b" < /dev/null 2> /dev/null"

    def disclosure(self) -> str:
        return "R is run by `sh -c` on a pseudo-terminal that `script` makes; its output gets carriage returns."


class ExecString(Boundary):
    """One string where an argument list belongs: `docker exec c "R"`, `kubectl exec pod -- "R"`, `Command::new(R)`.
    It is taken as the name of a program, blanks and all, so that whatever has an argument or shell syntax is not
    found. It can't carry a NUL, nor more than one argument of execve holds. Source: execve(2), execvp(3);
    started here by nice(1), which does what these do."""

    name = "exec-string"
    summary = "R as the name of a program: docker or kubectl exec of one string"
    owns = "everything: blanks and shell syntax are part of the name"
    cannot_carry = "NUL; more than 131,071 bytes"
    witness = b"echo a b"
    plain = b"true"
    faithful = False
    starts_shell = False
    tool = True
    arrival_note = "no shell reads the text"

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        return refusal or Launch(b"/usr/bin/nice", (b"nice", b"-n0", b"--", text), text)

    def disclosure(self) -> str:
        return "R is executed as the name of one program, without arguments and without a shell."


BOUNDARIES: tuple[Boundary, ...] = (EnvSplit(), Xargs(), FindExec(), ScriptCommand(), ExecString())
