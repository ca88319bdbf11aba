"""A terminal: the reply is typed into an interactive bash, as a person or an agent with a terminal does it.

A typist (qfuzz/transports/inside/pty_typist.py) holds the other end of a pseudo-terminal and types one line after
another, each when the shell asks for one; at the end it types end-of-file until the shell ends. Input and stderr of
the shell are the terminal, its standard output is not: what commands print stays apart from what the terminal shows,
and is compared.
The exit status is the shell's own. What is not compared is what only the terminal sees: prompts, echo, messages.
An interactive shell is another one than `bash -c` in more than its input: it goes on after an error that would end that
one (`${x:?}`), ignores SIGTERM, has job control, and prompts wherever its stderr goes.
Sources: bash(1), READLINE and HISTORY EXPANSION; termios(3), canonical mode.
"""

from __future__ import annotations

import functools
from pathlib import Path

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.model.recorder import TAP
from qfuzz.transports.afresh import TERM, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul

CANONICAL_BYTES = 4095
"""The longest line of a terminal in canonical mode, without its newline: N_TTY_BUF_SIZE in drivers/tty/n_tty.c."""

_AVOID = b"!?"
"""An exclamation mark starts history expansion, also between the quotes of `$'...'`."""


@functools.cache
def typist(name: str) -> SideFile:
    """A program of qfuzz/transports/inside as the jail gets it."""
    content = (Path(__file__).parent / "inside" / f"{name}.py").read_bytes()
    return SideFile(f"/run/qfuzz/in/{name}".encode(), content, 0o555)


def typed(name: str, mode: str, text: bytes) -> Launch:
    """The launch of a typist that types `text`."""
    file = typist(name)
    # Out of the reply's sight, and wiped after the run.
    return Launch(file.path, (file.path, mode.encode(), TAP.encode()), text, stdin=text, files=(file,))


def in_one_line(program: bytes, *undone: bytes) -> bytes:
    """A line without anything that a terminal, readline or history takes for its own; `undone` as in `afresh`."""
    return one_line(afresh(program, *undone), _AVOID) + b" < /dev/null"


class Terminal(Boundary):
    """What all typing shares."""

    cannot_carry = "NUL"
    faithful = False
    starts_shell = True
    tool = True
    sees_arrival = False
    arrival_note = "typed into a terminal: no shell gets the text as a whole"
    programs: tuple[str, ...] = ("python3",)
    needs_jail = True
    mode: str
    program = "pty_typist"

    def embed(self, text: bytes) -> Launch | Refusal:
        return refuse_nul(self.name, text) or typed(self.program, self.mode, text)

    def armor(self, program: bytes) -> bytes | None:
        return in_one_line(program)


class PtyTyped(Terminal):
    """Line by line into an interactive bash with line editing, as pexpect's `sendline` and agents with a terminal do.
    Readline owns the tab (completion), every control character, and bytes that are not UTF-8, which it drops;
    history expansion owns `!`, and `^` where a line begins. A command that reads its input, builtin or not, gets the
    following lines. A control character may end or kill what runs. It can't carry a NUL. Source: bash(1), READLINE,
    HISTORY EXPANSION; pexpect's documentation of `sendline`."""

    name = "pty-typed"
    summary = "typed into an interactive bash, line by line"
    owns = (
        "!, ^ where a line begins, tab, control characters, bytes that are not UTF-8; standard input: following lines; "
        "what follows byte 4,095 of a line that is typed while a command runs"
    )
    witness = b"x=1; echo \"a!x\"; echo 'a\tb'"
    mode = "typed"

    def disclosure(self) -> str:
        return (
            "R is typed, line by line, into an interactive bash on a terminal, with line editing, completion and "
            "history expansion on. End of file is typed after it."
        )


class PtyPasted(Terminal):
    """Pasted into an interactive bash as one bracketed paste, which terminals have done since 2019 (Bash 5.1, readline
    8.1). The tab and most control characters of the text are taken as they are, and lines are read as one. The
    terminal still owns those with which people interrupt, quit, suspend, stop and start what runs, a carriage return
    becomes a newline, history expansion owns `!`, and `^` where a line begins, and the marks of the paste themselves
    can stand in the text. It can't carry a NUL. Source: readline(3), enable-bracketed-paste; xterm's ctlseqs,
    Bracketed Paste Mode."""

    name = "pty-pasted"
    summary = "pasted into an interactive bash, bracketed"
    owns = "!, ^ where a line begins, carriage return, ^C, ^\\, ^Z, ^S, ^Q, the end mark of a paste (ESC [201~)"
    witness = b'x=1; echo "a!x"'
    mode = "pasted"

    def armor(self, program: bytes) -> bytes | None:
        return in_one_line(program, TERM)

    def disclosure(self) -> str:
        return (
            "R is pasted, as one bracketed paste, into an interactive bash on a terminal, with history expansion on. "
            "End of file is typed after it."
        )


class PtyPlain(Terminal):
    """Typed into an interactive bash without line editing, as on a serial line or with `bash --noediting`. The
    terminal's own line discipline owns the control characters, and cuts each line at 4,095 bytes; history expansion
    owns `!`, and `^` where a line begins. It can't carry a NUL. Source: termios(3), canonical mode;
    drivers/tty/n_tty.c of Linux."""

    name = "pty-plain"
    summary = "typed into an interactive bash without line editing"
    owns = (
        "!, ^ where a line begins, control characters, what follows byte 4,095 of a line; standard input: following "
        "lines"
    )
    witness = b"echo " + b"x" * 4200
    mode = "plain"

    def armor(self, program: bytes) -> bytes | None:
        line = in_one_line(program)
        return line if len(line) <= CANONICAL_BYTES else None

    def disclosure(self) -> str:
        return (
            "R is typed, line by line, into an interactive bash on a terminal without line editing: lines are cut at "
            "4,095 bytes, and history expansion is on. End of file is typed after it."
        )


BOUNDARIES: tuple[Boundary, ...] = (PtyTyped(), PtyPasted(), PtyPlain())
