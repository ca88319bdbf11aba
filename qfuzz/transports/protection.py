"""How single characters of a reply are protected over a whole stack: quoted for each shell, then armored for carriers.

A reply meets the layers in order; the shells that they start read what comes of it in the opposite order. So a text is
quoted first for the shell that reads it last, which is the one of the first layer. How to quote for a shell is a matter
of where the reply stands in the text which that shell reads, and this is found by carrying a mark through the stack.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

from qfuzz.bash.scan import Context, contexts

Armor = Callable[[bytes], bytes | None]

_MARK = b"qfuzzmark"
"""A reply that no layer treats as its own, wherever it stands."""

UNQUOTED_RULES: Mapping[int, str] = MappingProxyType(
    {
        **dict.fromkeys(b" \t\n", "ends the word that is the program, for it stands outside quotes"),
        **dict.fromkeys(b";&|()<>", "is an operator of the outer shell, for it stands outside quotes"),
        **dict.fromkeys(b"'\"", "opens or closes quotes of the outer shell, which takes them away"),
        ord("\\"): "escapes the next character for the outer shell, which takes it away",
        ord("$"): "starts an expansion in the outer shell",
        ord("`"): "starts or ends a command substitution in the outer shell",
        **dict.fromkeys(b"*?[", "may match names of files, for it stands outside quotes"),
        ord("{"): "starts a brace expansion in the outer shell",
        ord("~"): "expands to a home directory, for it stands outside quotes",
        ord("#"): "starts a comment, for it stands outside quotes",
    }
)
"""What a shell treats as its own in a word without quotes that names no command (Bash Reference Manual, 3.1, 3.5)."""

_UNQUOTED = re.compile(b"[" + re.escape(bytes(UNQUOTED_RULES)) + b"]")
_DOUBLE_SPECIAL = re.compile(rb'[\\$`"]')


class Layer(Protocol):
    """What is asked of a boundary here; `qfuzz.transports.base.Boundary` says what it means."""

    faithful: bool
    starts_shell: bool
    rules: Mapping[int, str]

    def embed(self, text: bytes) -> object: ...

    def armor(self, program: bytes) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class Protection:
    """`rules` are the bytes that some layer treats as its own, each with the first such layer's rule.

    `steps` are what to do to a text, in order.
    """

    rules: Mapping[int, str]
    steps: tuple[Armor, ...]

    def armor(self, text: bytes) -> bytes | None:
        """A text that arrives as `text`; None for what a layer refuses. Each byte is protected by itself."""
        armored: bytes | None = text
        for step in self.steps:
            if armored is not None:
                armored = step(armored)
        return armored


def unquoted(text: bytes) -> bytes:
    """`text` as a word without quotes: a backslash before what counts there, `$'\\n'` for a newline."""
    return _UNQUOTED.sub(lambda found: b"$'\\n'" if found.group() == b"\n" else b"\\" + found.group(), text) or b"''"


def _double(text: bytes) -> bytes:
    return _DOUBLE_SPECIAL.sub(lambda found: b"\\" + found.group(), text)


def _single(text: bytes) -> bytes:
    return text.replace(b"'", rb"'\''")


_QUOTES: Mapping[Context, Armor] = {Context.UNQUOTED: unquoted, Context.DOUBLE: _double, Context.SINGLE: _single}


@lru_cache(maxsize=256)
def protection_of(layers: tuple[Layer, ...]) -> Protection | None:
    """How to protect characters over these layers, each faithful or with rules; None where no such way is known.

    A faithful layer that starts a shell escapes its text, and what comes after it would damage the escapes.
    """
    damaging = [layer for layer in layers if not layer.faithful]
    if not damaging or not all(layer.rules for layer in damaging):
        return None
    last = layers.index(damaging[-1])
    if any(layer.faithful and layer.starts_shell for layer in layers[:last]):
        return None
    carriers = [layer.armor for layer in reversed(damaging) if not layer.starts_shell]
    rules: dict[int, str] = {}
    for layer in reversed(damaging):
        rules.update(layer.rules)
    quotes = _own_quotes(damaging)
    if quotes is None:
        quotes = _read_quotes(damaging)
        if quotes is None:
            return None
        if unquoted in quotes:
            rules = {**rules, **UNQUOTED_RULES, **_rules_of_carriers(damaging)}
    return Protection(MappingProxyType(rules), (*quotes, *carriers))


def _rules_of_carriers(damaging: list[Layer]) -> dict[int, str]:
    rules: dict[int, str] = {}
    for layer in reversed(damaging):
        if not layer.starts_shell:
            rules.update(layer.rules)
    return rules


def _own_quotes(damaging: list[Layer]) -> tuple[Armor, ...] | None:
    """Each shell's own way, where no layer treats anything as its own of what those before it wrote around the text."""
    text = _MARK
    for layer in damaging:
        if layer.armor(text) != text:
            return None
        made = layer.embed(text)
        if not isinstance(made, bytes):
            return None
        text = made
    return tuple(layer.armor for layer in damaging if layer.starts_shell)


def _read_quotes(damaging: list[Layer]) -> tuple[Armor, ...] | None:
    """How to quote for each shell, as the shells read it: quotes of one layer may end those of another."""
    text: object = _MARK
    for layer in damaging:
        made = layer.embed(text) if isinstance(text, bytes) else None
        if not layer.starts_shell and made != text:
            return None
        text = made
    quotes: list[Armor] = []
    while isinstance(text, bytes) and text != _MARK:
        words = _words(text)
        place = text.find(_MARK)
        if words[:2] != [b"bash", b"-c"] or len(words) != 3 or words[2].count(_MARK) != 1:
            return None
        quote = _QUOTES.get(contexts(text).context(place))
        if quote is None:
            return None
        quotes.insert(0, quote)
        text = words[2]
    return tuple(quotes) if text == _MARK else None


def _words(text: bytes) -> list[bytes]:
    """The words of a command line of ours, which has no expansions; none where it is no whole one."""
    try:
        return [word.encode("latin-1") for word in shlex.split(text.decode("latin-1"))]
    except ValueError:
        return []
