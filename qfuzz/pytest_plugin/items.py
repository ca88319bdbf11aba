"""A breaker file as a collector, each of its cases as a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qfuzz.model.errors import QfuzzError
from qfuzz.pytest_plugin.lab import lab_of, told
from qfuzz.regress.files import Placed, over, read_cases
from qfuzz.regress.judge import Standing


class BreakerFile(pytest.File):
    """A file of cases. A bad line is an error of collection that names it."""

    def collect(self) -> Iterator[BreakerItem]:
        transport = self.config.getoption("--qfuzz-transport")
        try:
            cases = read_cases(self.path, name=self.nodeid)
        except QfuzzError as error:
            raise self.CollectError(str(error)) from None
        for placed in cases if transport is None else over(transport, [cases]):
            yield BreakerItem.from_parent(self, name=placed.name, placed=placed)


class NotAsExpected(Exception):
    """A case is not as its file expects. Its text is what a reader is shown."""


class BreakerItem(pytest.Item):
    """One case. It fails with the explain view, without a trace: no line of Python has anything to do with it."""

    def __init__(self, *, placed: Placed, **further: Any) -> None:
        super().__init__(**further)
        self._placed = placed
        self.add_marker(pytest.mark.qfuzz)

    def runtest(self) -> None:
        lab = lab_of(self.config)
        with told():
            replayed = lab.replay(self._placed)
            if replayed.as_expected:
                return
            if replayed.standing is Standing.REFUSED and self.config.getoption("--qfuzz-transport") is not None:
                pytest.skip(replayed.what)
            raise NotAsExpected(lab.lines(replayed))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotAsExpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        line = int(self._placed.where.rpartition(":")[2])
        return Path(self.path), line - 1, self.name
