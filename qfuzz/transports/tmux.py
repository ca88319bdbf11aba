"""tmux: the reply is sent as keys to an interactive bash in a pane, as agents and orchestrators do it.

A tmux server is started for the reply alone and ends with it; the typist (qfuzz/transports/inside/tmux_typist.py)
takes as long to start, and starts beside it. It sends the whole text at once, then Enter, and types end-of-file when
the shell waits. As with other terminals, standard output goes around the pane and is compared, the exit status is the
shell's own, and what only the pane shows is not compared. Source: tmux(1), send-keys.
"""

from __future__ import annotations

from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.model.recorder import TAP
from qfuzz.transports.afresh import SHELL, TERM
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_long, refuse_nul
from qfuzz.transports.terminal import Terminal, in_one_line, typist

_MOST = 16_000
"""Below what one message to a tmux server may be: MAX_IMSGSIZE, 16 KiB, in tmux's compat/imsg.h."""

_FOLDER = "/run/qfuzz/in/tmux"

# A pane's command goes through a shell, which only waits for bash here, so it may as well be the quickest.
_CONFIG = "set -g default-shell /bin/sh\n"

_BASH_START = f"PROMPT_COMMAND='printf . >> {TAP}/prompts'\nPS1='$ '\n"

# The size is that of a login, where tmux has no terminal of its own to learn it from.
_START = f"""\
#!/bin/sh
tmux -S {TAP}/tmux -f {_FOLDER}/config new-session -d -x 200 -y 50 -P -F '#{{pane_pid}} #{{pane_tty}}' "
    SHELL=/bin/bash bash --rcfile {_FOLDER}/rc -i > /proc/$$/fd/1
    echo \\$? > {TAP}/status
" > {TAP}/pane &
exec /run/qfuzz/in/tmux_typist "$1" {TAP}
"""
"""Starts the server, then becomes the typist."""

_UNSET = b"unset TMUX TMUX_PANE TERM_PROGRAM TERM_PROGRAM_VERSION"

_FILES = tuple(
    SideFile(f"{_FOLDER}/{name}".encode(), text.encode(), mode)
    for name, text, mode in (("start", _START, 0o555), ("config", _CONFIG, 0o444), ("rc", _BASH_START, 0o444))
)


class _Tmux(Terminal):
    """What both ways to send keys share."""

    cannot_carry = "NUL; more than 16,000 bytes"
    programs = ("python3", "tmux")
    program = "tmux_typist"

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text) or refuse_long(self.name, text, _MOST, "a message to tmux")
        start = _FILES[0].path
        files = (*_FILES, typist(self.program))
        return refusal or Launch(start, (start, self.mode.encode()), text, stdin=text, files=files)

    def armor(self, program: bytes) -> bytes | None:
        line = in_one_line(program, _UNSET, TERM, SHELL)
        return line if len(line) <= _MOST else None


class TmuxKeys(_Tmux):
    """`tmux send-keys "R" Enter`, the usual way to give a command to a pane. tmux owns a reply that is the name of a
    key as a whole (`Enter`, `C-c`, `Up`) and a semicolon at the end, which separates tmux's own commands; then all
    that an interactive bash owns: `!`, the tab, control characters, and following lines as input of a command that
    reads. It can't carry a NUL, nor more than a message to the server holds. Source: tmux(1), send-keys, COMMAND
    PARSING."""

    name = "tmux-keys"
    summary = 'tmux send-keys "R" Enter'
    owns = (
        "names of keys, a semicolon at the end; !, ^ where a line begins, tab, control characters, bytes that are not "
        "UTF-8; standard input: following lines"
    )
    witness = b"x=1; echo \"a!x\"; echo 'a\tb'"
    mode = "keys"

    def disclosure(self) -> str:
        return 'R is sent to an interactive bash in a pane by `tmux send-keys "R" Enter`.'


class TmuxLiteral(_Tmux):
    """`tmux send-keys -l "R"`, then Enter: the same without names of keys. A semicolon at the end is still tmux's.
    Source: tmux(1), send-keys -l."""

    name = "tmux-literal"
    summary = 'tmux send-keys -l "R", then Enter'
    owns = (
        "a semicolon at the end; !, ^ where a line begins, tab, control characters, bytes that are not UTF-8; standard "
        "input: following lines"
    )
    witness = TmuxKeys.witness
    mode = "literal"

    def disclosure(self) -> str:
        return 'R is sent to an interactive bash in a pane by `tmux send-keys -l "R"`, and Enter after it.'


BOUNDARIES: tuple[Boundary, ...] = (TmuxKeys(), TmuxLiteral())
