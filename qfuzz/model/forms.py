"""The minimal forms of a breaker: what has been shown about its cause, by running."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MarkedChar:
    """One character of a reply. `offset` counts bytes from 0; `line` and `column` count from 1, columns in characters.

    `context` is the quoting context that the author put it in; `rule` is what makes the boundary treat it as its own.
    """

    offset: int
    line: int
    column: int
    char: str
    context: str
    rule: str


Cause = tuple[MarkedChar, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """What the boundary must protect. `protected` is the reply with the repair set protected: it was run and restores.

    `restorable` False: protecting all active characters does not bring the direct result back. `finished` False: the
    budget of executions ended the search, so the sets may be larger than they need be.
    """

    restorable: bool
    finished: bool
    repair_set: Cause
    causes: tuple[Cause, ...]
    protected: bytes


@dataclass(frozen=True, slots=True)
class PayloadPart:
    """The payload's part in the failure. `status` is minimal, not-involved or not-bound, the last with a `reason`.

    `minimal` is the smallest payload that breaks (for not-involved: the plain one that breaks as well), `program` the
    reply with it in the place of the task's own, under the author's `stack` of quoting layers.
    """

    status: str
    role: str | None = None
    stack: tuple[str, ...] = ()
    minimal: bytes | None = None
    program: bytes | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MinimalReply:
    """The smallest reply that was found to diverge in the same way. `causes` are those of this reply.

    `finished` False: the budget ended first, and the reply is the smallest so far.
    """

    program: bytes
    finished: bool
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Forms:
    """All that was found out about one breaker; a part is None where it was not asked or has no answer.

    `arrived` is the text that reached the last shell, None where none did. `repair` None: the transport protects no
    single characters. `executions` is what it all cost.
    """

    arrived: bytes | None
    repair: Repair | None
    payload: PayloadPart | None
    reply: MinimalReply | None
    executions: int


def marked(program: bytes, offset: int, context: str, rule: str) -> MarkedChar:
    """The character at a byte offset that starts one."""
    before = program[:offset].decode("utf-8", "surrogateescape")
    after = program[offset : offset + 4].decode("utf-8", "surrogateescape")
    line_start = before.rfind("\n") + 1
    return MarkedChar(offset, before.count("\n") + 1, len(before) - line_start + 1, after[:1], context, rule)
