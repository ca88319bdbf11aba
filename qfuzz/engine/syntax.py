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
    another program than a shell lost it, or it is not known what stands on the way, nothing is known.
    """
    if launch.own is not None:
        text = arrived_text(launch)
        return replace(observation, parses=None if text is None else parses(launch.shell, text), arrived=text)
    arrived: bytes | None = launch.program
    if launch.inner_shells:
        if launch.first_shell is not None and not parses(launch.first_shell, launch.program):
            return replace(observation, parses=False)
        arrived = arrived_text(launch)
        if arrived is None and launch.first_shell is None:
            return observation
    return replace(observation, parses=arrived is None or parses(launch.shell, arrived), arrived=arrived)
