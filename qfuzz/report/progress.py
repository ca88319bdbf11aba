"""How far a run is, on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from qfuzz.report.console import Console

LINE_SECONDS = 10.0
"""At most one plain line in this time, so that a log of a long run stays readable."""


class ProgressDisplay(Protocol):
    """Entered once the total is known; `advance` is called once for each sample."""

    def __enter__(self) -> ProgressDisplay: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def advance(self) -> None: ...


class Bar:
    def __init__(self, total: int, stream: TextIO, doing: str = "replaying") -> None:
        self._doing = doing
        self._progress = Progress(
            TextColumn(doing),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(file=stream),
            transient=True,
        )
        self._total = total
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        self._progress.start()
        self._task = self._progress.add_task(self._doing, total=self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def advance(self) -> None:
        assert self._task is not None, "advance is for a display that was entered"
        self._progress.advance(self._task)


class Lines:
    def __init__(
        self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic, done: str = "replayed"
    ) -> None:
        self._said = done
        self._total = total
        self._stream = stream
        self._clock = clock
        self._done = 0
        self._last = clock()

    def __enter__(self) -> Lines:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def advance(self) -> None:
        self._done += 1
        now = self._clock()
        if now - self._last >= LINE_SECONDS:
            self._last = now
            print(f"{self._said} {self._done} of {self._total}", file=self._stream, flush=True)


def progress_display(
    total: int, stream: TextIO | None = None, *, doing: str = "replaying", done: str = "replayed"
) -> ProgressDisplay:
    """A bar if `stream` (default stderr) is a terminal, else plain lines; `doing` and `done` name what goes on."""
    target = sys.stderr if stream is None else stream
    return Bar(total, target, doing) if target.isatty() else Lines(total, target, done=done)
