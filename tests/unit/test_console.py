"""A reader that goes away is the caller's to notice."""

from __future__ import annotations

import os

import pytest

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
