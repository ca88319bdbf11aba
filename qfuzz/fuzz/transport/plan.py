"""What a campaign against a transport is given: the path, how much of it, and where its breakers are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.forms import FormMaker
from qfuzz.engine.shrinking import RecallForms
from qfuzz.model.content import JsonValue
from qfuzz.model.userland import GNU
from qfuzz.store.keys import digest_parts
from qfuzz.transports.base import Transport


@dataclass(frozen=True, slots=True)
class Budget:
    """Ends a campaign, whatever comes first. `examples` are programs, `findings` breakers with different causes."""

    examples: int | None = None
    seconds: float | None = None
    findings: int = 50

    def __post_init__(self) -> None:
        assert self.examples is not None or self.seconds is not None, "a campaign without end"


@dataclass(frozen=True, slots=True)
class Path:
    """The transport under test with all that it takes to run programs over it and to find forms of breakers.

    `context` is what all executions share; `make` finds forms, and `recall` answers with those that are known.
    """

    transport: Transport
    machinery: Machinery
    context: Mapping[str, JsonValue]
    make: FormMaker
    recall: RecallForms = lambda _: None


def examples_key(transport: Transport, userland: str = GNU) -> bytes:
    """The key of a transport's breakers in an example database: what one userland mends another one may still break."""
    other = [] if userland == GNU else [userland.encode()]
    return digest_parts([b"fuzz-transport", transport.name.encode(), *other]).encode()
