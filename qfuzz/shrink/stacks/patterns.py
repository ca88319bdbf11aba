"""Literal texts inside patterns: basic and extended regular expressions, sed scripts, file name patterns.

A character that is special and stands unescaped is read as itself: authors leave a dot as it is, and it does match.
What must match something else (a set, a back reference, a wildcard) is opaque.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterator

from qfuzz.shrink.stacks.escapes import escape_with, read
from qfuzz.shrink.stacks.units import OPAQUE, View, Writer, spelled


class Dialect(enum.Enum):
    """GNU's; `\\+`, `\\(` and the like are operators in BASIC and literals in EXTENDED."""

    BASIC = "bre"
    EXTENDED = "ere"


_SPECIAL = {Dialect.BASIC: rb"\\.*[^$", Dialect.EXTENDED: rb"\\.*[^$+?(){}|"}
_BRACKETED = re.compile(rb"[.*$[+?(){}|]")
_CARET_OR_BACKSLASH = re.compile(rb"[\\^]")
# No quantifier gives back what it took, and none is without end: a reply may be written to make a search hang.
_SET = rb"\[\^?+\]?+(?:\[[:.=][a-z-]{1,12}[:.=]\]|[^]]){0,200}+\]"
_ESCAPE = re.compile(rb"\\(.)|(" + _SET + rb")", re.DOTALL)
_GLOB_ESCAPE = re.compile(rb"\\(.)|(\[[!^]?+\]?+[^]]{0,200}+\])|[*?]", re.DOTALL)
_SED_COMMAND = re.compile(rb"(?<![A-Za-z_\\])s([^A-Za-z0-9\s\\\x00])")
_SED_ADDRESS = re.compile(rb"(?:\A|[;\n,{])[ \t]*/((?:[^/\\\n[]|\\.|" + _SET + rb"){1,4000}+)/", re.DOTALL)
_AWK_REGEX = re.compile(rb"(?:\A|[~!(,{;&|\n])[ \t]*/((?:[^/\\\n[]|\\.|" + _SET + rb"){1,4000}+)/", re.DOTALL)


def grep_pattern(text: bytes, dialect: Dialect) -> Iterator[View]:
    """The whole text as a pattern of grep, of one line."""
    yield _regex_view(text, 0, len(text), dialect, f"grep-{dialect.value}", None)


def sed_patterns(text: bytes, dialect: Dialect) -> Iterator[View]:
    """Patterns of the s commands and of addresses in a sed script."""
    name = f"sed-{dialect.value}"
    for delimiter, (start, end), _ in _substitutions(text):
        yield _regex_view(text, start, end, dialect, name, delimiter)
    for match in _SED_ADDRESS.finditer(text):
        yield _regex_view(text, match.start(1), match.end(1), dialect, name, b"/")


def sed_replacements(text: bytes) -> Iterator[View]:
    """Replacements of the s commands in a sed script (GNU: `\\n` is a newline, `&` what was matched)."""
    for delimiter, _, (start, end) in _substitutions(text):
        escape = re.compile(rb"\\(.)|&", re.DOTALL)
        special = re.compile(rb"[\\&" + re.escape(delimiter) + rb"]")
        yield View(
            read(text, start, end, "sed-replacement", escape, _replacement_value),
            spelled("sed-replacement", *_replacement_writers(special)),
        )


def awk_regexes(text: bytes) -> Iterator[View]:
    """Regular expressions between slashes in an awk program."""
    for match in _AWK_REGEX.finditer(text):
        yield _regex_view(text, match.start(1), match.end(1), Dialect.EXTENDED, "awk-ere", b"/")


def glob_pattern(text: bytes) -> Iterator[View]:
    """The whole text as a file name pattern (POSIX XCU 2.14), for find -name and case."""
    units = read(text, 0, len(text), "glob", _GLOB_ESCAPE, _glob_value)
    special = (re.compile(rb"[]\[*?\\]"), re.compile(rb"[\[*?\\]"))
    bracketed = re.compile(rb"[\[*?]")
    yield View(
        units,
        spelled(
            "glob",
            lambda new: escape_with(special[0], new),
            lambda new: escape_with(special[1], new),
            lambda new: bracketed.sub(rb"[\g<0>]", new.replace(b"\\", b"\\\\")),
        ),
    )


