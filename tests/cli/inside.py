"""Calls the command line in this process, from its first line to its exit, without a new interpreter."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from qfuzz.cli.main import main
from tests.cli.command import Said

NOBODY = 65534


class Inside:
    """Calls in the directory of the test, where starting a jail is an error."""

    def __init__(self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capfd = capfd
        self._monkeypatch = monkeypatch

    def call(self, *arguments: str | Path) -> Said:
        self._monkeypatch.setattr("sys.argv", ["qfuzz", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = self._capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Said(ended.value.code, out, err)

    def refuses(self, *arguments: str | Path) -> str:
        """The one line that a call with bad input prints; fails if it does anything else."""
        before = sorted(os.listdir())
        said = self.call(*arguments)
        assert said.status == 2, said
        assert said.out == ""
        assert said.err.startswith("qfuzz: "), said.err
        assert said.err.endswith("\n")
        (line,) = said.err.removesuffix("\n").split("\n")
        assert line.isprintable()
        assert sorted(os.listdir()) == before, "it left something behind"
        return line.removeprefix("qfuzz: ")


def forbid_jails(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_jail(*_: object, **__: object) -> None:
        raise AssertionError("a jail was started though the input is bad")

    monkeypatch.setattr("qfuzz.cli.diff.open_pool", no_jail)
    monkeypatch.setattr("qfuzz.cli.regress.open_pool", no_jail)
    monkeypatch.setattr("qfuzz.cli.validate.open_pool", no_jail)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's right to read everything, where the tests run as root."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
