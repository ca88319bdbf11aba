"""What a family is: one operation, from a payload to a whole task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qfuzz.bash.hazards import hazards_of
from qfuzz.gen.choices import Choices, SeededChoices
from qfuzz.gen.shape import Shape
from qfuzz.model.task import Expectation, Fixture, Task

Payloads = Mapping[str, bytes]
"""Role ("content", "message", ...) to literal text."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a family makes of a payload: a task without its identity.

    `references` maps style names to right programs; the first is the plain default and needs Bash, coreutils, sed, awk
    and git only. `naive` is the careless program, with the payload pasted where it does not survive.
    """

    instruction: str
    fixture: Fixture
    expect: tuple[Expectation, ...]
    may_create: tuple[bytes, ...]
    references: Mapping[str, bytes]
    naive: bytes


@dataclass(frozen=True, slots=True)
class PublicCase:
    """One hand-chosen task. `stem` ends its id and names its files, so it is free of hazards itself."""

    tier: int
    stem: str
    payloads: Payloads


Make = Callable[[Payloads, str, Choices], Parts]


@dataclass(frozen=True, slots=True)
class Family:
    """`make(payloads, stem, choices)` is deterministic and draws all its choices before it looks at a payload, so that
    another payload leaves the incidental names as they are.

    `accepts`: the operation can carry this payload at all. `defeats`: the naive program is certain to fail on it, by an
    argument about the text alone; False promises nothing. `shapes` has, for each role, how its payloads are drawn.
    """

    name: str
    roles: tuple[str, ...]
    make: Make
    accepts: Callable[[Payloads], bool]
    defeats: Callable[[Payloads], bool]
    shapes: Mapping[str, Shape]
    public: tuple[PublicCase, ...]

    def build(self, payloads: Payloads, tier: int, stem: str) -> Task:
        """The task of these payloads. Incidental names follow from the task's id alone: another payload keeps them.

        Raises ValueError for a payload that the family does not accept.
        """
        if set(payloads) != set(self.roles) or not self.accepts(payloads):
            raise ValueError(f"{self.name} can't carry {dict(payloads)!r}")
        payloads = {role: payloads[role] for role in self.roles}
        task_id = f"{self.name}/t{tier}-{stem}"
        parts = self.make(payloads, stem, SeededChoices("names", task_id))
        return Task(
            task_id=task_id,
            family=self.name,
            tier=tier,
            hazards=hazards_of(payloads.values()),
            instruction=parts.instruction,
            payloads=payloads,
            fixture=parts.fixture,
            expect=parts.expect,
            may_create=parts.may_create,
            reference=next(iter(parts.references.values())),
            naive=parts.naive,
            references=dict(parts.references),
        )

    def public_tasks(self) -> tuple[Task, ...]:
        """The public four, tiers 0 to 3."""
        return tuple(self.build(case.payloads, case.tier, case.stem) for case in self.public)
