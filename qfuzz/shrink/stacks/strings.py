"""String literals of the languages that stand in shell words: JSON, awk, Python, and the formats of printf and echo.

Each function gives the views of one text: where literals of its language stand in it, and how others are written there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from qfuzz.shrink.stacks.escapes import NAMED, code_point, control_escapes, escape_with, numbered, one_byte, read
from qfuzz.shrink.stacks.units import OPAQUE, Unit, View, Writer, spelled

# An expansion inside a string leaves OPAQUE there, so NUL is let through.
_JSON_STRING = re.compile(rb'"((?:[^"\\\x01-\x1f]|\\["\\/bfnrtu])*)"')
_JSON_ESCAPE = re.compile(
    rb"\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\(.)", re.DOTALL
)
_AWK_STRING = re.compile(rb'"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
_AWK_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_AWK_CHARS = NAMED | {char: char for char in (b"\\", b'"', b"/")}
_AWK_ASSIGNMENT = re.compile(rb"(?:-v)?[A-Za-z_][A-Za-z0-9_]*=")
_FORMAT_ESCAPE = re.compile(
    rb"%%|%[-+ #0']*[0-9*]*(?:\.[0-9*]*)?(?:\([^)]*\))?[A-Za-z]"
    rb"|\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(.))",
    re.DOTALL,
)
_PERCENT_B_ESCAPE = re.compile(
    rb"\\(?:0?([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(.))", re.DOTALL
)
_PRINTF_CHARS = NAMED | {b"e": b"\x1b", b"E": b"\x1b"} | {char: char for char in (b"\\", b'"', b"'", b"?")}
_PYTHON_STRING = re.compile(
    rb"#[^\n]*|(?<![A-Za-z0-9_])([rRbBuUfF]{0,2})(?:"
    rb'"""((?:[^\\]|\\.)*?)"""'
    rb"|'''((?:[^\\]|\\.)*?)'''"
    rb'|"((?:[^\\"\n]|\\.)*)"'
    rb"|'((?:[^\\'\n]|\\.)*)')",
    re.DOTALL,
)
_PYTHON_QUOTES = (b'"""', b"'''", b'"', b"'")
_PYTHON_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_PYTHON_FORMAT_ESCAPE = re.compile(_PYTHON_ESCAPE.pattern + rb"|\{\{|\}\}|\{[^{}]*\}", re.DOTALL)
_PYTHON_CHARS = NAMED | {char: char for char in (b"\\", b'"', b"'")} | {b"\n": b""}
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")


def json_strings(text: bytes) -> Iterator[View]:
    """Strings of RFC 8259, section 7, in a text that is JSON or holds some."""
    for match in _JSON_STRING.finditer(text):
        yield View(
            read(text, match.start(1), match.end(1), "json-string", _JSON_ESCAPE, _json_value),
            spelled("json-string", _json_writer(ascii_only=False), _json_writer(ascii_only=True)),
        )


