"""Minimal forms to and from JSON: what the store keeps, and what `qfuzz explain --json` shows."""

from __future__ import annotations

from dataclasses import asdict

from qfuzz.model.content import JsonValue, decode_content, encode_content
from qfuzz.model.forms import Cause, Forms, MarkedChar, MinimalReply, PayloadPart, Repair


def forms_to_json(forms: Forms) -> dict[str, JsonValue]:
    return {
        "arrived": _content(forms.arrived),
        "repair": None if forms.repair is None else _repair_to_json(forms.repair),
        "payload": None if forms.payload is None else _payload_to_json(forms.payload),
        "reply": None if forms.reply is None else _reply_to_json(forms.reply),
        "executions": forms.executions,
    }


def forms_from_json(record: JsonValue) -> Forms:
    """The forms of a record that `forms_to_json` made."""
    repair, payload, reply = record["repair"], record["payload"], record["reply"]
    return Forms(
        _bytes(record["arrived"]),
        None if repair is None else _repair_from_json(repair),
        None if payload is None else _payload_from_json(payload),
        None if reply is None else _reply_from_json(reply),
        record["executions"],
    )


def cause_to_json(cause: Cause) -> list[JsonValue]:
    """Objects with `offset`, `line`, `column`, `char`, `context`, `rule`."""
    return [{**asdict(one), "char": encode_content(one.char.encode("utf-8", "surrogateescape"))} for one in cause]


def _cause_from_json(listed: list[JsonValue]) -> Cause:
    return tuple(
        MarkedChar(**{**one, "char": decode_content(one["char"], "char").decode("utf-8", "surrogateescape")})
        for one in listed
    )


def _repair_to_json(repair: Repair) -> dict[str, JsonValue]:
    return {
        "restorable": repair.restorable,
        "finished": repair.finished,
        "repair_set": cause_to_json(repair.repair_set),
        "causes": [cause_to_json(cause) for cause in repair.causes],
        "protected": encode_content(repair.protected),
    }


def _repair_from_json(record: JsonValue) -> Repair:
    return Repair(
        record["restorable"],
        record["finished"],
        _cause_from_json(record["repair_set"]),
        tuple(map(_cause_from_json, record["causes"])),
        decode_content(record["protected"], "protected"),
    )


def _payload_to_json(payload: PayloadPart) -> dict[str, JsonValue]:
    return {
        "status": payload.status,
        "role": payload.role,
        "stack": list(payload.stack),
        "minimal": _content(payload.minimal),
        "program": _content(payload.program),
        "reason": payload.reason,
    }


def _payload_from_json(record: JsonValue) -> PayloadPart:
    return PayloadPart(
        record["status"],
        record["role"],
        tuple(record["stack"]),
        _bytes(record["minimal"]),
        _bytes(record["program"]),
        record["reason"],
    )


def _reply_to_json(reply: MinimalReply) -> dict[str, JsonValue]:
    causes = [cause_to_json(cause) for cause in reply.causes]
    return {"program": encode_content(reply.program), "finished": reply.finished, "causes": causes}


def _reply_from_json(record: JsonValue) -> MinimalReply:
    causes = tuple(map(_cause_from_json, record["causes"]))
    return MinimalReply(decode_content(record["program"], "program"), record["finished"], causes)


def _content(data: bytes | None) -> JsonValue:
    return None if data is None else encode_content(data)


def _bytes(value: JsonValue) -> bytes | None:
    return None if value is None else decode_content(value, "content")
