"""SIGTERM ends a command as Ctrl-C does: what is finished is kept, what was started is ended, and it is said."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_AGAIN_SECONDS = 0.02


@contextmanager
def heeding_signals(came: list[signal.Signals]) -> Iterator[None]:
    """SIGINT and SIGTERM raise KeyboardInterrupt, unless they were ignored before; `came` is told which."""

    def stop(number: int, frame: FrameType | None) -> None:
        if _in_collection(frame):
            # What is raised there is printed and forgotten; Hypothesis has such a callback.
            threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), number)).start()
            return
        came.append(signal.Signals(number))
        raise KeyboardInterrupt

    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    heeded = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    for number in heeded:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, usual[number])


def _in_collection(frame: FrameType | None) -> bool:
    """Whether a callback of the garbage collector is being executed."""
    codes = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False
