"""A campaign that says nothing for long says how far it is."""

from __future__ import annotations

import re
import time

import pytest

from qfuzz.cli.live import Live


def test_a_long_silence_is_broken_on_stderr_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with Live(True, "programs", line_seconds=0.05) as live:
        live.count(2, 0)
        live.count(1, 1)
        until = time.monotonic() + 20
        said = ""
        while not said and time.monotonic() < until:
            time.sleep(0.01)
            out, said = capsys.readouterr()
            assert out == ""
    assert re.fullmatch(r"(qfuzz: after 0 s: 3 programs, 1 found\n)+", said)
    capsys.readouterr()
    time.sleep(0.15)
    assert capsys.readouterr() == ("", ""), "it goes on after the end"


def test_who_says_something_in_time_says_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    with Live(True, "words", line_seconds=30) as live:
        live.count(5, 0)
        live.say({"event": "a"}, ["a line"])
        live.say({}, ["b"], "oh")
    assert capsys.readouterr() == ('{"event": "a"}\n{}\n', "qfuzz: oh\n")
