"""From the name of a function or program to what asks it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from qfuzz.escape.worker import EscapeWorker
from qfuzz.model.errors import UsageError


def escaper(option: str, target: str, timeout_seconds: float) -> Callable[[], EscapeWorker]:
    """Makes an asker of the target; its kind is named as the option of the command line that gives it.

    `timeout_seconds` is for one word.
    """
    if option == "--escape":
        return partial(EscapeWorker, target, timeout_seconds)
    raise UsageError(f"no kind of escaping function is called {option}")
