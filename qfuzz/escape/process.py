"""A child process that answers requests over pipes, watched: bytes to it and from it, a deadline for its silence."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence

_CHUNK = 1 << 16
_STDERR_SHOWN = 300


class SilentError(Exception):
    """Nothing came for as long as was waited."""


class FloodError(Exception):
    """More came than any answer is long."""


class GoneError(Exception):
    """The process ended, or closed its output. The text says how it ended."""


class Process:
    """Starts `command` in a session of its own; raises OSError where it can't be.

    Requests and answers are pipes: its standard input and output, or, with `hand`, two more descriptors that `hand`
    puts on the command line. Closing it, or the end of this process, kills it and what it left in its session.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        descriptors: Sequence[int] = (),
        hand: bool = False,
    ) -> None:
        requests_out, self._requests = os.pipe()
        self._answers, answers_in = os.pipe()
        lifeline_out, self._lifeline = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        handed = (requests_out, answers_in, lifeline_out, *descriptors) if hand else ()
        try:
            self._process = subprocess.Popen(
                [*command, *map(str, handed)],
                stdin=subprocess.DEVNULL if hand else requests_out,
                stdout=subprocess.DEVNULL if hand else answers_in,
                stderr=self._errors,
                pass_fds=handed,
                cwd=cwd,
                env=None if env is None else dict(env),
                start_new_session=True,
            )
        except BaseException:
            for fd in (self._requests, self._answers, self._lifeline):
                os.close(fd)
            self._errors.close()
            raise
        finally:
            for fd in (requests_out, answers_in, lifeline_out):
                os.close(fd)
        os.set_blocking(self._requests, False)
        os.set_blocking(self._answers, False)
        self._open = True
        self._buffer = bytearray()

    def exchange(
        self,
        request: bytes,
        complete: Callable[[bytearray], int],
        silence_seconds: float,
        most_bytes: int,
        moved: Callable[[], object] = lambda: None,
    ) -> bytes:
        """Sends a request and reads until `complete` names the length (more than 0) of a whole answer.

        Raises SilentError after `silence_seconds` in which nothing was sent, nothing came, and what `moved` returns
        stayed equal; GoneError where the process ended; FloodError where more than `most_bytes` came and were no whole
        answer. All leave it fit for nothing but `close`.
        """
        unsent = memoryview(request)
        last, still_since = moved(), time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            if unsent:
                selector.register(self._requests, selectors.EVENT_WRITE)
            while not (length := complete(self._buffer)):
                left = still_since + silence_seconds - time.monotonic()
                ready = selector.select(max(0.0, min(left, silence_seconds / 4)))
                for key, _ in ready:
                    if key.fd == self._requests:
                        unsent = self._send(unsent)
                        if not unsent:
                            selector.unregister(self._requests)
                    else:
                        self._receive()
                if len(self._buffer) > most_bytes:
                    raise FloodError
                now = moved()
                if ready or now != last:
                    last, still_since = now, time.monotonic()
                elif left <= 0:
                    raise SilentError
        answer = bytes(self._buffer[:length])
        del self._buffer[:length]
        return answer

    def unasked(self) -> bytes:
        """What came beyond the last answer, so far."""
        with contextlib.suppress(GoneError):
            self._receive()
        return bytes(self._buffer)

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._requests, unsent[:_CHUNK]) :]
        except BlockingIOError:
            return unsent
        except BrokenPipeError:
            raise GoneError(self._ended()) from None

    def _receive(self) -> None:
        try:
            data = os.read(self._answers, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            raise GoneError(self._ended())
        self._buffer += data

    def _ended(self) -> str:
        try:
            status = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return "closed its output"
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        said = self.said()
        return f"{how}, saying: {said}" if said else how

    def said(self) -> str:
        """The last line that it wrote to standard error, or an empty text."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 4 * _STDERR_SHOWN))
        lines = self._errors.read().decode("utf-8", "backslashreplace").split("\n")
        return next((line.strip()[:_STDERR_SHOWN] for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """Kills it with all of its session. May be called again."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for fd in (self._requests, self._answers, self._lifeline):
            os.close(fd)
        self._errors.close()
