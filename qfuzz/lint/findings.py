"""What lint says of one reply over one transport."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from qfuzz.bash.hazards import hazards_of
from qfuzz.bash.scan import Scan
from qfuzz.model.content import JsonValue
from qfuzz.model.forms import MarkedChar
from qfuzz.model.reply import Reply


class Level(enum.Enum):
    """How sure it is that a finding matters; the values are those of SARIF."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Mark:
    """Bytes of a program from `start` to `end`, and the rule by which they don't mean themselves.

    `rule_id` is the boundary and a name, as in `nested/dollar`; it names the rule for machines, `rule` says it.
    """

    start: int
    end: int
    rule_id: str
    rule: str
    level: Level = Level.WARNING
    hazards: tuple[str, ...] = ()
    """Empty: those that the marked text itself has."""


Reader = Callable[[bytes, Scan], Iterable[Mark]]
"""One layer's own view of a program that has come to it whole."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A mark with its place. `char.char` is what is marked: one character, or a construct; `end` is past its bytes."""

    char: MarkedChar
    end: int
    rule_id: str
    level: Level
    hazards: tuple[str, ...]


def placed(program: bytes, scan: Scan, marks: Iterable[Mark]) -> tuple[Finding, ...]:
    """The marks in the order of the program, each with line, column and quoting context."""
    return tuple(_placed(program, scan, sorted(marks, key=lambda mark: (mark.start, mark.end, mark.rule_id))))


def _placed(program: bytes, scan: Scan, marks: list[Mark]) -> Iterator[Finding]:
    done, line, column = 0, 1, 1
    for mark in marks:
        between = program[done : mark.start].decode("utf-8", "surrogateescape")
        breaks = between.count("\n")
        line += breaks
        column = len(between) - between.rfind("\n") if breaks else column + len(between)
        done = mark.start
        marked = program[mark.start : mark.end]
        text = marked.decode("utf-8", "surrogateescape")
        context = scan.describe(mark.start) if mark.start < len(program) else "end"
        char = MarkedChar(mark.start, line, column, text, context, mark.rule)
        yield Finding(char, mark.end, mark.rule_id, mark.level, mark.hazards or hazards_of((marked,)))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a reply was read. `line` is that of its record in the file, None for a file that is the reply itself."""

    file: str
    line: int | None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Linted:
    """One reply over one transport. No finding: the reply is predicted to arrive whole."""

    source: Source
    reply: Reply
    transport: str
    findings: tuple[Finding, ...]


def linted_record(one: Linted) -> dict[str, JsonValue]:
    """The same for machines: one JSON object a reply and transport."""
    return {
        "source": str(one.source),
        "task_id": one.reply.task_id,
        "model": one.reply.model,
        "contract": one.reply.contract,
        "trial": one.reply.trial,
        "transport": one.transport,
        "flagged": bool(one.findings),
        "findings": [_finding_record(finding) for finding in one.findings],
    }


def _finding_record(finding: Finding) -> dict[str, JsonValue]:
    char = finding.char
    return {
        "offset": char.offset,
        "end": finding.end,
        "line": char.line,
        "column": char.column,
        # Bytes that are no UTF-8 have no JSON form of their own; offset and end say which they are.
        "char": char.char.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"),
        "context": char.context,
        "rule": char.rule,
        "rule_id": finding.rule_id,
        "level": finding.level.value,
        "hazards": list(finding.hazards),
    }
