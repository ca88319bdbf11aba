"""A reader that goes away is the caller's to notice, and so is a signal."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
import weakref
from collections.abc import Callable

import pytest

from qfuzz.cli.stopping import heeding_signals
from qfuzz.report.console import Console


def test_a_closed_pipe_is_no_end_with_status_1() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        with pytest.raises(BrokenPipeError):
            Console(file=stream).print("x")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def in_a_callback_of_the_collector(kill: Callable[[], None]) -> None:
    def callback(_phase: str, _info: object) -> None:
        gc.callbacks.remove(callback)
        kill()

    gc.callbacks.append(callback)
    gc.collect()


def in_a_callback_of_a_reference(kill: Callable[[], None]) -> None:
    class Thing:
        pass

    thing = Thing()
    reference = weakref.ref(thing, lambda _: kill())
    del thing
    assert reference() is None


def in_a_finalizer(kill: Callable[[], None]) -> None:
    class Thing:
        def __del__(self) -> None:
            kill()

    Thing()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "somewhere", [in_a_callback_of_the_collector, in_a_callback_of_a_reference, in_a_finalizer, lambda kill: kill()]
)
def test_a_signal_ends_what_runs_also_where_an_error_would_be_forgotten(
    somewhere: Callable[[Callable[[], None]], None], number: signal.Signals
) -> None:
    def works() -> None:
        somewhere(lambda: os.kill(os.getpid(), number))
        time.sleep(20)

    came: list[signal.Signals] = []
    before, hook = signal.getsignal(number), sys.unraisablehook
    with pytest.raises(KeyboardInterrupt), heeding_signals(came):
        works()
    assert came == [number]
    assert (signal.getsignal(number), sys.unraisablehook) == (before, hook)


def test_other_errors_that_would_be_forgotten_are_told_of_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", lambda what: told.append(what.exc_value))

    class Thing:
        def __del__(self) -> None:
            raise ValueError("x")

    with heeding_signals([]):
        Thing()
    assert [str(error) for error in told] == ["x"]
