"""Where a text is pasted unescaped, and whether Bash is then certain to read something else.

Each predicate is sufficient, not necessary: True promises that the pasted text can't come out as itself, False
promises nothing. The promise rests on counting. Quote removal and expansion only take away the characters that drive
them, and no expansion puts one back: no variable of the fixed environment and no output of a command named in a payload
holds an apostrophe, double quote, backslash, dollar or backtick. So one driving character is missing from whatever
comes out.
"""

from __future__ import annotations

import re

_EXPANSION = rb"\$[A-Za-z0-9_{(@*#?$!-]|`"
_EXPANDS = re.compile(_EXPANSION)
_DOUBLE = re.compile(_EXPANSION + rb'|"|\\[$`"\\\n]')
_HEREDOC = re.compile(_EXPANSION + rb"|\\[$`\\\n]")
_ASSIGNMENT = re.compile(_EXPANSION + rb"|[ \t\n'\"\\;&|<>()]|\A~(?:/|\Z)")
# Brace expansion makes several words; a range needs two numbers or two letters.
_WORD = re.compile(
    _EXPANSION + rb"|[ \t\n'\"\\;&|<>()]|\A~(?:/|\Z)|\A#|\{[^{}\s'\"\\$]*,[^{}\s'\"\\$]*\}|\{[0-9]+\.\.[0-9]+\}"
)
_FORMAT = re.compile(rb"%|\\[abcefnrtvE0-7xuU'\"?\\]")


def breaks_single(text: bytes) -> bool:
    """Pasted between apostrophes. A last backslash could shelter the closing one, so nothing is promised then."""
    return b"'" in text and not text.endswith(b"\\")


def breaks_double(text: bytes) -> bool:
    """Pasted between double quotes."""
    return _DOUBLE.search(text) is not None


def breaks_heredoc(text: bytes, delimiter: bytes) -> bool:
    """Pasted as the body of a here-document whose delimiter is not quoted."""
    return _HEREDOC.search(text) is not None or delimiter in text.split(b"\n")


def breaks_word(text: bytes) -> bool:
    """Pasted as an argument with no quotes and with more of the program behind it.

    Patterns are not counted: whether they change depends on the files.
    """
    return _WORD.search(text) is not None


def breaks_assignment(text: bytes) -> bool:
    """Pasted after `NAME=` with no quotes: as `breaks_word`, without brace expansion and comments."""
    return _ASSIGNMENT.search(text) is not None


def breaks_format(text: bytes) -> bool:
    """Pasted as the format of Bash's printf (after the quotes are gone): conversions, escapes, taken for an option."""
    return _FORMAT.search(text) is not None or is_option(text)


def is_option(text: bytes) -> bool:
    """A program that reads options takes this argument for one."""
    return len(text) > 1 and text.startswith(b"-")


def expands(text: bytes) -> bool:
    """Holds a parameter, command or arithmetic expansion, where nothing quotes it."""
    return _EXPANDS.search(text) is not None
