"""A reader that goes away is the caller's to notice, and so is a signal."""

from __future__ import annotations

import gc
import os
import signal
import time

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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_runs_also_where_an_error_would_be_forgotten(number: signal.Signals) -> None:
    sent: list[str] = []

    def callback(phase: str, _info: object) -> None:
        if not sent:
            sent.append(phase)
            os.kill(os.getpid(), number)

    def works() -> None:
        gc.collect()
        time.sleep(20)

    came: list[signal.Signals] = []
    before = signal.getsignal(number)
    gc.callbacks.append(callback)
    try:
        with pytest.raises(KeyboardInterrupt), heeding_signals(came):
            works()
    finally:
        gc.callbacks.remove(callback)
    assert (sent, came) == (["start"], [number])
    assert signal.getsignal(number) is before