def _substitutions(text: bytes) -> Iterator[tuple[bytes, tuple[int, int], tuple[int, int]]]:
    """Delimiter, place of the pattern and place of the replacement of each s command."""
    for match in _SED_COMMAND.finditer(text):
        delimiter = match.group(1)
        quoted = re.escape(delimiter)
        # GNU sed takes a delimiter inside a set for a member. A set that never ends is none.
        pattern = re.compile(rb"((?:\\.|" + _SET + rb"|[^\\" + quoted + rb"]){0,4000}+)" + quoted, re.DOTALL)
        found = pattern.match(text, match.end())
        if found is None:
            continue
        replacement = re.compile(rb"((?:\\.|[^\\" + quoted + rb"]){0,4000}+)" + quoted, re.DOTALL).match(
            text, found.end()
        )
        if replacement is not None:
            yield delimiter, found.span(1), replacement.span(1)


def _regex_view(text: bytes, start: int, end: int, dialect: Dialect, layer: str, delimiter: bytes | None) -> View:
    units = read(text, start, end, layer, _ESCAPE, _regex_value(dialect, delimiter))
    return View(units, spelled(layer, *_regex_writers(dialect, delimiter)))


def _regex_value(dialect: Dialect, delimiter: bytes | None) -> Callable[[re.Match[bytes]], bytes]:
    operators = b"+?|(){}<>'`" if dialect is Dialect.BASIC else b"<>'`"

    def value(match: re.Match[bytes]) -> bytes:
        char, members = match.groups()
        if members is not None:
            return _single_member(members)
        if char == delimiter:
            return char
        if char == b"n" and delimiter is not None:
            return b"\n"
        if char == b"t" and delimiter is not None:
            return b"\t"
        return OPAQUE if char.isalnum() or char in operators else char

    return value


def _single_member(members: bytes) -> bytes:
    inside = members[1:-1]
    return inside if len(inside) == 1 and inside != b"^" else OPAQUE


def _regex_writers(dialect: Dialect, delimiter: bytes | None) -> Iterator[Writer]:
    def writer(escaped: Callable[[bytes], bytes]) -> Writer:
        def write(text: bytes) -> bytes | None:
            if b"\n" in text and delimiter is None:
                return None
            return escaped(text).replace(b"\n", b"\\n")

        return write

    more = b"" if delimiter is None else re.escape(delimiter)
    plain = re.compile(rb"[" + _SPECIAL[dialect] + more + rb"]")
    closing = re.compile(rb"[]" + _SPECIAL[dialect] + more + rb"]")
    yield writer(lambda text: escape_with(plain, text))
    yield writer(lambda text: escape_with(closing, text))

    def bracketed(text: bytes) -> bytes:
        written = b""
        for at in range(len(text)):
            char = text[at : at + 1]
            if char == delimiter or _CARET_OR_BACKSLASH.match(char):
                written += b"\\" + char
            else:
                written += b"[" + char + b"]" if _BRACKETED.match(char) else char
        return written

    yield writer(bracketed)


def _replacement_value(match: re.Match[bytes]) -> bytes:
    char: bytes | None = match.group(1)
    if char is None:
        return OPAQUE
    if char.isalnum():
        return {b"n": b"\n", b"t": b"\t"}.get(char, OPAQUE)
    return char


def _replacement_writers(special: re.Pattern[bytes]) -> Iterator[Writer]:
    yield lambda text: escape_with(special, text).replace(b"\n", b"\\n")
    yield lambda text: escape_with(special, text).replace(b"\n", b"\\\n")


def _glob_value(match: re.Match[bytes]) -> bytes:
    char, members = match.groups()
    if char is not None:
        return bytes(char)
    return OPAQUE if members is None or members[1:2] == b"!" else _single_member(members)
