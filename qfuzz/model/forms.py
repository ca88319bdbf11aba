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


@dataclass(frozen=True, slots=True)
class Repair:
    """What the boundary must protect. `protected` is the reply with the repair set protected: it was run and restores.

    `restorable` False: protecting all active characters does not bring the direct result back. `finished` False: the
    budget of executions ended the search, so the sets may be larger than they need be.
    """

    restorable: bool
    finished: bool
    repair_set: tuple[MarkedChar, ...]
    causes: tuple[tuple[MarkedChar, ...], ...]
    protected: bytes


def marked(program: bytes, offset: int, context: str, rule: str) -> MarkedChar:
    """The character at a byte offset that starts one."""
    before = program[:offset].decode("utf-8", "surrogateescape")
    after = program[offset : offset + 4].decode("utf-8", "surrogateescape")
    line_start = before.rfind("\n") + 1
    return MarkedChar(offset, before.count("\n") + 1, len(before) - line_start + 1, after[:1], context, rule)
