"""A case: one breaker with what is expected of it, as breaker files keep it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from qfuzz.model.task import Fixture, Task
from qfuzz.model.text import one_line
from qfuzz.model.verdict import Channel

CASE_SCHEMA = 1
"""Version of the format of a line; another one is refused."""

SUFFIX = ".breakers.jsonl"
"""How the name of a breaker file ends: what the pytest plugin collects."""

DIGEST_DIGITS = 16
"""Hexadecimal digits of a task's key that are kept: enough to notice that a task was edited, short enough to review."""


_MOST_LABEL = 40


class Expect(enum.Enum):
    """`survives`: it does over the transport what it does directly. `broken`: a known breaker that still is one."""

    SURVIVES = "survives"
    BROKEN = "broken"


class Way(enum.Enum):
    """How a transported run failed: the transport's parser rejected the text, it timed out, ended with a status that
    is not 0 (signal n counts as 128+n), or with 0, so that no status tells."""

    REJECTED = "rejected"
    TIMEOUT = "timeout"
    STATUS = "status"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Failure:
    """The key of a failure: one that ends otherwise, or differs on other channels, is another one.

    `channels` are those on which the run differs from direct, in the order status, stdout, tree; none where it was
    rejected.
    """

    way: Way
    channels: tuple[Channel, ...] = ()

    def __str__(self) -> str:
        where = ", ".join(channel.value for channel in self.channels)
        return f"{self.way.value} ({where})" if where else self.way.value


@dataclass(frozen=True, slots=True)
class TaskName:
    """A task of a known set, by id. `digest` is the beginning of its key, DIGEST_DIGITS long."""

    task_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a breaker file.

    It runs in the fixture of `task`, or in `fixture` where `task` is None. `failure` is how it broke when it was
    found; a broken case has one. `causes` are the characters that did it, each once, in bytes; `reason` is for people.
    """

    transport: str
    expect: Expect
    program: bytes
    failure: Failure | None = None
    causes: tuple[bytes, ...] = ()
    reason: str = ""
    task: Task | TaskName | None = None
    fixture: Fixture = field(default_factory=Fixture)

    @property
    def label(self) -> str:
        """What the case is called without its transport: the id of its task, else the beginning of its program."""
        if self.task is not None:
            return self.task.task_id
        text = self.program.decode("utf-8", "backslashreplace")
        return one_line(text if len(text) <= _MOST_LABEL else f"{text[:_MOST_LABEL]}...")
