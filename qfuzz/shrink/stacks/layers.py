"""Which languages may stand in a word, and how likely: by the command that the word belongs to.

A guess orders candidates and decides nothing. Every layer is offered for every word; running tells which one it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from qfuzz.shrink.stacks import patterns, strings
from qfuzz.shrink.stacks.patterns import Dialect
from qfuzz.shrink.stacks.units import View

ELSEWHERE, UNLIKELY = 2, 4
"""The cost of a layer that another command of the program suggests, and of one that none does."""

SHELL_TOOLS = (b"bash", b"sh -c", b"ssh", b"eval", b"./")
"""Where none of these occurs, a text is hardly a shell program."""

_ASSIGNMENT = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*\+?=")
_PREFIXES = frozenset(
    rb"! { if then elif else while until do time command exec builtin env sudo nice nohup xargs timeout".split()
)
_SHELLS = frozenset(b"bash sh dash ash ksh mksh zsh ssh su eval source . trap".split())
_AWKS = frozenset(b"awk gawk mawk nawk original-awk busybox".split())
_GREPS = frozenset(b"grep egrep fgrep rg zgrep".split())
_LOOKS_LIKE_JSON = re.compile(rb"\s*[\[{\"]|[^\"]*\"\s*:")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands: word `index` of a command with these words, or (None) its here-document."""

    words: Sequence[bytes]
    index: int | None

    @property
    def name_at(self) -> int:
        """Index of the word that names the command; the number of words if there is none."""
        for at, word in enumerate(self.words):
            if word not in _PREFIXES and not _ASSIGNMENT.match(word):
                return at
        return len(self.words)

    @property
    def name(self) -> bytes:
        at = self.name_at
        return self.words[at].rsplit(b"/", 1)[-1] if at < len(self.words) else b""

    @property
    def is_argument(self) -> bool:
        return self.index is None or self.index > self.name_at

    def has_option(self, letters: bytes, *long: bytes) -> bool:
        """Whether one of these options is given, short ones also among others after one dash."""
        return any(
            word in long or (word[:1] == b"-" and word[1:2].isalpha() and any(char in letters for char in word[1:]))
            for word in self.words
        )

    @property
    def runs_shell_text(self) -> bool:
        """A shell, or a program of the task's own, which may well start one."""
        at = self.name_at
        own = at < len(self.words) and self.words[at].startswith(b"./")
        return self.is_argument and (own or self.name in _SHELLS)


@dataclass(frozen=True, slots=True)
class Layer:
    """A language. `inside` names layers that a literal of it may hold.

    `fits` says whether a place suggests it; a program that holds one of `tools` may still hand a text over to one.
    """

    name: str
    views: Callable[[bytes], Iterator[View]]
    fits: Callable[[Place, bytes], bool]
    tools: tuple[bytes, ...]
    inside: frozenset[str]

    def cost(self, place: Place, text: bytes, program: bytes) -> int:
        """How unlikely it is for this text at this place of the program."""
        if self.fits(place, text):
            return 0
        return ELSEWHERE if any(tool in program for tool in self.tools) else UNLIKELY


SHELL = "shell"
"""In `inside`: a literal may be a shell program."""


def _is_sed(place: Place, extended: bool) -> bool:
    return place.name == b"sed" and place.has_option(b"Er", b"--regexp-extended") == extended


def _is_grep(place: Place, extended: bool) -> bool:
    if place.name not in _GREPS or place.has_option(b"F", b"--fixed-strings"):
        return False
    return (place.name != b"grep" or place.has_option(b"EP", b"--extended-regexp")) == extended


def _is_awk(place: Place) -> bool:
    return place.name in _AWKS and place.is_argument


def _is_format(place: Place, _text: bytes) -> bool:
    if place.name != b"printf" or place.index is None:
        return False
    at = place.name_at + 1
    while at < len(place.words) and place.words[at] in (b"-v", b"--"):
        at += 2 if place.words[at] == b"-v" else 1
    return place.index == at


def _is_percent_b(place: Place, text: bytes) -> bool:
    if place.name == b"echo":
        return place.has_option(b"e")
    return place.name == b"printf" and any(b"%b" in word for word in place.words) and not _is_format(place, text)


def _is_glob(place: Place) -> bool:
    if place.name == b"find" and place.index:
        return place.words[place.index - 1].lstrip(b"-i") in (b"name", b"path", b"wholename", b"regex")
    return place.name in (b"[[", b"case")


def _layer(
    name: str,
    views: Callable[[bytes], Iterator[View]],
    fits: Callable[[Place, bytes], bool],
    tools: bytes,
    *inside: str,
) -> Layer:
    return Layer(name, views, fits, tuple(tools.split()), frozenset(inside))


_PATTERNS = ("sed-bre", "sed-ere", "sed-replacements", "glob", "grep-bre", "grep-ere")

LAYERS: tuple[Layer, ...] = (
    _layer("json-strings", strings.json_strings, lambda _, text: _LOOKS_LIKE_JSON.match(text) is not None, b""),
    _layer("sed-bre", lambda text: patterns.sed_patterns(text, Dialect.BASIC), lambda p, _: _is_sed(p, False), b"sed"),
    _layer(
        "sed-ere", lambda text: patterns.sed_patterns(text, Dialect.EXTENDED), lambda p, _: _is_sed(p, True), b"sed"
    ),
    _layer("sed-replacements", patterns.sed_replacements, lambda p, _: p.name == b"sed", b"sed"),
    _layer("awk-strings", strings.awk_strings, lambda p, _: _is_awk(p), b"awk", "awk-dynamic"),
    _layer("awk-regexes", patterns.awk_regexes, lambda p, _: _is_awk(p), b"awk"),
    _layer("awk-assignments", strings.awk_assignments, lambda p, _: _is_awk(p), b"awk", "awk-dynamic"),
    _layer("printf-format", strings.printf_format, _is_format, b"", "json-strings", SHELL, *_PATTERNS),
    _layer("percent-b", strings.percent_b, _is_percent_b, b"%b", "json-strings", SHELL, *_PATTERNS),
    _layer(
        "python-strings",
        strings.python_strings,
        lambda p, _: p.name.startswith(b"python"),
        b"python",
        "json-strings",
        SHELL,
    ),
    _layer("glob", patterns.glob_pattern, lambda p, _: _is_glob(p), b"-name -iname -path case [["),
    _layer(
        "grep-bre", lambda text: patterns.grep_pattern(text, Dialect.BASIC), lambda p, _: _is_grep(p, False), b"grep"
    ),
    _layer(
        "grep-ere", lambda text: patterns.grep_pattern(text, Dialect.EXTENDED), lambda p, _: _is_grep(p, True), b"grep"
    ),
)
"""Offered for the text of every word and here-document."""

INNER_LAYERS: tuple[Layer, ...] = (
    *(layer for layer in LAYERS if layer.name in ("json-strings", *_PATTERNS)),
    _layer(
        "awk-dynamic", lambda text: patterns.grep_pattern(text, Dialect.EXTENDED), lambda _place, _text: False, b"~"
    ),
)
"""Offered inside a literal whose layer names them."""
