"""Escapes as most languages have them: reading a text around its escapes, and the ones that stand for one byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from qfuzz.shrink.stacks.units import OPAQUE, Unit

NAMED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
"""The letters that C, and all that follows it, has after a backslash."""

Value = Callable[[re.Match[bytes]], bytes]


def read(text: bytes, start: int, end: int, context: str, escape: re.Pattern[bytes], value: Value) -> Iterator[Unit]:
    """`text[start:end]` as units: what `escape` matches has the value that `value` gives, all else stands for itself.

    Positions are those of `text`.
    """
    at = start
    for match in escape.finditer(text, start, end):
        if match.start() > at:
            yield Unit(at, match.start(), text[at : match.start()], context)
        yield Unit(match.start(), match.end(), value(match), context)
        at = match.end()
    if at < end:
        yield Unit(at, end, text[at:end], context)


def code_point(digits: bytes, base: int = 16) -> bytes:
    """The UTF-8 bytes of a number in this base, or OPAQUE where it is no character that a text can hold."""
    number = int(digits, base)
    if number == 0 or number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return OPAQUE
    return chr(number).encode("utf-8")


def one_byte(digits: bytes, base: int) -> bytes:
    """The byte of a number in this base, cut to eight bits as C does; OPAQUE for zero."""
    return bytes([int(digits, base) & 0xFF])


def numbered(match: re.Match[bytes]) -> bytes | None:
    """What an escape by number stands for in Bash; None for any other. Groups: octal, hexadecimal, short, long."""
    octal, hexadecimal, short, long = match.groups()[:4]
    if octal:
        return one_byte(octal, 8)
    if hexadecimal:
        return one_byte(hexadecimal, 16)
    return code_point(short or long) if short or long else None


def escape_with(pattern: re.Pattern[bytes], text: bytes) -> bytes:
    """`text` with a backslash before each match of `pattern`."""
    return pattern.sub(rb"\\\g<0>", text)


def control_escapes(text: bytes, *, keep: bytes = b"") -> bytes:
    """Newline and tab as `\\n` and `\\t`, but for those in `keep`."""
    for char, letter in ((b"\n", b"n"), (b"\t", b"t")):
        if char not in keep:
            text = text.replace(char, b"\\" + letter)
    return text
