"""SIGTERM ends a command as Ctrl-C does: what is finished is kept, what was started is ended, and it is said."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_AGAIN_SECONDS = 0.02


@contextmanager
def heeding_signals(came: list[signal.Signals]) -> Iterator[None]:
    """SIGINT and SIGTERM raise KeyboardInterrupt, unless they were ignored before; `came` is told which."""

    def stop(number: int, _frame: FrameType | None) -> None:
        came.append(signal.Signals(number))
        raise KeyboardInterrupt

    def forgotten(what: sys.UnraisableHookArgs) -> None:
        if not came or not isinstance(what.exc_value, KeyboardInterrupt):
            usual_hook(what)
            return
        # It was raised in a callback of the garbage collector or of a weak reference, which nothing gets out of.
        threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), came.pop())).start()

    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    heeded = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    for number in heeded:
        signal.signal(number, stop)
    usual_hook, sys.unraisablehook = sys.unraisablehook, forgotten
    try:
        yield
    finally:
        sys.unraisablehook = usual_hook
        for number in heeded:
            signal.signal(number, usual[number])
