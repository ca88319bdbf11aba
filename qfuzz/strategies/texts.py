"""Literal texts that shells misread: payloads by hazard, names of files, bodies of several lines.

The alphabets are small. All of Unicode would hide the two dozen characters that some shell grammar treats as its own,
from random search and from coverage guidance alike; what is rare in shells is rare here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from hypothesis.strategies import SearchStrategy

from qfuzz.bash.hazards import HAZARDS
from qfuzz.gen.choices import Choices
from qfuzz.strategies.drawn import drawn

T = TypeVar("T")

LETTERS = (b"a", b"b")
COMMON: tuple[bytes, ...] = tuple(bytes([byte]) for byte in b" '\"\\$`*?[]{}()~!#;&|<>\n")
"""With the letters, the small alphabet: 25 characters."""

PHRASES: tuple[bytes, ...] = (
    *(b"$a", b"${a}", b"$(a)", b"`a`", b"'a'", b'"a"', b"\\n", b"\\\\", b"\\$", b"\\\n", b"[a]", b"{a,b}", b"$$"),
    *(b"a  b", b"~a", b"!!", b"&&", b"||", b"2>&1", b"\nEOF\n", b"$'a'", b"%s", b"<a>", b"(a)", b"# a", b"a\tb"),
)
"""Characters that only mean something together."""

RARE: tuple[bytes, ...] = (
    *(bytes([byte]) for byte in b"%-=^.,:@+_\t"),
    *(text.encode() for text in ("é", "€", "日", "\u00a0", "\x01", "\x1b")),
    b"\xff",
)

EDGES: tuple[bytes, ...] = (
    *(text.encode() for text in ("\u0085", "\u2028", "\u2029", "\ufeff", "\r", "\x7f", "\u0080", "\U0001f600")),
    *(text.encode() for text in ("\f", "\v", "\ufffe", "\uffff")),
    *(b"\xed\xa0\x80", b"\xc0\x80", b"\x85"),
)
"""What readers of text disagree on: line breaks of some (NEL, LS, PS, CR, FF, VT), the byte order mark, controls of the
second block and DEL, noncharacters, a character beyond the basic plane; then what is no UTF-8: a lone surrogate, an
overlong form, a byte out of a sequence that is itself the line break of an encoding of one byte."""

_OF_HAZARD: Mapping[str, tuple[bytes, ...]] = {
    "apostrophe": (b"'",),
    "double-quote": (b'"',),
    "backslash": (b"\\", b"\\\\", b"\\n"),
    "dollar": (b"$", b"$a", b"${a}", b"$$"),
    "command-substitution": (b"$(a)",),
    "backtick": (b"`", b"`a`"),
    "glob": (b"*", b"?"),
    "bracket": (b"[a]", b"[", b"]"),
    "brace": (b"{a,b}", b"{", b"}"),
    "parenthesis": (b"(a)", b"(", b")"),
    "tilde": (b"~", b"~a"),
    "exclamation": (b"!", b"!!"),
    "hash": (b"#", b"# a"),
    "semicolon": (b";", b";;"),
    "ampersand": (b"&", b"&&"),
    "pipe": (b"|", b"||"),
    "redirection": (b">", b"<", b"<<a"),
    "percent": (b"%", b"%s"),
    "leading-dash": (b"-", b"--a", b"-n"),
    "outer-blank": (b" ", b"  "),
    "double-blank": (b"a  b",),
    "tab": (b"\t",),
    "newline": (b"\n",),
    "heredoc-delimiter": (b"\nEOF\n",),
    "non-ascii": (*(text.encode() for text in ("é", "€", "日")), b"\xff"),
}
assert tuple(_OF_HAZARD) == HAZARDS, "every hazard has its pieces"

MOST_PIECES = 8
MOST_NAME_BYTES = 60


def some(choices: Choices, make: Callable[[], T], low: int, high: int) -> list[T]:
    """`low` to `high` of what `make` makes, few rather than many. Each can be taken out by itself when it shrinks."""
    made: list[T] = []
    while len(made) < high and (len(made) < low or choices.integer(0, 2)):
        made.append(choices.group(make))
    return made


def piece(choices: Choices) -> bytes:
    """A letter, one character of the small alphabet, a phrase, or, seldom, something rare or at the edge of text."""
    tier = choices.integer(0, 19)
    if tier < 3:
        # Without a further choice, so that nothing is plainer.
        return LETTERS[0]
    if tier < 6:
        return choices.pick(LETTERS)
    if tier < 14:
        return choices.pick(COMMON)
    if tier < 18:
        return choices.pick(PHRASES)
    return choices.pick(RARE if tier == 18 else EDGES)


def payload(choices: Choices, *, most: int = MOST_PIECES) -> bytes:
    """Any text: not empty, without NUL. The plainest is `a`."""
    text = b"".join(some(choices, lambda: piece(choices), 1, most))
    return b"-" + text if choices.integer(0, 19) == 19 else text


def payload_of(choices: Choices, hazards: Collection[str]) -> bytes:
    """A text that holds one of `hazards` at least, and no piece of another."""
    names = [name for name in HAZARDS if name in hazards]
    inner = [name for name in names if name not in ("leading-dash", "outer-blank")]
    first = choices.pick(names)
    chosen = choices.pick(_OF_HAZARD[first])

    def filler() -> bytes:
        plain = not inner or choices.integer(0, 1) == 0
        return choices.pick(LETTERS) if plain else choices.pick(_OF_HAZARD[choices.pick(inner)])

    def fillers() -> bytes:
        return b"".join(some(choices, filler, 0, 3))

    if first == "leading-dash":
        return chosen + fillers()
    if first == "outer-blank":
        return choices.pick(LETTERS) + fillers() + chosen
    return fillers() + chosen + fillers()


def filename(choices: Choices) -> bytes:
    """One component of a path, of at most MOST_NAME_BYTES bytes; none that means something to the file system."""
    name = payload(choices, most=5)[:MOST_NAME_BYTES]
    return name + b"a" if name in (b".", b"..", b".git") else name


def line(choices: Choices) -> bytes:
    """One line of a body, without its newline; it may be empty, or look like the end of a here-document."""
    kind = choices.integer(0, 9)
    if kind == 0:
        return LETTERS[0]
    if kind == 9:
        return choices.pick((b"EOF", b"", b"E", b"\ta", b"a ", b"a\\"))
    return payload(choices, most=5).replace(b"\n", b"")


def body(choices: Choices) -> bytes:
    """One line to five, each ended by a newline."""
    return b"".join(each + b"\n" for each in some(choices, lambda: line(choices), 1, 5))


def payloads(hazards: Collection[str] | None = None) -> SearchStrategy[bytes]:
    """Literal texts without NUL, rich in hazards; with `hazards` (names of `qfuzz.bash.hazards`) in these alone.

    A text of the latter has one of them at least. What a hazard's own spelling needs comes with it: `$(a)` holds
    parentheses.
    """
    if hazards is None:
        return drawn(payload)
    unknown = sorted(set(hazards) - set(HAZARDS))
    if unknown or not hazards:
        raise ValueError(f"no hazards: {', '.join(unknown) or 'none named'}; there are {', '.join(HAZARDS)}")
    return drawn(lambda choices: payload_of(choices, hazards))


def filenames() -> SearchStrategy[bytes]:
    """Names that a file can have: any bytes but NUL and `/`, at most MOST_NAME_BYTES of them."""
    return drawn(filename)


def bodies() -> SearchStrategy[bytes]:
    """Texts of one line to five, each ended by a newline."""
    return drawn(body)
