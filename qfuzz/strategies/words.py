"""Bash words in every quoting style, each with the text that the shell makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hypothesis.strategies import SearchStrategy

from qfuzz.bash import quote
from qfuzz.gen.choices import Choices
from qfuzz.strategies.drawn import drawn
from qfuzz.strategies.texts import payload, some


@dataclass(frozen=True, slots=True)
class Word:
    """`source` is one Bash word, `value` the one argument that it gives, `style` how it is quoted."""

    source: bytes
    value: bytes
    style: str


_PLAIN = (*(bytes([byte]) for byte in b"ab01.,:@+_"),)
# A backslash between double quotes stays before all but these.
_STAYS = re.compile(rb"[^$`\"\\\n]")


def _single(choices: Choices, value: bytes) -> bytes:
    apostrophe = choices.pick((b"'\\''", b"'\"'\"'", b"'$'\\'''"))
    return b"'" + value.replace(b"'", apostrophe) + b"'"


def _double(choices: Choices, value: bytes, opening: bytes = b'"') -> bytes:
    written = []
    for at in range(len(value)):
        one, following = value[at : at + 1], value[at + 1 : at + 2]
        # Between double quotes most need no backslash, and a backslash that protects nothing is a character.
        free = one == b"\\" and _STAYS.match(following)
        written.append(one if one not in b'$`"\\' or (free and choices.integer(0, 1)) else b"\\" + one)
    return opening + b"".join(written) + b'"'


def _locale(choices: Choices, value: bytes) -> bytes:
    return _double(choices, value, b'$"')


_NAMED: Mapping[int, bytes] = {0x07: b"\\a", 0x09: b"\\t", 0x0A: b"\\n", 0x0D: b"\\r", 0x1B: b"\\e", 0x22: b'\\"'}


def _ansi_c(choices: Choices, value: bytes) -> bytes:
    form = choices.integer(0, 3)
    written = []
    for byte in value:
        one = bytes([byte])
        if form == 1:
            # Three digits and two: what follows can't be read as one more.
            written.append(b"\\%03o" % byte)
        elif form == 2:
            written.append(b"\\x%02x" % byte)
        elif form == 3:
            written.append(_NAMED.get(byte, b"\\" + one if one in b"\\'" else one))
        else:
            written.append(b"\\" + one if one in b"\\'" else one)
    return b"$'" + b"".join(written) + b"'"


def _backslash(_: Choices, value: bytes) -> bytes:
    return quote.backslash(value)


_STYLES: Mapping[str, Callable[[Choices, bytes], bytes]] = {
    "single": _single,
    "double": _double,
    "backslash": _backslash,
    "ansi-c": _ansi_c,
    "locale": _locale,
}
STYLES: tuple[str, ...] = ("bare", *_STYLES, "mixed")


def in_style(choices: Choices, value: bytes, style: str) -> bytes:
    """`value`, which must not be empty and holds no NUL, as a word in one of STYLES, quoted in one of its ways."""
    if style == "mixed":
        cuts = sorted({choices.integer(0, len(value)) for _ in range(2)} | {0, len(value)})
        parts = [value[start:end] for start, end in pairwise(cuts)]
        return b"".join(_STYLES[choices.pick(tuple(_STYLES))](choices, part) for part in parts)
    return _STYLES[style](choices, value)


def word(choices: Choices) -> Word:
    """A word in one of the styles. The plainest is `a`."""
    kind = choices.integer(0, len(STYLES))
    if kind == 0:
        # Without a further choice, so that nothing is plainer.
        return Word(b"a", b"a", "bare")
    style = STYLES[kind - 1]
    if style == "bare":
        value = b"".join(some(choices, lambda: choices.pick(_PLAIN), 1, 4))
        return Word(value, value, style)
    value = payload(choices, most=6)
    return Word(in_style(choices, value, style), value, style)


def words() -> SearchStrategy[Word]:
    """Words in every style of STYLES, with the argument that each gives."""
    return drawn(word)
