"""Lines for people or for programs, and counts that are rewritten in place on a terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping

from qfuzz.model.content import JsonValue

LIVE_SECONDS = 0.5
"""How often the counts are rewritten on a terminal; elsewhere they are not shown."""


class Live:
    """`say` writes to stdout, the record or the lines; `count` rewrites one line on stderr, if that is a terminal."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()
        self._done = 0
        self._line = ""

    def say(self, record: Mapping[str, JsonValue], lines: Iterable[str], complaint: str = "") -> None:
        """The complaint, if there is one, goes to stderr, for people."""
        self._erase()
        if self._as_json:
            # In ASCII: what is fuzzed holds characters that some readers of lines take for the end of one.
            print(json.dumps(record), flush=True)
        else:
            for line in lines:
                print(line, flush=True)
        if complaint:
            print(f"qfuzz: {complaint}", file=sys.stderr)

    def count(self, what: str, done: int, found: int) -> None:
        """`done` more of what is counted are done, and `found` is the number of findings so far."""
        self._done += done
        now = time.monotonic()
        if self._terminal and now - self._shown >= LIVE_SECONDS:
            self._erase()
            self._shown = now
            self._line = f"{self._done} {what}, {self._done / (now - self._began):.0f}/s, {found} found"
            print(self._line, end="\r", file=sys.stderr, flush=True)

    def _erase(self) -> None:
        if self._line:
            print(" " * len(self._line), end="\r", file=sys.stderr, flush=True)
            self._line = ""
