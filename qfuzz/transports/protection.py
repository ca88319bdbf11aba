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
from qfuzz.model.delivery import Launch

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
    encodes: bool
    rules: Mapping[int, str]

    def embed(self, text: bytes) -> object: ...

    def armor(self, program: bytes) -> bytes | None: ...

    def shield(self, one: bytes) -> bytes | None: ...

    def inert(self, text: bytes, offset: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class Step:
    """What one layer, or one shell, asks for: of a whole text, and of a part of it, byte by byte."""

    whole: Armor
    bytewise: Armor


@dataclass(frozen=True, slots=True)
class Protection:
    """`rules` are the bytes that some layer treats as its own, each with the first such layer's rule.

    `steps` are what to do to a text, in order.
    """

    rules: Mapping[int, str]
    steps: tuple[Step, ...]

    def armor(self, text: bytes) -> bytes | None:
        """A text that has the effect of `text` as a program; None for what a layer refuses."""
        return _through([step.whole for step in self.steps], text)

    def shield(self, one: bytes) -> bytes | None:
        """What arrives as `one`, a byte of `rules`, wherever it stands."""
        return _through([step.bytewise for step in self.steps], one)


def _through(steps: list[Armor], text: bytes) -> bytes | None:
    through: bytes | None = text
    for step in steps:
        if through is not None:
            through = step(through)
    return through


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
    if any(layer.faithful and layer.starts_shell for layer in layers[: layers.index(damaging[-1])]):
        return None
    # What decodes the text while it is carried comes before all that reads it, and so has to be armored last.
    carriers = [layer for layer in damaging if layer.embed(_MARK) == _MARK]
    readers = [layer for layer in damaging if layer not in carriers]
    if len(damaging) > 1 and not all(map(_carries_each_byte, carriers)):
        return None
    rules = _rules(damaging)
    steps = _own_ways(damaging, readers)
    if steps is None:
        quotes = _read_quotes(damaging)
        if quotes is None:
            return None
        steps = [Step(quote, quote) for quote in quotes]
        if unquoted in quotes:
            rules.update(UNQUOTED_RULES)
            rules.update(_rules(carriers))
    # A carrier that meets the reply alone may have its program changed as a whole; else it must carry each byte.
    alone = len(damaging) == 1
    steps += [Step(layer.armor if alone else _carried(layer), _bytewise(layer)) for layer in reversed(carriers)]
    return Protection(MappingProxyType(rules), tuple(steps))


def is_left_alone(layers: tuple[Layer, ...], text: bytes) -> bool:
    """Whether a layer encodes the text, those before it being faithful, and no other treats anything of it as its own.

    Not where a later layer is without rules by which one could know, nor where one follows a program that reads the
    text. Rules are enough for what encodes, which is plain to every shell; other texts may be broken besides.
    """
    encoded = False
    made: object = text
    for layer in layers:
        if not isinstance(made, bytes):
            return False
        if not layer.faithful and not (encoded and layer.rules and not _owns_some(layer, made)):
            return False
        encoded |= layer.encodes
        made = layer.embed(made)
    return encoded and isinstance(made, (bytes, Launch))


def _owns_some(layer: Layer, text: bytes) -> bool:
    return any(byte in layer.rules and not layer.inert(text, offset) for offset, byte in enumerate(text))


def _rules(layers: list[Layer]) -> dict[int, str]:
    rules: dict[int, str] = {}
    for layer in reversed(layers):
        rules.update(layer.rules)
    return rules


def _bytewise(layer: Layer) -> Armor:
    def shielded(text: bytes) -> bytes | None:
        parts = [layer.shield(bytes([byte])) if byte in layer.rules else bytes([byte]) for byte in text]
        return None if None in parts else b"".join(part for part in parts if part is not None)

    return shielded


def _carries_each_byte(layer: Layer) -> bool:
    """Whether each byte of its rules can be protected wherever it stands, and not only where it would count."""
    # No program holds a NUL.
    shielded = {byte: layer.shield(bytes([byte])) for byte in layer.rules if byte}
    return all(
        one is not None and layer.embed(_MARK + one + _MARK) == _MARK + bytes([byte]) + _MARK
        for byte, one in shielded.items()
    )


def _carried(layer: Layer) -> Armor:
    bytewise = _bytewise(layer)

    def carried(text: bytes) -> bytes | None:
        # Template engines drop a last newline, which means nothing to a shell unless a backslash stands before it.
        trimmed = text if text.endswith(b"\\\n") else text.removesuffix(b"\n")
        # Armor may make another program of the same effect, which is none any more within a text of another layer.
        for armored in (layer.armor(text), bytewise(text)):
            if armored is not None and layer.embed(armored) in (text, trimmed):
                return armored
        return None

    return carried


def _own_ways(damaging: list[Layer], readers: list[Layer]) -> list[Step] | None:
    """Each reader's own way, where no layer treats anything as its own of what those before it wrote around the text.

    Only the first one meets the reply as a program; to the others it is a part of a text.
    """
    text = _MARK
    for layer in damaging:
        if _bytewise(layer)(text) != text:
            return None
        made = layer.embed(text)
        if isinstance(made, bytes):
            text = made
        elif layer is not damaging[-1] or layer is not readers[0]:
            # A program that reads the text has a way for a whole reply, not for a part of what another layer wrote.
            return None
    return [Step(layer.armor if layer is readers[0] else _bytewise(layer), _bytewise(layer)) for layer in readers]


def _read_quotes(damaging: list[Layer]) -> list[Armor] | None:
    """How to quote for each shell, as the shells read it: quotes of one layer may end those of another."""
    text: object = _MARK
    for layer in damaging:
        before, text = text, layer.embed(text) if isinstance(text, bytes) else None
        if layer.embed(_MARK) == _MARK and text != before:
            return None
    quotes: list[Armor] = []
    while isinstance(text, bytes) and text != _MARK:
        words = _words(text)
        if words[:2] != [b"bash", b"-c"] or len(words) != 3 or words[2].count(_MARK) != 1:
            return None
        quote = _QUOTES.get(contexts(text).context(text.find(_MARK)))
        if quote is None:
            return None
        quotes.insert(0, quote)
        text = words[2]
    return quotes if text == _MARK else None


def _words(text: bytes) -> list[bytes]:
    """The words of a command line of ours, which has no expansions; none where it is no whole one."""
    try:
        return [word.encode("latin-1") for word in shlex.split(text.decode("latin-1"))]
    except ValueError:
        return []
