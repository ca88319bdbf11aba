"""One thing to run."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture


class Tap(enum.Enum):
    """Whether the shells of a launch are watched, and what a stand-in does after it has seen the last of them."""

    OFF = "off"
    HAND_ON = "hand-on"
    STOP = "stop"
    """The last shell does not start: of the reply only that runs which an outer shell expands."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A launch in a fixture, for at most `timeout_seconds`.

    With a `tap`, stand-ins for the shells record the text that reaches the last of the launch's inner shells, for the
    observation's `arrived`. They disturb a little (`$SHLVL`, time), so that a tapped run is only good for that. On a
    path of the user's own the shell with the number `shells`, in the order in which they start, is meant; 0 asks for
    the texts of all, joined by NUL.
    """

    launch: Launch
    fixture: Fixture
    timeout_seconds: float
    tap: Tap = Tap.OFF
    shells: int = 0

    def __post_init__(self) -> None:
        assert self.timeout_seconds > 0, f"timeout of {self.timeout_seconds} s"
        assert self.launch.argv, "no argv[0]"
        assert self.launch.executable.startswith(b"/"), f"not an absolute path: {self.launch.executable!r}"
