#!/usr/bin/python3 -IS
"""Sends standard input as keys to an interactive bash in a tmux pane, and ends as that shell ends.

    tmux_typist MODE FOLDER    MODE: keys or literal (see qfuzz/transports/tmux.py); FOLDER: with socket and pane

The client that starts the server is this process's child, from before it became Python. The pane's shell has this
program's standard output as its own, so that what commands print is apart from what the pane shows. That the shell
waits for a line is read off its terminal: it is in the foreground, the line discipline is off, nothing that was sent
is left to read, and it has prompted anew. Where it asks for more of a command it has not: then it has to wait for a
while.
"""

from __future__ import annotations

import fcntl
import os
import sys
import termios
import time

LOST = 129
"""The status of a shell whose terminal has gone: SIGHUP."""
SEND = b"send-keys"
END_OF_FILE = (SEND, b"C-d")
CAPTURE = (b"capture-pane", b"-p", b"-S", b"-")
LOOK_SECONDS = 0.001
QUIET_SECONDS = 0.3
"""A command that has been silent so long is taken to read the terminal."""
SURE_SECONDS = 0.05
"""A shell that has waited so long, but not prompted, asks for more."""


def run(words: list[bytes]) -> tuple[bool, bytes]:
    """Whether a program ended well, and what it printed. (To load Python's own subprocess takes longer than tmux.)"""
    reader, writer = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_CLOSE, writer), (os.POSIX_SPAWN_CLOSE, reader)]
    child = os.posix_spawnp(words[0], words, os.environ, file_actions=actions)
    os.close(writer)
    printed = b""
    while True:
        chunk = os.read(reader, 1 << 16)
        if not chunk:
            break
        printed += chunk
    os.close(reader)
    return os.waitpid(child, 0)[1] == 0, printed


class Pane:
    """The one pane of the server that was started in a folder."""

    def __init__(self, folder: str) -> None:
        self._tmux = [b"tmux", b"-S", f"{folder}/tmux".encode()]
        self._status = f"{folder}/status"
        self._prompts = f"{folder}/prompts"
        self._seen_prompts = 0
        if os.wait()[1] != 0:
            sys.exit(1)
        with open(f"{folder}/pane", "rb") as file:
            pane, _, terminal = file.read().strip().partition(b" ")
        self._pane = int(pane)
        self._terminal = os.open(terminal, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)

    def do(self, *commands: tuple[bytes, ...]) -> bytes | None:
        """What tmux prints of commands, one after the other; None where it did not take them all."""
        words = [word for command in commands for word in (*command, b";")]
        taken, printed = run([*self._tmux, *words[:-1]])
        return printed if taken else None

    def wait_for_prompt(self) -> None:
        """Until the shell waits, has ended, or a command seems to read what is sent."""
        waiting = quiet = time.monotonic()
        while self.status() is None and self._is_there():
            time.sleep(LOOK_SECONDS)
            now = time.monotonic()
            group, state = self._foreground()
            if self._waits(group):
                if self._has_prompted() or now - waiting > SURE_SECONDS:
                    return
                continue
            waiting = now
            if state != b"S" or self._left_to_read():
                quiet = now
            elif now - quiet > QUIET_SECONDS:
                return

    def _has_prompted(self) -> bool:
        """Whether there was a prompt since this was last true."""
        try:
            prompts = os.stat(self._prompts).st_size
        except OSError:
            return False
        anew, self._seen_prompts = prompts > self._seen_prompts, prompts
        return anew

    def status(self) -> int | None:
        """The shell's exit status, or None while it runs or where it was lost with its terminal."""
        try:
            with open(self._status, "rb") as file:
                status = int(file.read(5))
        except (OSError, ValueError):
            return None
        return status if 0 <= status <= 255 else None

    def is_lost(self) -> bool:
        return not self._is_there() and self.status() is None

    def _is_there(self) -> bool:
        return os.path.exists(f"/proc/{self._pane}")

    def _left_to_read(self) -> int:
        return int.from_bytes(fcntl.ioctl(self._terminal, termios.FIONREAD, bytes(4)), sys.byteorder)

    def _waits(self, group: int) -> bool:
        try:
            with open(f"/proc/{group}/comm", "rb") as file:
                is_shell = file.read() == b"bash\n"
            raw = not termios.tcgetattr(self._terminal)[3] & termios.ICANON
            return is_shell and raw and not self._left_to_read()
        except (OSError, termios.error):
            return False

    def _foreground(self) -> tuple[int, bytes]:
        """The process group in the pane's foreground, and the state of its leader."""
        try:
            with open(f"/proc/{self._pane}/stat", "rb") as file:
                group = int(file.read().rpartition(b") ")[2].split()[5])
            with open(f"/proc/{group}/stat", "rb") as file:
                return group, file.read().rpartition(b") ")[2][:1]
        except (OSError, ValueError):
            return 0, b""


def main(mode: str, folder: str) -> int:
    text = sys.stdin.buffer.read()
    pane = Pane(folder)
    pane.wait_for_prompt()
    if mode == "keys":
        taken = pane.do((SEND, b"--", text, b"Enter"))
    elif not text.endswith(b";"):
        taken = pane.do((SEND, b"-l", b"--", text), (SEND, b"Enter"))
    else:
        # Two commands as people give them: the semicolon ends the first one, and would leave an empty one here.
        taken = pane.do((SEND, b"-l", b"--", text))
        pane.do((SEND, b"Enter"))
    if taken is None and not pane.is_lost():
        return 1
    pane.wait_for_prompt()
    screen = pane.do(CAPTURE, END_OF_FILE) if pane.status() is None and not pane.is_lost() else None
    os.write(2, (screen or b"").rstrip())
    while True:
        pane.wait_for_prompt()
        if pane.status() is not None or pane.is_lost():
            break
        pane.do(END_OF_FILE)
    status = pane.status()
    return LOST if status is None else status


if __name__ == "__main__":
    # An orderly end of the interpreter would take as long as tmux needs for a key.
    os._exit(main(sys.argv[1], sys.argv[2]))
