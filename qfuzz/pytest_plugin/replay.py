"""One program of a test, run directly and over a transport."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from qfuzz.model.case import Case, Expect
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import InputError, UsageError
from qfuzz.model.fields import Fields, parse_json_line
from qfuzz.model.reply import MAX_REPLY_BYTES
from qfuzz.model.task import Fixture, Task
from qfuzz.model.task_codec import fixture_from_json
from qfuzz.model.text import one_line
from qfuzz.pytest_plugin.lab import Lab
from qfuzz.regress.files import Placed, names_of, public_by_id
from qfuzz.regress.judge import Replayed, Standing


@dataclass(frozen=True, slots=True)
class Replay:
    """What was seen. `survived`: over the transport the program did what it does directly.

    `refused`: the transport can't carry it, which is no damage; it did not survive either. `seen` has the rest: the
    first observations `direct` and `transported`, `failure` and `what`.
    """

    survived: bool
    refused: bool
    seen: Replayed
    _lab: Lab = field(repr=False)

    @property
    def text(self) -> str:
        """What `qfuzz explain` shows of it; may run the program many times more."""
        return self._lab.lines(self.seen)


def replayed(
    lab: Lab,
    program: bytes | str,
    transport: str,
    task: Task | str | None,
    fixture: Fixture | Mapping[str, JsonValue] | None,
) -> Replay:
    """`task`: a task, or the id of a public one; `fixture`: as an object, or in the form that tasks have it.

    Raises InputError for a program that can't be judged (it never does the same twice, or does not end directly) and
    for a fixture that is not as the format says; UsageError for arguments of other types, and for a task and a fixture.
    """
    data = _program(program)
    if task is not None and fixture is not None:
        raise UsageError("a task has a fixture of its own; give the one or the other")
    of_task, given = _task(task), _fixture(fixture)
    lab.resolve(transport)
    case = Case(transport, Expect.SURVIVES, data, task=of_task, fixture=given)
    (name,) = names_of([case])
    seen = lab.replay(Placed(case, "a test", name, of_task, given if of_task is None else of_task.fixture))
    if seen.standing is Standing.UNJUDGED:
        raise InputError(seen.what, where=name)
    return Replay(seen.as_expected, seen.standing is Standing.REFUSED, seen, lab)


def _program(program: bytes | str) -> bytes:
    if not isinstance(program, (bytes, str)):
        raise _unexpected("program", "bytes or a str", program)
    try:
        data = program.encode() if isinstance(program, str) else program
    except UnicodeEncodeError as error:
        raise InputError(f"program: no UTF-8 can spell character {error.start}", hint="give it as bytes") from None
    if b"\0" in data:
        raise InputError(f"program: holds a NUL at byte {data.index(0)}, which no shell program can")
    if len(data) > MAX_REPLY_BYTES:
        raise InputError(f"program: has {len(data):,} bytes; the most is {MAX_REPLY_BYTES:,}")
    return data


def _task(task: Task | str | None) -> Task | None:
    if task is None or isinstance(task, Task):
        return task
    if not isinstance(task, str):
        raise _unexpected("task", "a Task or the id of a public one", task)
    known = public_by_id().get(task)
    if known is None:
        raise UsageError(f"task: unknown task {task!r}", hint="`qfuzz tasks` lists the public ones")
    return known


def _fixture(fixture: Fixture | Mapping[str, JsonValue] | None) -> Fixture:
    if fixture is None or isinstance(fixture, Fixture):
        return fixture or Fixture()
    if not isinstance(fixture, Mapping):
        raise _unexpected("fixture", "a Fixture or a dict in the form of the interchange format", fixture)
    try:
        # Through text, as from a file: what JSON can't hold is refused here and not met later.
        fields = parse_json_line(json.dumps({"fixture": dict(fixture)}).encode())
    except (TypeError, ValueError, RecursionError) as error:
        what = one_line(str(error))
        raise InputError(f"fixture: can't be written as JSON ({what})", hint="text as str, bytes as base64") from None
    return fixture_from_json(Fields(fields).object("fixture"))


def _unexpected(argument: str, expected: str, value: object) -> UsageError:
    return UsageError(f"{argument}: expected {expected}, not {type(value).__name__}")
