"""Running somebody's program once: a prompt on its standard input, an answer on its standard output.

The program is the user's own and runs on the host, as the user; what it prints is a reply and is never run here.
"""

from __future__ import annotations

import enum
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

MAX_OUTPUT_BYTES = 8 << 20
"""Of standard output; more is no reply, whatever the format says."""

ERROR_TAIL_BYTES = 2000
"""Of standard error, what is kept."""

_LOOK_SECONDS = 0.1
"""How often a stop is looked for while nothing is heard."""


class End(enum.Enum):
    EXITED = "exited"
    TIMEOUT = "did not end in time"
    TOO_LONG = f"printed more than {MAX_OUTPUT_BYTES} bytes"
    STOPPED = "was stopped"


@dataclass(frozen=True, slots=True)
class Ran:
    """`status` is the exit status, or minus the signal, as subprocess has it; it means something after EXITED only.

    `errors` is the end of standard error; `seconds` is wall-clock time from start to end.
    """

    end: End
    status: int
    stdout: bytes
    errors: bytes
    seconds: float


def run_program(
    command: str, prompt: bytes, environment: Mapping[str, str], timeout_seconds: float, stopped: threading.Event
) -> Ran:
    """Run `command` with /bin/sh, `prompt` on its standard input, `environment` added to ours.

    It gets a session of its own. When it has ended, or did not end in time, or `stopped` is set, all that is left of
    its process group is killed.
    """
    began = time.monotonic()
    # A file and not a pipe: a program that never reads can't make us wait.
    with tempfile.TemporaryFile() as stdin:
        stdin.write(prompt)
        stdin.seek(0)
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    with process:
        try:
            end, stdout, errors = _listen(process, began + timeout_seconds, stopped)
        finally:
            # Before it is waited for: until then its number can't be another group's. What became another user's stays.
            with suppress(PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    return Ran(end, status, stdout, errors, time.monotonic() - began)


def _listen(process: subprocess.Popen[bytes], deadline: float, stopped: threading.Event) -> tuple[End, bytes, bytes]:
    assert process.stdout is not None, "a pipe"
    assert process.stderr is not None, "a pipe"
    stdout, errors = bytearray(), bytearray()
    exit_seen = os.pidfd_open(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(exit_seen, selectors.EVENT_READ)
            selector.register(process.stdout, selectors.EVENT_READ, stdout)
            selector.register(process.stderr, selectors.EVENT_READ, errors)
            exited = False
            while True:
                left = deadline - time.monotonic()
                if stopped.is_set():
                    return End.STOPPED, bytes(stdout), bytes(errors)
                if left <= 0 and not exited:
                    return End.TIMEOUT, bytes(stdout), bytes(errors)
                ready = selector.select(0 if exited else min(left, _LOOK_SECONDS))
                if exited and not ready:
                    # All that it wrote has been read; a process left behind may hold its pipes for ever.
                    return End.EXITED, bytes(stdout), bytes(errors)
                for key, _ in ready:
                    if key.fileobj == exit_seen:
                        exited = True
                        selector.unregister(exit_seen)
                        continue
                    chunk = os.read(key.fd, 1 << 16)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    key.data.extend(chunk)
                if len(stdout) > MAX_OUTPUT_BYTES:
                    return End.TOO_LONG, bytes(stdout), bytes(errors)
                del errors[:-ERROR_TAIL_BYTES]
    finally:
        os.close(exit_seen)
