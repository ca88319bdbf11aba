"""Lines for people or for programs, and counts on stderr: rewritten in place on a terminal, seldom lines elsewhere."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

from qfuzz.model.content import JsonValue

LIVE_SECONDS = 0.5
"""How often the counts are rewritten on a terminal."""

LINE_SECONDS = 30.0
"""How long nothing is said elsewhere before a line with the counts is."""


class Live:
    """`say` writes to stdout, the record or the lines. The counts show that a campaign goes on, also while one finding
    is made small; `what` is counted."""

    def __init__(self, as_json: bool, what: str, line_seconds: float = LINE_SECONDS) -> None:
        self._as_json = as_json
        self._what = what
        self._terminal = sys.stderr.isatty()
        self._pause = LIVE_SECONDS if self._terminal else line_seconds
        self._began = self._shown = time.monotonic()
        self._done = self._found = 0
        self._line = ""
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="qfuzz-live", daemon=True)

    def __enter__(self) -> Self:
        self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._ticker.join()
        self._erase()

    def say(self, record: Mapping[str, JsonValue], lines: Iterable[str], complaint: str = "") -> None:
        """The complaint, if there is one, goes to stderr, for people."""
        with self._lock:
            self._erase()
            if self._as_json:
                # In ASCII: what is fuzzed holds characters that some readers of lines take for the end of one.
                print(json.dumps(record), flush=True)
            else:
                for line in lines:
                    print(line, flush=True)
            if complaint:
                print(f"qfuzz: {complaint}", file=sys.stderr)
            self._shown = time.monotonic()

    def count(self, done: int, found: int) -> None:
        """`done` more are done, and `found` is the number of findings so far."""
        with self._lock:
            self._done += done
            self._found = found

    def _tick(self) -> None:
        while not self._over.wait(min(LIVE_SECONDS, self._pause)):
            with self._lock:
                now = time.monotonic()
                if now - self._shown >= self._pause:
                    self._shown = now
                    self._show(now - self._began)

    def _show(self, seconds: float) -> None:
        self._erase()
        if self._terminal:
            self._line = (
                f"{self._done} {self._what}, {self._done / seconds:.0f}/s, {self._found} found, {seconds:.0f} s"
            )
            print(self._line, end="\r", file=sys.stderr, flush=True)
        else:
            said = f"qfuzz: after {seconds:.0f} s: {self._done} {self._what}, {self._found} found"
            print(said, file=sys.stderr, flush=True)

    def _erase(self) -> None:
        if self._line:
            print(" " * len(self._line), end="\r", file=sys.stderr, flush=True)
            self._line = ""
