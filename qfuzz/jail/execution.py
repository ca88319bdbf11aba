"""One thing to run."""

from __future__ import annotations

from dataclasses import dataclass

from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture


@dataclass(frozen=True, slots=True)
class Execution:
    """A launch in a fixture, for at most `timeout_seconds`.

    `tap`: stand-ins for the shells record the text that reaches the last of the launch's inner shells, for the
    observation's `arrived`. They disturb a little (`$SHLVL`, time), so that a tapped run is only good for that.
    """

    launch: Launch
    fixture: Fixture
    timeout_seconds: float
    tap: bool = False

    def __post_init__(self) -> None:
        assert self.timeout_seconds > 0, f"timeout of {self.timeout_seconds} s"
        assert self.launch.argv, "no argv[0]"
        assert self.launch.executable.startswith(b"/"), f"not an absolute path: {self.launch.executable!r}"
