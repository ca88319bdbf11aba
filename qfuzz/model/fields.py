"""Strict reading of JSON objects: every complaint names the key and what was expected."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

from qfuzz.model.content import JsonValue, canonical_json, decode_content, json_type
from qfuzz.model.errors import InputError

T = TypeVar("T")

MAX_NESTING = 100
"""Depth of objects and lists in a record: whatever reads it again, at whatever depth of its own stack, can do so."""


def parse_json_line(line: bytes) -> dict[str, JsonValue]:
    """One line of JSON Lines as an object.

    Raises InputError for anything that is not one JSON object in UTF-8: a byte order mark, a carriage return at the
    end, a repeated key, NaN, a lone surrogate, a number or a nesting beyond all bounds, binary.
    """
    if line.startswith(b"\xef\xbb\xbf"):
        raise InputError("starts with a byte order mark", hint="save the file as UTF-8 without BOM")
    if line.endswith(b"\r"):
        raise InputError("ends in a carriage return", hint="save the file with LF line ends")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {error.start})") from None
    if text.count("[") + text.count("{") > MAX_NESTING and _nesting(text) > MAX_NESTING:
        raise InputError("is nested too deeply to be a record")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_float=_finite,
            parse_int=_bounded,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON ({error.msg} at column {error.colno})") from None
    except ValueError as error:
        raise InputError(f"is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise InputError(f"must be a JSON object, not {json_type(value)}")
    if _SURROGATE.search(text):
        _refuse_lone_surrogates(value)
    return value


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse_lone_surrogates(value: dict[str, JsonValue]) -> None:
    for key, item in value.items():
        try:
            canonical_json([key, item])
        except UnicodeEncodeError:
            raise InputError(f"key {key!r} holds a lone surrogate, which is no text") from None


def _nesting(text: str) -> int:
    """How deep brackets of a JSON text nest at most; those inside strings are no brackets."""
    deepest = depth = 0
    for mark in _BRACKET_OR_STRING.findall(text):
        depth += (mark in "[{") - (mark in "]}")
        deepest = max(deepest, depth)
    return deepest


_BRACKET_OR_STRING = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*"', re.DOTALL)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise InputError(f"holds {text[:40]}, which is too large for a number")
    return value


def _bounded(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"holds a number of {len(text)} digits, which is too large") from None


def _unique_keys(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"has the key {twice!a} twice")
    return found


def _no_constant(name: str) -> JsonValue:
    raise InputError(f"holds {name}, which is not JSON")


class Fields:
    """Typed access to one JSON object. `where` is the path of the object inside the record, for messages."""

    def __init__(self, value: JsonValue, where: str = "") -> None:
        if not isinstance(value, dict):
            raise InputError(f"{where or 'the record'} must be an object, not {json_type(value)}")
        self.value: dict[str, JsonValue] = value
        self.where = where

    def name(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else f"key {key!r}"

    def has(self, key: str) -> bool:
        return key in self.value

    def only(self, keys: Iterable[str]) -> None:
        """Raises InputError if there is a key beyond `keys`."""
        extra = sorted(set(self.value) - set(keys))
        if extra:
            raise InputError(f"{self.name(extra[0])} is not known here")

    def _get(self, key: str, kind: type[T], expected: str) -> T:
        if key not in self.value:
            raise InputError(f"{self.name(key)} is missing")
        value = self.value[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InputError(f"{self.name(key)} must be {expected}, not {json_type(value)}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string without lone surrogates."""
        if default is not None and key not in self.value:
            return default
        value = self._get(key, str, "a string")
        decode_content(value, self.name(key))
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        if default is not None and key not in self.value:
            return default
        return self._get(key, int, "a whole number")

    def items(self, key: str, default: list[JsonValue] | None = None) -> list[JsonValue]:
        if default is not None and key not in self.value:
            return default
        return self._get(key, list, "a list")

    def object(self, key: str) -> Fields:
        return Fields(self._get(key, dict, "an object"), self.name(key))

    def content(self, key: str) -> bytes:
        if key not in self.value:
            raise InputError(f"{self.name(key)} is missing")
        return decode_content(self.value[key], self.name(key))

    def contents(self, key: str, default: list[JsonValue] | None = None) -> tuple[bytes, ...]:
        """A list of contents."""
        values = self.items(key, default)
        return tuple(decode_content(value, f"{self.name(key)}[{index}]") for index, value in enumerate(values))

    def path(self, key: str) -> bytes:
        """A relative path without `.`, `..` or empty parts."""
        return safe_path(self.content(key), self.name(key))

    def paths(self, key: str, default: list[JsonValue] | None = None) -> tuple[bytes, ...]:
        values = self.contents(key, default)
        return tuple(safe_path(value, f"{self.name(key)}[{index}]") for index, value in enumerate(values))

    def each(self, key: str, read: Callable[[Fields], T]) -> tuple[T, ...]:
        """A list of objects, empty if the key is absent."""
        values = self.items(key, [])
        return tuple(read(Fields(value, f"{self.name(key)}[{index}]")) for index, value in enumerate(values))


def safe_path(path: bytes, what: str) -> bytes:
    """`path` unchanged; raises InputError unless it is relative and stays below the directory it is used in."""
    parts = path.split(b"/")
    if b"\0" in path or any(part in (b"", b".", b"..") for part in parts):
        raise InputError(f"{what} must be a relative path without '.', '..' or empty parts, not {path!r}")
    if any(len(part) > 255 for part in parts) or len(path) > 4000:
        raise InputError(f"{what} is longer than a path can be")
    return path
