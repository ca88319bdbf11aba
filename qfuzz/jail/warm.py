"""One warm jail: a process with an agent inside, and the channel to it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import tempfile
import threading
from types import TracebackType

from qfuzz.jail import protocol
from qfuzz.jail.agent import frames
from qfuzz.jail.recipe import Recipe

START_SECONDS = 30.0
GRACE_SECONDS = 20.0
"""How long beyond its own timeout a run may take: killing, reading and wiping the worst trees that the limits allow."""


class JailError(Exception):
    """The jail did not start, died, fell silent or answered nonsense. The text says what was seen."""


class Jail:
    """Starts in the constructor and is ready after `wait_ready`. One run at a time; `close` may interrupt it.

    Must be made in a thread that outlives it: the kernel kills the jail when the thread that started it ends.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.side_files = recipe.side_files
        self._recipe = recipe
        # Held while descriptors are in use: closed by one thread, their numbers would mean something else to another.
        self._in_use = threading.RLock()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the jail)
        self._channel, inside = socket.socketpair()
        handed: dict[str, int] = {}
        try:
            for path, content in recipe.files.items():
                handed[path] = _holding(content)
            self._process = subprocess.Popen(
                recipe.command(handed),
                stdin=inside.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=tuple(handed.values()),
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            self._channel.close()
            self._errors.close()
            recipe.clean()
            raise
        finally:
            inside.close()
            for fd in handed.values():
                os.close(fd)
        self._channel.settimeout(START_SECONDS)

    def wait_ready(self) -> None:
        """Blocks until the agent is confined and serves; raises JailError."""
        with self._in_use:
            self._start()

    def _start(self) -> None:
        self._send(frames.pack([json.dumps(self._recipe.configuration()).encode()]))
        if self._receive() != [b"ready"]:
            raise JailError("the agent said something else than ready")

    def run(self, request: bytes, timeout_seconds: float) -> protocol.Answer:
        """Sends a packed request; raises JailError where no credible answer comes in time."""
        with self._in_use:
            if self._process.returncode is not None:
                raise JailError("the jail is closed")
            self._channel.settimeout(timeout_seconds + GRACE_SECONDS)
            self._send(request)
            try:
                return protocol.read_answer(self._receive())
            except protocol.ProtocolError as error:
                raise JailError(f"the agent's answer makes no sense: {error}") from None

    def _send(self, message: bytes) -> None:
        try:
            self._channel.sendall(message)
        except OSError as error:
            raise JailError(self._account(f"the agent can't be reached ({error})")) from None

    def _receive(self) -> list[bytes]:
        try:
            fields = frames.receive(self._channel)
        except TimeoutError:
            raise JailError("the agent gave no answer in time") from None
        except (OSError, frames.FrameError) as error:
            raise JailError(self._account(f"the agent's answer can't be read ({error})")) from None
        if fields is None:
            raise JailError(self._account("the agent ended"))
        return fields

    def _account(self, what: str) -> str:
        """`what` and the last line that the jail wrote to its standard error."""
        self._end()
        self._errors.seek(0)
        lines = self._errors.read(1 << 16).decode("utf-8", "backslashreplace").strip().splitlines()
        return f"{what}: {lines[-1]}" if lines else what

    def close(self) -> None:
        """Ends the jail and everything in it; a run in flight raises JailError. May be called again."""
        self._end()
        with self._in_use:
            self._channel.close()
            self._errors.close()
            self._recipe.clean()

    def _end(self) -> None:
        # Wakes a thread that waits for an answer.
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Jail:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _holding(content: bytes) -> int:
    fd = os.memfd_create("qfuzz")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
