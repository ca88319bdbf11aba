"""Hazards of a text: classes of characters that some shell grammar treats as its own. A closed, ordered list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_PATTERNS: Mapping[str, re.Pattern[bytes]] = {
    "apostrophe": re.compile(rb"'"),
    "double-quote": re.compile(rb'"'),
    "backslash": re.compile(rb"\\"),
    "dollar": re.compile(rb"\$"),
    "command-substitution": re.compile(rb"\$\((?!\()"),
    "backtick": re.compile(rb"`"),
    "glob": re.compile(rb"[*?]"),
    "bracket": re.compile(rb"[][]"),
    "brace": re.compile(rb"[{}]"),
    "parenthesis": re.compile(rb"[()]"),
    "tilde": re.compile(rb"~"),
    "exclamation": re.compile(rb"!"),
    "hash": re.compile(rb"#"),
    "semicolon": re.compile(rb";"),
    "ampersand": re.compile(rb"&"),
    "pipe": re.compile(rb"\|"),
    "redirection": re.compile(rb"[<>]"),
    "percent": re.compile(rb"%"),
    "leading-dash": re.compile(rb"\A-"),
    "outer-blank": re.compile(rb"\A[ \t]|[ \t]\n*\Z"),
    "double-blank": re.compile(rb"[^ ] {2,}[^ ]"),
    "tab": re.compile(rb"\t"),
    "newline": re.compile(rb"\n"),
    # A line that looks like the end of a here-document: all capitals, in a text of several lines.
    "heredoc-delimiter": re.compile(rb"(?m)(?<=\n)[A-Z][A-Z_]{1,}$|\A[A-Z][A-Z_]{1,}(?=\n.)"),
    "non-ascii": re.compile(rb"[\x80-\xff]"),
}

HAZARDS: tuple[str, ...] = tuple(_PATTERNS)


def hazards_of(texts: Iterable[bytes]) -> tuple[str, ...]:
    """Names of the hazards that at least one of `texts` holds, in the order of `HAZARDS`."""
    every = tuple(texts)
    return tuple(name for name, pattern in _PATTERNS.items() if any(pattern.search(text) for text in every))
