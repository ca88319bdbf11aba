"""Reading JSON Lines from a file: streamed, every complaint with file and line."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from qfuzz.model.errors import InputError

T = TypeVar("T")

MAX_LINE_BYTES = 16 << 20
"""A longer line is a damaged or foreign file; reading it whole would not keep memory flat."""


class Record(NamedTuple, Generic[T]):
    """A decoded line. `number` counts from 1 and includes blank lines."""

    number: int
    value: T


def read_records(
    path: Path,
    decode: Callable[[bytes], T],
    on_bad: Callable[[InputError], None] | None = None,
    *,
    name: str = "",
    what: str = "record",
) -> Iterator[Record[T]]:
    """The decoded lines of a JSON Lines file, in order; blank lines are passed over.

    Raises InputError with `file:line` for the first line that `decode` refuses, unless `on_bad` is given: it gets the
    error and reading goes on. A file that can't be read, is no regular file or pipe, or holds no record always raises.
    Messages call the file `name`, where that is not its path, and what it should hold `what`.
    """
    name = name or str(path)
    found = False
    with _open(path, name) as stream:
        number = 0
        while line := _line(stream, name):
            number += 1
            where = f"{name}:{number}"
            try:
                if len(line) > MAX_LINE_BYTES:
                    raise InputError(f"the line is longer than {MAX_LINE_BYTES} bytes")
                line = line.removesuffix(b"\n")
                if not line.strip(b" \t"):
                    continue
                found = True
                value = decode(line)
            except InputError as error:
                placed = InputError(error.what, where=where, hint=error.hint)
                if on_bad is None or len(line) > MAX_LINE_BYTES:
                    raise placed from None
                on_bad(placed)
                continue
            yield Record(number, value)
    if not found:
        raise InputError(f"holds no {what}", where=name)


def _line(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.readline(MAX_LINE_BYTES + 1)
    except OSError as error:
        raise _unreadable(name, error) from None


def _open(path: Path, name: str) -> BinaryIO:
    if str(path) == "-":
        return open(sys.stdin.fileno(), "rb", closefd=False)
    try:
        if stat.S_ISDIR(os.stat(path).st_mode):
            raise InputError("is a directory, not a JSON Lines file", where=name)
        return open(path, "rb")
    except OSError as error:
        raise _unreadable(name, error) from None


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(f"can't be read ({error.strerror})", where=name)
