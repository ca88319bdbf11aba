"""Which exceptions that a transport declares explain the difference of a result."""

from __future__ import annotations

from qfuzz.engine.events import Result
from qfuzz.model.declared import Declared
from qfuzz.oracle.declared import declared_exceptions
from qfuzz.transports.loader import resolve


def declared_of(direct: Result, result: Result) -> tuple[Declared, ...]:
    """None where they do not explain all of it, where there is none, and where nothing ran."""
    if direct is result or direct.observation is None or result.observation is None:
        return ()
    return declared_exceptions(resolve(result.transport).exceptions, direct.observation, result.observation)
