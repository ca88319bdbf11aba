"""A program as one word without quotes: what `bash -c "bash -c "R""` makes of R, whose quotes end each other.

Rules: Bash Reference Manual, 3.1 (Shell Syntax) and 3.5 (Shell Expansions). What follows R is a quote, so that a last
dollar begins `$"`, and a last backslash escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from qfuzz.bash.scan import Scan
from qfuzz.lint.findings import Mark

_RULES: tuple[tuple[str, bytes, str], ...] = (
    ("blank", rb"[ \t\n]", "ends the word that is the program, for it stands outside quotes"),
    ("operator", rb"[;&|()<>]", "is an operator of the outer shell, for it stands outside quotes"),
    ("quote", rb"['\"]", "opens or closes quotes of the outer shell, which takes them away"),
    ("backslash", rb"\\", "escapes the next character for the outer shell, which takes it away"),
    ("dollar", rb"\$(?=[A-Za-z0-9_@*#?$!({['\"-]|\Z)", "starts an expansion in the outer shell"),
    ("backtick", rb"`", "starts or ends a command substitution in the outer shell"),
    ("pattern", rb"[*?]|\[(?=[^]]*\])", "may match names of files, for it stands outside quotes"),
    ("brace", rb"\{(?=\S*(?:,|\.\.)\S*\})", "starts a brace expansion in the outer shell"),
    ("tilde", rb"\A~", "expands to a home directory, for it stands outside quotes"),
    ("comment", rb"\A#", "starts a comment, for it stands outside quotes"),
    ("option", rb"\A[-+]", "makes the program look like an option of bash"),
)
_ANY = re.compile(b"|".join(b"(?P<%s>%s)" % (name.encode(), pattern) for name, pattern, _ in _RULES))
_TEXTS = {name: rule for name, _, rule in _RULES}


def unquoted_marks(program: bytes, _: Scan) -> Iterator[Mark]:
    for found in _ANY.finditer(program):
        name = found.lastgroup
        assert name is not None, "every alternative has a name"
        yield Mark(found.start(), found.end(), f"unquoted/{name}", _TEXTS[name])
