#!/usr/bin/python3 -IS
"""Types standard input into an interactive bash on a pseudo-terminal, and ends as that shell ends.

    pty_typist MODE FOLDER    MODE: typed, pasted or plain (see qfuzz/transports/terminal.py); FOLDER: to keep a file

The shell's input and stderr are the terminal; its standard output is this program's, so that what commands print is
apart from what the terminal shows, which goes to stderr. Prompts carry a random word, by which it is seen that the
shell waits for a line.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

PASTE = b"\033[200~%s\033[201~"
END_OF_INPUT = b"\004"
QUIET_SECONDS = 0.3
"""A command that has been silent so long is taken to read the terminal, and typing goes on."""
SCREEN_BYTES = 1 << 20


class Terminal:
    """A shell on a pseudo-terminal. `prompts` counts what it has asked so far."""

    def __init__(self, mode: str, folder: str) -> None:
        self._word = b"<" + os.urandom(8).hex().encode()
        self.prompts = 0
        self.alive = True
        self.shown = b""
        self._looked_at = 0
        start_up = f"{folder}/typist.rc"
        with open(start_up, "wb") as file:
            file.write(b"PS1='%s1>' PS2='%s2>'\n" % (self._word, self._word))
        pid, self.master = pty.fork()
        if pid == 0:
            self._be_shell(mode, start_up)
        self.shell = pid
        # As wide as a terminal can be: readline would scroll within a line, and write the prompt anew.
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 10_000, 0, 0))
        os.set_blocking(self.master, False)

    def _be_shell(self, mode: str, start_up: str) -> None:
        os.dup2(3, 1)
        os.close(3)
        # On a dumb terminal readline does without bracketed paste.
        environment = {**os.environ, "TERM": "xterm"} if mode == "pasted" else dict(os.environ)
        editing = ["--noediting"] if mode == "plain" else []
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
        for asked in re.compile(re.escape(self._word) + rb"[12]>").finditer(self.shown, self._looked_at):
            self.prompts += 1
            self._looked_at = asked.end()
        self._looked_at = max(self._looked_at, len(self.shown) - len(self._word) - 1)
        return True

    def screen(self) -> bytes:
        """What was shown, with prompts as bash has them by default for a user without a start-up file."""
        return self.shown.replace(self._word + b"1>", b"$ ").replace(self._word + b"2>", b"> ")[:SCREEN_BYTES]

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

    def wait_for_prompt(self, after: int) -> None:
        """Until the shell asks again, ends, or a command seems to read what is typed."""
        quiet = time.monotonic()
        while self.alive and self.prompts <= after:
            if self.look(0.05):
                quiet = time.monotonic()
            elif self._is_read() and time.monotonic() - quiet > QUIET_SECONDS:
                return

    def _is_read(self) -> bool:
        """Whether a command is in the foreground, and sleeps."""
        try:
            group = os.tcgetpgrp(self.master)
            with open(f"/proc/{group}/stat", "rb") as file:
                state = file.read().rpartition(b") ")[2][:1]
        except OSError:
            return False
        return group != self.shell and state == b"S"


def main(mode: str, folder: str) -> int:
    text = sys.stdin.buffer.read()
    # pty.fork makes the terminal the child's standard output; this descriptor outlives that.
    os.dup2(1, 3)
    os.set_inheritable(3, True)
    terminal = Terminal(mode, folder)
    terminal.wait_for_prompt(0)
    lines = [PASTE % text] if mode == "pasted" else text.split(b"\n")
    if mode != "pasted" and len(lines) > 1 and not lines[-1]:
        lines.pop()
    for line in lines:
        asked = terminal.prompts
        terminal.type(line + b"\r")
        terminal.wait_for_prompt(asked)
    while terminal.alive:
        asked = terminal.prompts
        terminal.type(END_OF_INPUT)
        terminal.wait_for_prompt(asked)
    os.write(2, terminal.screen())
    ended = os.waitstatus_to_exitcode(os.waitpid(terminal.shell, 0)[1])
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
