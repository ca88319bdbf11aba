"""One table of `qfuzz.toml`, read key by key. Every error names file, line, key and what was expected."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qfuzz.model.errors import HostError, InputError
from qfuzz.own.toml_lines import line_of

Value = Any
"""What tomllib returns."""


@dataclass(frozen=True, slots=True)
class Table:
    """`path` is where the table stands; relative paths are meant from the folder of `file`.

    `lacking` gathers what is written as it must be and is not there on this machine.
    """

    file: Path
    lines: Mapping[tuple[str, ...], int]
    path: tuple[str, ...]
    values: Mapping[str, Value]
    lacking: list[HostError] = field(default_factory=list)

    def where(self, key: str = "") -> str:
        """`file:line` of a key, or of the table."""
        return f"{self.file}:{line_of(self.lines, (*self.path, key) if key else self.path)}"

    def error(self, what: str, key: str = "", hint: str = "") -> InputError:
        return InputError(f"{self._name(key)}: {what}", where=self.where(key), hint=hint)

    def lack(self, what: str, key: str, hint: str = "") -> None:
        """Note what keeps this one transport from being used, and no other."""
        self.lacking.append(HostError(f"{self._name(key)}: {what}", where=self.where(key), hint=hint))

    def _name(self, key: str) -> str:
        return ".".join((*self.path, key) if key else self.path)

    def only(self, known: Collection[str]) -> None:
        """Raises InputError for a key that is none of `known`."""
        for key in self.values:
            if key not in known:
                raise self.error(f"unknown key, expected one of {', '.join(known)}", key)

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        if value is not None:
            self._check_text(key, value, "a string")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; empty where there is none."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._unexpected(key, value, "a list of strings")
        for each in value:
            self._check_text(key, each, "a list of strings")
        return tuple(value)

    def command(self, key: str) -> tuple[str, ...]:
        """A list of strings that is not empty, or is not there."""
        words = self.texts(key)
        if key in self.values and (not words or not words[0]):
            raise self.error("expected a program and its arguments, as a list of strings, not an empty one", key)
        return words

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self._unexpected(key, value, "true or false")
        return value

    def seconds(self, key: str) -> float | None:
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._unexpected(key, value, "a number of seconds")
        if math.isnan(value) or not 0 < value <= 3600:
            raise self.error(f"expected more than 0 and at most 3600 seconds, not {value}", key)
        return float(value)

    def statuses(self, key: str) -> tuple[int, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self._unexpected(key, value, "a list of exit statuses")
        for each in value:
            if isinstance(each, bool) or not isinstance(each, int) or not 0 <= each <= 255:
                raise self.error(f"expected exit statuses from 0 to 255, not {each!r}", key)
        return tuple(value)

    def variables(self, key: str) -> dict[str, str]:
        """A table of strings whose names can be variables of an environment."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._unexpected(key, value, "a table of strings")
        for name, each in value.items():
            if not name or "=" in name:
                raise self.error(f"expected the name of a variable, not {name!r}", key)
            self._check_text(key, name, "a table of strings")
            self._check_text(key, each, "a table of strings")
        return value

    def one_of(self, key: str, choices: tuple[str, ...]) -> str:
        """One of `choices`, the first where there is none."""
        value = self.values.get(key, choices[0])
        if value not in choices:
            raise self.error(f"expected {' or '.join(map(repr, choices))}, not {value!r}", key)
        assert isinstance(value, str)
        return value

    def paths(self, key: str) -> tuple[Path, ...]:
        return tuple(self.resolved(each) for each in self.texts(key))

    def resolved(self, path: str) -> Path:
        return self.file.absolute().parent / Path(path).expanduser()

    def _check_text(self, key: str, value: Value, expected: str) -> None:
        if not isinstance(value, str):
            raise self._unexpected(key, value, expected)
        if "\0" in value:
            raise self.error(f"expected {expected}, and no NUL in it", key)

    def _unexpected(self, key: str, value: Value, expected: str) -> InputError:
        return self.error(f"expected {expected}, not {_described(value)}", key)


def _described(value: Value) -> str:
    names = {
        str: "a string",
        bool: "true or false",
        int: "an integer",
        float: "a number",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), "a date or time")
