"""A reply: the Bash program that somebody wrote for a task, used to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from qfuzz.model.content import JsonValue

MAX_REPLY_BYTES = 1 << 20
"""A longer reply is a damaged file, not a program; execve itself stops at 128 KiB for one argument."""

MAX_TRIAL = 1_000_000
"""Trials are counted; a larger number is a time or an id in the wrong key."""

CLEANED = "cleaned"
"""Key of a reply's metadata: the names of the clean-up rules that changed it, a list of strings."""

ORIGINAL = "original"
"""Key of a reply's metadata: what the reply was before it was cleaned, as content."""

NO_PROGRAM = "no_program"
"""Key of a reply's metadata: why somebody who did answer gave no program. The reply is empty then."""


@dataclass(frozen=True, slots=True)
class Reply:
    """`task_id` None: no task is known and the reply is judged by divergence alone.

    `effort` None means that the caller left it unset. `metadata` keeps every further key of the record.
    """

    program: bytes
    task_id: str | None = None
    contract: str = "raw"
    model: str = ""
    trial: int = 0
    effort: str | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}), compare=False)

    @property
    def cleaned(self) -> tuple[str, ...]:
        """The clean-up rules that changed this reply, as its metadata says; another shape is somebody else's key."""
        named = self.metadata.get(CLEANED)
        return tuple(named) if isinstance(named, list) and all(isinstance(name, str) for name in named) else ()

    @property
    def identity(self) -> tuple[str | None, str, str, str | None, int]:
        """What may occur once in a file of replies."""
        return (self.task_id, self.model, self.contract, self.effort, self.trial)
