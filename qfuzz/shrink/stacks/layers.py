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

UNLIKELY = 4
"""The cost of a layer that the command at hand does not suggest."""

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
    """`fits` says whether the place suggests this language; `inside` names layers that a literal of it may hold."""

    name: str
    views: Callable[[bytes], Iterator[View]]
    fits: Callable[[Place, bytes], bool]
    inside: frozenset[str] = frozenset()


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


_LITERALS = frozenset({"json-strings"})

LAYERS: tuple[Layer, ...] = (
    Layer("json-strings", strings.json_strings, lambda _, text: _LOOKS_LIKE_JSON.match(text) is not None),
    Layer("sed-bre", lambda text: patterns.sed_patterns(text, Dialect.BASIC), lambda p, _: _is_sed(p, False)),
    Layer("sed-ere", lambda text: patterns.sed_patterns(text, Dialect.EXTENDED), lambda p, _: _is_sed(p, True)),
    Layer("sed-replacements", patterns.sed_replacements, lambda p, _: p.name == b"sed"),
    Layer("awk-strings", strings.awk_strings, lambda p, _: _is_awk(p), frozenset({"awk-dynamic"})),
    Layer("awk-regexes", patterns.awk_regexes, lambda p, _: _is_awk(p)),
    Layer("awk-assignments", strings.awk_assignments, lambda p, _: _is_awk(p), frozenset({"awk-dynamic"})),
    Layer("printf-format", strings.printf_format, _is_format, _LITERALS),
    Layer("percent-b", strings.percent_b, _is_percent_b, _LITERALS),
    Layer(
        "python-strings",
        strings.python_strings,
        lambda p, _: p.name.startswith(b"python"),
        _LITERALS | frozenset({SHELL}),
    ),
    Layer("glob", patterns.glob_pattern, lambda p, _: _is_glob(p)),
    Layer("grep-bre", lambda text: patterns.grep_pattern(text, Dialect.BASIC), lambda p, _: _is_grep(p, False)),
    Layer("grep-ere", lambda text: patterns.grep_pattern(text, Dialect.EXTENDED), lambda p, _: _is_grep(p, True)),
)
"""Offered for the text of every word and here-document."""

INNER_LAYERS: tuple[Layer, ...] = (
    *(layer for layer in LAYERS if layer.name in _LITERALS),
    Layer("awk-dynamic", lambda text: patterns.grep_pattern(text, Dialect.EXTENDED), lambda _place, _text: False),
)
"""Offered only inside a literal whose layer names them."""
