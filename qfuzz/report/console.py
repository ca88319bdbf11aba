"""rich's console, but for readers that go away."""

from __future__ import annotations

from rich.console import Console as RichConsole


class Console(RichConsole):
    """Leaves a closed pipe to the caller: rich would end the program with status 1, which means here that something
    broke."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
