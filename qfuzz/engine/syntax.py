"""Why a run failed with a status: did a shell refuse to parse what it was given?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation

ArrivedText = Callable[[Launch], bytes | None]
Parses = Callable[[str, bytes], bool]


def with_syntax(launch: Launch, observation: Observation, arrived_text: ArrivedText, parses: Parses) -> Observation:
    """The observation with the text that reached the last shell, and whether that shell can parse it.

    A text that gets lost on the way because an outer shell can't parse what it was given counts as not parsing. Where
    another program than a shell lost it, or it is not known what stands on the way, nothing is known. `arrived_text` is
    asked where the observation does not say.
    """
    knows_shells = launch.own is None and launch.first_shell is not None
    if launch.inner_shells and knows_shells:
        assert launch.first_shell is not None, "it is known"
        if not parses(launch.first_shell, launch.program):
            return replace(observation, parses=False)
    arrived = observation.arrived if observation.tapped else arrived_text(launch)
    if arrived is None and not knows_shells:
        return replace(observation, tapped=True)
    return replace(observation, parses=arrived is None or parses(launch.shell, arrived), arrived=arrived, tapped=True)
