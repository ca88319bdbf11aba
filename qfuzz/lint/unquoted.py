"""A program as one word without quotes: what `bash -c "bash -c "R""` makes of R, whose quotes end each other.

Rules: Bash Reference Manual, 3.1 (Shell Syntax) and 3.5 (Shell Expansions). What follows R is a quote, so that a last
dollar begins `$"`, and a last backslash escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from qfuzz.bash.scan import Scan
from qfuzz.lint.findings import Mark
from qfuzz.transports.protection import UNQUOTED_RULES

_RULES: tuple[tuple[str, bytes, str], ...] = (
    ("blank", rb"[ \t\n]", UNQUOTED_RULES[ord(" ")]),
    ("operator", rb"[;&|()<>]", UNQUOTED_RULES[ord(";")]),
    ("quote", rb"['\"]", UNQUOTED_RULES[ord("'")]),
    ("backslash", rb"\\", UNQUOTED_RULES[ord("\\")]),
    ("dollar", rb"\$(?=[A-Za-z0-9_@*#?$!({['\"-]|\Z)", UNQUOTED_RULES[ord("$")]),
    ("backtick", rb"`", UNQUOTED_RULES[ord("`")]),
    ("pattern", rb"[*?]|\[", UNQUOTED_RULES[ord("*")]),
    ("brace", rb"\{", UNQUOTED_RULES[ord("{")]),
    ("tilde", rb"\A~", UNQUOTED_RULES[ord("~")]),
    ("comment", rb"\A#", UNQUOTED_RULES[ord("#")]),
    ("option", rb"\A[-+]", "makes the program look like an option of bash"),
)
_ANY = re.compile(b"|".join(b"(?P<%s>%s)" % (name.encode(), pattern) for name, pattern, _ in _RULES))
_TEXTS = {name: rule for name, _, rule in _RULES}
_WORD = re.compile(rb"\S+")
_SEPARATOR = re.compile(rb",|\.\.")


def unquoted_marks(program: bytes, _: Scan) -> Iterator[Mark]:
    last_bracket = program.rfind(b"]")
    expanding = set(_expanding_braces(program))
    for found in _ANY.finditer(program):
        start, name = found.start(), found.lastgroup
        assert name is not None, "every alternative has a name"
        closes = (name != "brace" or start in expanding) and (program[start] != ord("[") or start < last_bracket)
        if closes:
            yield Mark(start, found.end(), f"unquoted/{name}", _TEXTS[name])


def _expanding_braces(program: bytes) -> Iterator[int]:
    """Offsets of opening braces with a comma or two dots, and then a closing brace, after them in the same word."""
    for word in _WORD.finditer(program):
        close = program.rfind(b"}", word.start(), word.end())
        separators = [found.start() for found in _SEPARATOR.finditer(program, word.start(), max(close, word.start()))]
        last = separators[-1] if separators else -1
        yield from (offset for offset in range(word.start(), last) if program[offset] == ord("{"))
