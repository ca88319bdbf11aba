#!/usr/bin/python3 -IS
"""Sends standard input as keys to an interactive bash in a tmux pane, and ends as that shell ends.

    tmux_typist MODE FOLDER    MODE: keys or literal (see qfuzz/transports/tmux.py); FOLDER: for socket and status

The pane's shell has this program's standard output as its own, so that what commands print is apart from what the
pane shows. That the shell waits for a line is read off its terminal: it is in the foreground, the line discipline is
off, and nothing that was sent is left to read.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import termios
import time

LOST = 129
"""The status of a shell whose terminal has gone: SIGHUP."""
QUIET_SECONDS = 0.3
LOOKS = 3
"""How many looks in a row must find the shell waiting."""


class Pane:
    """A tmux server of its own with one pane."""

    def __init__(self, folder: str) -> None:
        self._tmux = ["tmux", "-S", f"{folder}/tmux", "-f", "/dev/null"]
        self._status = f"{folder}/status"
        start_up = f"{folder}/typist.rc"
        with open(start_up, "wb"):
            pass
        shell = f"bash --rcfile {start_up} -i > /proc/{os.getpid()}/fd/1; echo $? > {self._status}"
        # As in a login, where tmux has no terminal of its own to learn the size from.
        size = ["-x", "200", "-y", "50"]
        wanted = ["new-session", "-d", *size, "-c", os.getcwd(), "-P", "-F", "#{pane_pid} #{pane_tty}", shell]
        started = subprocess.run([*self._tmux, *wanted], capture_output=True, check=True)
        pane, _, terminal = started.stdout.strip().partition(b" ")
        self._pane = int(pane)
        self._terminal = os.open(terminal, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)

    def send(self, *keys: bytes) -> bool:
        """Whether tmux took the keys."""
        sent = subprocess.run([*self._tmux, "send-keys", *keys], stderr=subprocess.PIPE)
        os.write(2, sent.stderr)
        return sent.returncode == 0

    def screen(self) -> bytes:
        return subprocess.run([*self._tmux, "capture-pane", "-p", "-S", "-"], stdout=subprocess.PIPE).stdout.rstrip()

    def wait_for_prompt(self) -> None:
        """Until the shell waits, has ended, or a command seems to read what is sent."""
        seen, quiet = 0, time.monotonic()
        while seen < LOOKS and self.status() is None and self._is_there():
            time.sleep(0.005)
            group, state = self._foreground()
            if self._waits(group):
                seen += 1
                continue
            seen = 0
            if state != b"S" or self._left_to_read():
                quiet = time.monotonic()
            elif time.monotonic() - quiet > QUIET_SECONDS:
                return

    def status(self) -> int | None:
        """The shell's exit status, or None while it runs or where it was lost with its terminal."""
        try:
            with open(self._status, "rb") as file:
                return int(file.read())
        except (OSError, ValueError):
            return None

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
    literal = [b"-l"] if mode == "literal" else []
    if text and not pane.send(*literal, b"--", text):
        return 1
    pane.send(b"Enter")
    pane.wait_for_prompt()
    screen = pane.screen()
    while pane.status() is None and not pane.is_lost():
        pane.send(b"C-d")
        pane.wait_for_prompt()
    os.write(2, screen)
    status = pane.status()
    return LOST if status is None else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
