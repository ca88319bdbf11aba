"""Bytes in JSON: a string where they are UTF-8, `{"base64": "..."}` where they are not."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from qfuzz.model.errors import InputError

JsonValue = Any
"""What `json.loads` returns. A precise recursive type costs more than it catches here."""


def encode_content(data: bytes) -> str | dict[str, str]:
    """Bytes as a JSON value that `decode_content` turns back into the same bytes."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def decode_content(value: JsonValue, what: str) -> bytes:
    """The bytes of a content value; raises InputError, naming `what`, for any other shape or a lone surrogate."""
    if isinstance(value, str):
        try:
            return value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(f"{what} holds a lone surrogate at character {error.start}, which is no text") from None
    if isinstance(value, dict) and set(value) == {"base64"} and isinstance(value["base64"], str):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (binascii.Error, ValueError):
            raise InputError(f"{what} is not valid base64") from None
    raise InputError(f'{what} must be a string or {{"base64": "..."}}, not {json_type(value)}')


def json_type(value: JsonValue) -> str:
    """The JSON name of a value's type, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def canonical_json(value: JsonValue) -> bytes:
    """The one byte form of a JSON value: UTF-8, no blanks, keys as given (types here fix their order)."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def sha256_hex(data: bytes) -> str:
    """The full SHA-256 of bytes as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()
