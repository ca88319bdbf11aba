"""What text reached the last shell of a launch: known for free, or seen by a recorder in a run of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture

Tapped = Callable[[Launch, Fixture], bytes | None]

_SUBSTITUTIONS = (b"$(", b"`", b"<(", b">(")


@dataclass(frozen=True, slots=True)
class Recorder:
    """`stopped` starts a launch without its last shell, `handed_on` with it; both answer with what reached that."""

    stopped: Tapped
    handed_on: Tapped

    def text(self, launch: Launch, fixture: Fixture) -> bytes | None:
        """The text, or None where none reached a last shell, or none can be seen. Without an inner shell nothing is
        started."""
        if not launch.inner_shells:
            return launch.program
        if launch.hides_arrival:
            return None
        if launch.own is not None:
            # Whether the path failed shows only where the reply runs.
            return self.handed_on(launch, fixture)
        # Stopping stops the shells of substitutions too, and what those print is a part of the text.
        substitutes = any(mark in launch.program for mark in _SUBSTITUTIONS)
        return (self.handed_on if substitutes else self.stopped)(launch, fixture)

    def into(self, observation: Observation, launch: Launch, fixture: Fixture) -> Observation:
        """The observation with what arrived; as it was where the harness failed, so that it is asked again."""
        try:
            return replace(observation, arrived=self.text(launch, fixture), tapped=True)
        except HarnessError:
            return observation
