"""Starting `qfuzz diff`, ending it at a moment of choice, and seeing what it leaves behind."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

PATIENCE_SECONDS = 60.0
SHARES = ("raw-0", "disclosed-nested-0")
_SHOWS_TIME = re.compile(r"[&|]|\$\$|\bdate\b|RANDOM|mktemp")
"""Replies in which several processes write at once, or that show time or process numbers, leave something else in each
run, so no two stores would be equal."""


def write_replies(checkout: Path, path: Path) -> None:
    """Every second of the shipped replies of two contracts that leave the same in every run."""
    lines = [
        line
        for name in SHARES
        for line in (checkout / "corpus" / "replies" / f"{name}.jsonl").read_text().splitlines(keepends=True)
    ]
    kept = [line for line in lines if not _SHOWS_TIME.search(json.loads(line)["reply"])]
    path.write_text("".join(kept[::2]))


class Diff:
    """A `qfuzz diff` that is under way."""

    def __init__(self, replies: Path, db: Path, *further: str) -> None:
        self._db = db
        transports = ("--transport", "nested", "--transport", "json-naive", "--transport", "quoted", *further)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "qfuzz", "diff", str(replies), "--db", str(db), "--jobs", "2", *transports],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kept(self) -> int:
        """Observations in the store by now; 0 while there is no store."""
        try:
            connection = sqlite3.connect(f"file:{self._db}?mode=ro", uri=True)
        except sqlite3.OperationalError:
            return 0
        try:
            (number,) = connection.execute("select count(*) from observations").fetchone()
            return int(number)
        except sqlite3.OperationalError:
            return 0
        finally:
            connection.close()

    def wait_for_store(self) -> None:
        """Waits until the run has opened its store."""
        until = time.monotonic() + PATIENCE_SECONDS
        while self._process.poll() is None and not self._has_opened_store() and time.monotonic() < until:
            time.sleep(0.002)

    def _has_opened_store(self) -> bool:
        try:
            opened = list(Path(f"/proc/{self._process.pid}/fd").iterdir())
            return any(os.readlink(each) == str(self._db) for each in opened)
        except OSError:
            return False

    def wait_for(self, observations: int, further_seconds: float) -> int:
        """Waits until the store has so many observations, or the run has ended; answers with their number."""
        until = time.monotonic() + PATIENCE_SECONDS
        while self._process.poll() is None and self.kept() < observations and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(further_seconds)
        return self.kept()

    def end(self, how: signal.Signals) -> tuple[int, str]:
        """Sends the signal to this one process; answers with its exit status and what it said on standard error."""
        started = self._descendants()
        self._process.send_signal(how)
        _, said = self._process.communicate(timeout=PATIENCE_SECONDS)
        left = _still_there(started)
        assert not left, f"processes left behind: {left}"
        return self._process.returncode, said

    def finish(self) -> tuple[int, str]:
        _, said = self._process.communicate(timeout=PATIENCE_SECONDS)
        return self._process.returncode, said

    def _descendants(self) -> dict[int, str]:
        """Process number to start time: together they name one process."""
        children: dict[int, list[int]] = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            fields = _stat(int(name))
            if fields:
                children.setdefault(int(fields[1]), []).append(int(name))
        found: dict[int, str] = {}
        waiting = [self._process.pid]
        while waiting:
            for pid in children.get(waiting.pop(), []):
                fields = _stat(pid)
                if fields:
                    found[pid] = fields[19]
                    waiting.append(pid)
        return found


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name: state, parent, ..."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _still_there(processes: dict[int, str]) -> list[int]:
    """Those that live on, after a while for the kernel to end them."""
    until = time.monotonic() + 10
    while True:
        left = [pid for pid, start in processes.items() if (fields := _stat(pid)) and fields[19] == start]
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.01)
