"""The format of breaker files: one case a line, in a stable order, with stable bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from qfuzz.model.case import CASE_SCHEMA, DIGEST_DIGITS, Case, Expect, Failure, TaskName, Way
from qfuzz.model.content import JsonValue, canonical_json, encode_content
from qfuzz.model.errors import InputError
from qfuzz.model.fields import Fields, parse_json_line
from qfuzz.model.reply import MAX_REPLY_BYTES
from qfuzz.model.task import Fixture, Task
from qfuzz.model.task_codec import fixture_from_json, fixture_to_json, task_from_json, task_to_json
from qfuzz.model.verdict import Channel

Chosen = TypeVar("Chosen", Expect, Way)

_KEYS = ("schema", "transport", "expect", "reply", "failure", "causes", "reason", "task", "fixture")


def encode_case(case: Case) -> bytes:
    """One line of JSON with its final newline. Keys without content are left out."""
    record: dict[str, JsonValue] = {
        "schema": CASE_SCHEMA,
        "transport": case.transport,
        "expect": case.expect.value,
        "reply": encode_content(case.program),
    }
    if case.failure is not None:
        channels = [channel.value for channel in case.failure.channels]
        record["failure"] = {"way": case.failure.way.value, "channels": channels}
    if case.causes:
        record["causes"] = [encode_content(cause) for cause in case.causes]
    if case.reason:
        record["reason"] = case.reason
    if isinstance(case.task, TaskName):
        record["task"] = {"task_id": case.task.task_id, "digest": case.task.digest}
    elif case.task is not None:
        record["task"] = task_to_json(case.task)
    elif case.fixture != Fixture():
        record["fixture"] = fixture_to_json(case.fixture)
    return canonical_json(record) + b"\n"


def decode_case(line: bytes) -> Case:
    """The case of one line. Raises InputError, which names the key; the caller adds file and line.

    A key that the format does not have is refused: a misspelled expectation would expect nothing.
    """
    fields = Fields(parse_json_line(line))
    schema = fields.integer("schema")
    if schema != CASE_SCHEMA:
        raise InputError(f"key 'schema' is {schema}; this version reads breakers of schema {CASE_SCHEMA}")
    fields.only(_KEYS)
    case = Case(
        transport=fields.text("transport"),
        expect=_one_of(fields, "expect", Expect),
        program=_program(fields),
        failure=_failure(fields.object("failure")) if fields.has("failure") else None,
        causes=fields.contents("causes", []),
        reason=fields.text("reason", ""),
        task=_task(fields.object("task")) if fields.has("task") else None,
        fixture=fixture_from_json(fields.object("fixture")) if fields.has("fixture") else Fixture(),
    )
    if case.expect is Expect.BROKEN and case.failure is None:
        raise InputError("key 'failure' is missing: a broken case says how it breaks")
    if fields.has("task") and fields.has("fixture"):
        raise InputError("key 'fixture' is not known here: the task has one")
    return case


def ordered(cases: Iterable[Case]) -> list[Case]:
    """The order of a breaker file: by transport, task, then program, the shortest first; equal cases once."""
    first: dict[bytes, Case] = {}
    for case in cases:
        first.setdefault(identity(case), case)
    return sorted(first.values(), key=lambda case: (case.transport, case.label, len(case.program), encode_case(case)))


def identity(case: Case) -> bytes:
    """What makes two cases one: transport, program and where it runs, whatever is expected of it."""
    return encode_case(Case(case.transport, Expect.SURVIVES, case.program, task=case.task, fixture=case.fixture))


def _one_of(fields: Fields, key: str, kind: type[Chosen]) -> Chosen:
    text = fields.text(key)
    known = [each.value for each in kind]
    if text not in known:
        raise InputError(f"{fields.name(key)} must be {' or '.join(known)}, not {text!r}")
    return kind(text)


def _program(fields: Fields) -> bytes:
    program = fields.content("reply")
    if b"\0" in program:
        raise InputError(f"the reply holds a NUL at byte {program.index(0)}, which no shell program can")
    if len(program) > MAX_REPLY_BYTES:
        raise InputError(f"the reply has {len(program)} bytes; the most is {MAX_REPLY_BYTES}")
    return program


def _failure(fields: Fields) -> Failure:
    fields.only(("way", "channels"))
    known = {channel.value: channel for channel in Channel}
    names = fields.items("channels", [])
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise InputError(f"{fields.name('channels')} holds {name!r}; known: {', '.join(known)}")
    return Failure(_one_of(fields, "way", Way), tuple(known[name] for name in known if name in names))


def _task(fields: Fields) -> Task | TaskName:
    """A whole task, or the name of one: only a whole one has a schema."""
    if fields.has("schema"):
        try:
            return task_from_json(fields.value)
        except InputError as error:
            raise InputError(f"key 'task': {error.what}") from None
    fields.only(("task_id", "digest"))
    digest = fields.text("digest")
    if not re.fullmatch(f"[0-9a-f]{{{DIGEST_DIGITS}}}", digest):
        raise InputError(f"{fields.name('digest')} must be {DIGEST_DIGITS} hexadecimal digits, not {digest!r}")
    return TaskName(fields.text("task_id"), digest)
