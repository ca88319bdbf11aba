"""The reply interchange format: one JSON object a line, and the records of the public QuoteBench."""

from __future__ import annotations

import sys
from pathlib import Path

from qfuzz.model.content import JsonValue, canonical_json, decode_content, encode_content, json_type
from qfuzz.model.errors import InputError
from qfuzz.model.fields import Fields, parse_json_line
from qfuzz.model.reply import MAX_REPLY_BYTES, MAX_TRIAL, Reply

QUOTEBENCH_CONTRACTS = {
    "wrapped": "disclosed:nested",
    "nested-shell": "disclosed:nested",
    "nested-shell-v2": "disclosed:nested",
}
"""Contract names of QuoteBench's records, and what they are called here."""

_OWN_KEYS = ("task_id", "reply", "contract", "model", "trial", "effort")


def encode_reply(reply: Reply) -> bytes:
    """One line of JSON with its final newline."""
    record: dict[str, JsonValue] = {}
    if reply.task_id is not None:
        record["task_id"] = reply.task_id
    record["reply"] = encode_content(reply.program)
    record["contract"] = reply.contract
    record["model"] = reply.model
    record["trial"] = reply.trial
    if reply.effort is not None:
        record["effort"] = reply.effort
    record.update(reply.metadata)
    return canonical_json(record) + b"\n"


def decode_reply(line: bytes, command_field: str | None = None) -> Reply:
    """The reply of one line. `command_field` is the (dotted) key that holds the program, default `reply`.

    A record without `task_id` is a reply without a task. Raises InputError; the caller adds file and line.
    """
    value = parse_json_line(line)
    fields = Fields(value)
    program = _program(fields, command_field)
    if b"\0" in program:
        raise InputError(f"the reply holds a NUL at byte {program.index(0)}, which no shell program can")
    if len(program) > MAX_REPLY_BYTES:
        raise InputError(f"the reply has {len(program)} bytes; the most is {MAX_REPLY_BYTES}")
    task_id = fields.text("task_id") if value.get("task_id") is not None else None
    if task_id == "":
        raise InputError("key 'task_id' is empty")
    contract = fields.text("contract", "raw") or "raw"
    trial = fields.integer("trial", 0)
    if not 0 <= trial <= MAX_TRIAL:
        raise InputError(f"key 'trial' must be 0 to {MAX_TRIAL}, not {trial}")
    return Reply(
        program=program,
        task_id=task_id,
        contract=QUOTEBENCH_CONTRACTS.get(contract, contract),
        model=fields.text("model", "") if value.get("model") is not None else "",
        trial=trial,
        effort=fields.text("effort") if value.get("effort") is not None else None,
        metadata={key: item for key, item in value.items() if key not in _OWN_KEYS},
    )


def _program(fields: Fields, command_field: str | None) -> bytes:
    if command_field is not None:
        return decode_content(_dotted(fields.value, command_field), f"key {command_field!r}")
    if fields.has("reply"):
        return fields.content("reply")
    if fields.has("raw_reply"):
        return fields.content("raw_reply")
    if fields.has("instruction") and fields.has("expect"):
        raise InputError("is a task, not a reply", hint="name task sets with --tasks, beside a file of replies")
    raise InputError("key 'reply' is missing", hint="name the key that holds the command with --command-field")


def _dotted(value: JsonValue, path: str) -> JsonValue:
    # A key that itself contains dots is taken whole before it is split, so every log can be addressed.
    if isinstance(value, dict) and path in value:
        return value[path]
    head, _, rest = path.partition(".")
    if isinstance(value, list) and head.isascii() and head.isdigit() and int(head) < len(value):
        inner: JsonValue = value[int(head)]
    elif isinstance(value, dict) and head in value:
        inner = value[head]
    else:
        raise InputError(f"key {path!r} is missing (looked in {json_type(value)})")
    return _dotted(inner, rest) if rest else inner


def are_replies(text: bytes) -> bool:
    """Whether every line of `text` is a reply record (blank ones aside), and so no program that anybody wrote."""
    lines = [line for line in text.split(b"\n") if line.strip()]
    try:
        for line in lines:
            decode_reply(line)
    except InputError:
        return False
    return bool(lines)


def read_program(file: Path) -> bytes:
    """The bytes of a file that holds one reply and nothing else; `-` is standard input.

    Raises InputError if it can't be read or is too long.
    """
    try:
        # Standard input is not ours to close.
        with open(sys.stdin.fileno(), "rb", closefd=False) if str(file) == "-" else file.open("rb") as stream:
            program = stream.read(MAX_REPLY_BYTES + 1)
    except OSError as error:
        raise InputError(f"can't be read ({error.strerror})", where=str(file)) from None
    if len(program) > MAX_REPLY_BYTES:
        raise InputError(f"is longer than a reply can be ({MAX_REPLY_BYTES} bytes)", where=str(file))
    return program
