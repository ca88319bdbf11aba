#!/usr/bin/python3 -IS
"""Types standard input into an interactive bash on a pseudo-terminal, and ends as that shell ends.

    pty_typist MODE FOLDER    MODE: typed, pasted or plain (see qfuzz/transports/terminal.py); FOLDER: to keep a file

The shell's input and stderr are the terminal; its standard output is this program's, so that what commands print is
apart from what the terminal shows, which goes to stderr. Whether somebody waits for what is typed is read off the
terminal and its processes; that the screen ends in a prompt only spares the time to be sure of it, since a reply may
prompt otherwise, or nowhere.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PASTE = b"\033[200~%s\033[201~"
END_OF_INPUT = b"\004"
PROMPTS = (b"$ ", b"> ")
LOOK_SECONDS = 0.002
SURE_SECONDS = 0.05
"""A shell that has slept so long with nothing left to read waits for a line, whatever the screen shows."""
QUIET_SECONDS = 0.3
"""A command that has been silent so long is taken to read the terminal, and typing goes on."""
SCREEN_BYTES = 1 << 20


class Terminal:
    """A shell on a pseudo-terminal."""

    def __init__(self, mode: str, folder: str) -> None:
        self.alive = True
        self.shown = bytearray()
        self._edits = mode != "plain"
        start_up = f"{folder}/typist.rc"
        with open(start_up, "wb") as file:
            file.write(b"PS1='%s' PS2='%s'\n" % PROMPTS)
        self.master, self._slave = pty.openpty()
        # As wide as a terminal can be: readline would scroll within a line, and write the prompt anew.
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 10_000, 0, 0))
        self.shell = os.fork()
        if self.shell == 0:
            self._be_shell(mode, start_up)
        os.set_blocking(self.master, False)

    def _be_shell(self, mode: str, start_up: str) -> None:
        output = os.dup(1)
        os.set_inheritable(output, False)
        os.login_tty(self._slave)
        os.dup2(output, 1)
        # Python ignores them, and so would all that bash starts.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        # On a dumb terminal readline does without bracketed paste.
        environment = {**os.environ, "TERM": "xterm"} if mode == "pasted" else dict(os.environ)
        editing = [] if self._edits else ["--noediting"]
        os.execve("/bin/bash", ["bash", "--rcfile", start_up, *editing, "-i"], environment)

    def look(self, seconds: float) -> bool:
        """Takes what the terminal shows within `seconds`; whether there was anything."""
        if not select.select([self.master], [], [], seconds)[0]:
            # Another process may hold the terminal open.
            self.alive = os.waitid(os.P_PID, self.shell, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            return False
        try:
            chunk = os.read(self.master, 1 << 16)
        except OSError:
            chunk = b""
        if not chunk:
            self.alive = False
            return False
        self.shown += chunk
        return True

    def type(self, text: bytes) -> None:
        while text and self.alive:
            readable, writable, _ = select.select([self.master], [self.master], [])
            if readable:
                self.look(0)
            if writable and self.alive:
                try:
                    text = text[os.write(self.master, text[:512]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    self.alive = False

    def wait_for_reader(self, typed_at: int | None = None) -> None:
        """Until somebody waits for what is typed, or the shell has ended. `typed_at`: how much was shown when a line
        was typed last."""
        sleeping = quiet = time.monotonic()
        while self.alive:
            if self.look(LOOK_SECONDS):
                sleeping = quiet = time.monotonic()
                continue
            now = time.monotonic()
            group, state = self._foreground()
            if state != b"S" or self._left_to_read():
                sleeping = quiet = now
            elif group == self.shell and self._asks_for_a_line():
                if self._has_prompted(typed_at) or now - sleeping > SURE_SECONDS:
                    return
            elif now - quiet > QUIET_SECONDS:
                return

    def _has_prompted(self, typed_at: int | None) -> bool:
        """Whether the line that was typed, if any, was taken, and the screen ends in a prompt."""
        return (typed_at is None or self.shown.find(b"\n", typed_at) >= 0) and self.shown.endswith(PROMPTS)

    def _foreground(self) -> tuple[int, bytes]:
        """The process group in the foreground, and the state of its leader."""
        try:
            group = os.tcgetpgrp(self.master)
            with open(f"/proc/{group}/stat", "rb") as file:
                return group, file.read().rpartition(b") ")[2][:1]
        except OSError:
            return 0, b""

    def _asks_for_a_line(self) -> bool:
        """Whether the shell edits one, and does not wait or read for a command of its own. That can't be told apart
        without line editing."""
        return not self._edits or not termios.tcgetattr(self._slave)[3] & termios.ICANON

    def _left_to_read(self) -> int:
        return int.from_bytes(fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)), sys.byteorder)


def main(mode: str, folder: str) -> int:
    text = sys.stdin.buffer.read()
    terminal = Terminal(mode, folder)
    terminal.wait_for_reader()
    lines = [PASTE % text] if mode == "pasted" else text.split(b"\n")
    if mode != "pasted" and len(lines) > 1 and not lines[-1]:
        lines.pop()
    for line in lines:
        shown = len(terminal.shown)
        terminal.type(line + b"\r")
        terminal.wait_for_reader(shown)
    while terminal.alive:
        shown = len(terminal.shown)
        terminal.type(END_OF_INPUT)
        terminal.wait_for_reader(shown)
    os.write(2, terminal.shown[:SCREEN_BYTES])
    ended = os.waitstatus_to_exitcode(os.waitpid(terminal.shell, 0)[1])
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
