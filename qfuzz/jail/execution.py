"""One thing to run."""

from __future__ import annotations

from dataclasses import dataclass

from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture


@dataclass(frozen=True, slots=True)
class Execution:
    """A launch in a fixture, for at most `timeout_seconds`.

    `check_syntax`: when the run ends with a status other than 0, the arrived text goes through the last shell's -n.
    `arrived` is the text that reaches the last shell, where the caller knows it. `tap`: where it does not, stand-ins
    for the shells record it; `layers` is how many shells start one another before the text runs (1: one inner shell).
    """

    launch: Launch
    fixture: Fixture
    timeout_seconds: float
    check_syntax: bool = False
    arrived: bytes | None = None
    tap: bool = False
    layers: int = 0

    def __post_init__(self) -> None:
        assert self.timeout_seconds > 0, f"timeout of {self.timeout_seconds} s"
        assert self.launch.argv, "no argv[0]"
        assert self.launch.executable.startswith(b"/"), f"not an absolute path: {self.launch.executable!r}"
