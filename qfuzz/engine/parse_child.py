"""The parser bashlex at arm's length: in a child process with limits of time and memory, replaced when it is hurt."""

from __future__ import annotations

import contextlib
import json
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType

from qfuzz.bash.parse import NoParse, Part, Span

SECONDS = 1.0
"""Processor time that one parse may take. A reply takes milliseconds, or for ever."""
_WALL_SECONDS = 30.0
"""After this the child is ended in any case: it is stopped, or the machine is."""
COMMAND = (sys.executable, "-m", "qfuzz.bash.parse_tree", str(SECONDS))
MEMORY_BYTES = 256 << 20
"""Address space of the child. It starts with a tenth of this."""
MAX_PROGRAM_BYTES = 8 << 10
"""Longer programs are not parsed: bashlex might use up its time on an honest one, or not, as the machine is fast."""
_READ_BYTES = 64 << 10


class ParseChild:
    """Parses in a child process, started at the first call. May be used from several threads, which take turns.

    `command` is what to start; it speaks the protocol of `qfuzz.bash.parse_tree`. Use it as a context manager.
    """

    def __init__(self, command: Sequence[str] = COMMAND, *, memory_bytes: int = MEMORY_BYTES) -> None:
        self._command = tuple(command)
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._missing = False

    def parse(self, program: bytes) -> tuple[Span, ...] | NoParse:
        """The spans of `program`, or why there are none. Never raises for what a program does to the parser."""
        if len(program) > MAX_PROGRAM_BYTES:
            return NoParse.TIME
        with self._lock:
            if self._missing:
                return NoParse.MISSING
            try:
                found = self._start() or self._ask(program)
            except BaseException:
                # Interrupted with a request in flight: the child's next answer would be the old one.
                self._end()
                raise
            if found in (NoParse.TIME, NoParse.MEMORY):
                self._end()
            self._missing = found is NoParse.MISSING
            return found

    def spans(self, program: bytes) -> tuple[Span, ...] | None:
        """The same without the reason, as the reducer takes it."""
        found = self.parse(program)
        return None if isinstance(found, NoParse) else found

    def _start(self) -> NoParse | None:
        """Start the child if there is none; why it can't answer, or None."""
        if self._child is not None:
            return None
        self._child = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        resource.prlimit(self._child.pid, resource.RLIMIT_AS, (self._memory_bytes, self._memory_bytes))
        return NoParse.MISSING if self._answer(self._child) is NoParse.MISSING else None

    def _ask(self, program: bytes) -> tuple[Span, ...] | NoParse:
        child = self._child
        assert child is not None
        assert child.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(len(program).to_bytes(4, "big") + program)
        return self._answer(child)

    def _answer(self, child: subprocess.Popen[bytes]) -> tuple[Span, ...] | NoParse:
        assert child.stdout is not None
        deadline = time.monotonic() + _WALL_SECONDS
        line = b""
        while not line.endswith(b"\n"):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([child.stdout], [], [], left)[0]:
                return NoParse.TIME
            got = child.stdout.read(_READ_BYTES)
            if not got:
                return NoParse.TIME if child.wait() == -signal.SIGPROF else NoParse.MEMORY
            line += got
        record = json.loads(line)
        if "failure" in record:
            return NoParse(record["failure"])
        return tuple(Span(start, end, Part(part)) for start, end, part in record["spans"])

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def __enter__(self) -> ParseChild:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