def _json_value(match: re.Match[bytes]) -> bytes:
    high, low, single, char = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00).encode("utf-8")
    if single:
        return code_point(single)
    return {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(char, char)


def _json_writer(*, ascii_only: bool) -> Writer:
    def write(text: bytes) -> bytes | None:
        try:
            return json.dumps(text.decode("utf-8"), ensure_ascii=ascii_only)[1:-1].encode("utf-8")
        except UnicodeDecodeError:
            return None

    return write


def awk_strings(text: bytes) -> Iterator[View]:
    """String literals of an awk program (POSIX awk, Lexical Conventions)."""
    for match in _AWK_STRING.finditer(text):
        yield View(
            read(text, match.start(1), match.end(1), "awk-string", _AWK_ESCAPE, _awk_value),
            spelled("awk-string", *_awk_writers(re.compile(rb'[\\"]'))),
        )


def awk_assignments(text: bytes) -> Iterator[View]:
    """The value of `name=value`, as an operand or after -v, where awk reads escapes too."""
    match = _AWK_ASSIGNMENT.match(text)
    if match is not None:
        yield View(
            read(text, match.end(), len(text), "awk-assignment", _AWK_ESCAPE, _awk_value),
            spelled("awk-assignment", *_awk_writers(re.compile(rb"\\"))),
        )


def _awk_value(match: re.Match[bytes]) -> bytes:
    octal, char = match.groups()
    return one_byte(octal, 8) if octal else _AWK_CHARS.get(char, OPAQUE)


def _awk_writers(special: re.Pattern[bytes]) -> Iterator[Writer]:
    yield lambda text: control_escapes(escape_with(special, text))
    yield lambda text: control_escapes(escape_with(special, text), keep=b"\t")


def printf_format(text: bytes) -> Iterator[View]:
    """The format of Bash's printf. A conversion stands for what is not known."""
    special = re.compile(rb"[\\%]")
    yield View(
        read(text, 0, len(text), "printf-format", _FORMAT_ESCAPE, _format_value),
        spelled("printf-format", *_format_writers(lambda new: special.sub(rb"\g<0>\g<0>", new), b"\\%03o")),
    )


def percent_b(text: bytes) -> Iterator[View]:
    """An argument for the %b of printf, or for echo -e, which needs the zero of an octal escape."""
    special = re.compile(rb"\\")
    yield View(
        read(text, 0, len(text), "percent-b", _PERCENT_B_ESCAPE, _printf_value),
        spelled("percent-b", *_format_writers(lambda new: escape_with(special, new), b"\\0%03o")),
    )


def _format_value(match: re.Match[bytes]) -> bytes:
    found = match.group()
    if found.startswith(b"%"):
        return b"%" if found == b"%%" else OPAQUE
    return _printf_value(match)


def _printf_value(match: re.Match[bytes]) -> bytes:
    return numbered(match) or (OPAQUE if match[5] == b"c" else _PRINTF_CHARS.get(match[5], match[0]))


def _format_writers(escaped: Callable[[bytes], bytes], octal: bytes) -> Iterator[Writer]:
    yield lambda text: control_escapes(escaped(text))
    yield lambda text: control_escapes(escaped(text), keep=b"\t")
    yield lambda text: control_escapes(escaped(text), keep=b"\n\t")
    yield lambda text: _HIGH.sub(lambda match: octal % match.group()[0], control_escapes(escaped(text)))


def _hexadecimal(match: re.Match[bytes]) -> bytes:
    return b"\\x%02x" % match.group()[0]


def python_strings(text: bytes) -> Iterator[View]:
    """String and bytes literals of a Python program (Language Reference, 2.4.1)."""
    for match in _PYTHON_STRING.finditer(text):
        if match.group(1) is None:
            continue
        prefix = match.group(1).lower()
        index = next(at for at, group in enumerate(match.groups()[1:]) if group is not None)
        start, end = match.span(index + 2)
        quote = _PYTHON_QUOTES[index]
        if b"r" in prefix:
            units: Iterator[Unit] = iter((Unit(start, end, text[start:end], "python-string"),))
            yield View(units, spelled("python-string", _raw_python_writer(quote)))
        else:
            escape = _PYTHON_FORMAT_ESCAPE if b"f" in prefix else _PYTHON_ESCAPE
            units = read(text, start, end, "python-string", escape, _python_value(prefix))
            yield View(units, spelled("python-string", *_python_writers(prefix, quote)))


def _python_value(prefix: bytes) -> Callable[[re.Match[bytes]], bytes]:
    as_bytes = b"b" in prefix

    def value(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, short, long, char = match.groups()
        if match.group()[:1] in (b"{", b"}"):
            return match.group()[:1] if match.group() in (b"{{", b"}}") else OPAQUE
        if octal:
            return one_byte(octal, 8) if as_bytes else code_point(octal, 8)
        if hexadecimal:
            return one_byte(hexadecimal, 16) if as_bytes else code_point(hexadecimal)
        if short or long:
            return match.group() if as_bytes else code_point(short or long)
        if char == b"N" and not as_bytes:
            return OPAQUE
        return _PYTHON_CHARS.get(char, match.group())

    return value


def _raw_python_writer(quote: bytes) -> Writer:
    def write(text: bytes) -> bytes | None:
        bad = quote[:1] in text or text.endswith(b"\\") or (len(quote) == 1 and b"\n" in text)
        return None if bad else text

    return write


def _python_writers(prefix: bytes, quote: bytes) -> Iterator[Writer]:
    special = re.compile(rb"[\\" + quote[:1] + rb"]")
    as_bytes = b"b" in prefix

    def writer(keep: bytes, *, ascii_only: bool) -> Writer:
        def write(text: bytes) -> bytes | None:
            written = control_escapes(escape_with(special, text), keep=keep)
            written = _CONTROL.sub(_hexadecimal, written)
            if b"f" in prefix:
                written = re.sub(rb"[{}]", rb"\g<0>\g<0>", written)
            if as_bytes:
                return _HIGH.sub(_hexadecimal, written)
            try:
                return written.decode("utf-8").encode("ascii" if ascii_only else "utf-8", "backslashreplace")
            except UnicodeDecodeError:
                return None

        return write

    for keep in (b"", b"\t", b"\n\t") if len(quote) > 1 else (b"", b"\t"):
        yield writer(keep, ascii_only=False)
    yield writer(b"", ascii_only=True)
