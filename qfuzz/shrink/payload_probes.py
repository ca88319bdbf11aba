"""Payloads to try: a plain one, a hostile one, and small ones in the order in which they count as small."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator, Sequence

from qfuzz.model.task import Task

QUOTING = "\"`$\\'"
"""What quotes and expands in every shell. A boundary nearly always breaks at one of these, so they come first."""

_CLOSED = "\"`'"
_PAIRED = _CLOSED + "\\ "
_OTHERS = " &;|<>()[]{}*?!#~%^=+-@,.:/_\t\n"
_PLAIN_LETTERS = string.ascii_lowercase + string.digits

HOSTILE = 'it\'s "$x" `:` \\n \\\\ %s%% & ; | <a> (b) {c,d} [0-9]* ? .^$ / # ~ ! = + @ , \u00e9\t-\nend'
"""Distinguishes every layer from every other: what one escapes, doubles or takes for an operator is all in it. It does
not begin with a dash or end in a blank: whoever passes texts like that has more to do than to quote."""


def plain_letters(task: Task, count: int) -> list[str]:
    """The first letters or digits that occur in no path of the fixture, in either case.

    So a payload of one letter does not stand by chance in a name beside it. Where none is left, those from z backwards,
    which are rare.
    """
    fixture = task.fixture
    paths = [*fixture.dirs, *(file.path for file in fixture.files), *(link.path for link in fixture.symlinks)]
    taken = b"\n".join(paths).lower()
    free = [char for char in _PLAIN_LETTERS if char.encode() not in taken]
    rare = [char for char in reversed(string.ascii_lowercase) if char not in free]
    return [*free, *rare][:count]


def hostile_texts(word: str) -> Iterator[bytes]:
    """The hostile probe, then without what some operation can't carry: a slash, a newline, a tab, `é`; `word` leads."""
    text = f"{word} {HOSTILE}"
    for without in ("", "/", "\n", "/\n", "\t\n", "/\t\n", "/\t\n\u00e9"):
        kept = "".join(char for char in text if char not in without)
        yield kept.encode("utf-8")
        yield (kept + "\n").encode("utf-8")


def rank(char: str) -> tuple[int, int]:
    """Plainness of a character: letters and digits, quoting ones, blank and punctuation, control and other ones."""
    if char in _PLAIN_LETTERS:
        return 0, _PLAIN_LETTERS.index(char)
    if char in QUOTING:
        return 1, QUOTING.index(char)
    if char in _OTHERS:
        return 2, _OTHERS.index(char)
    return 3, ord(char)


def order(text: str) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The total order of payloads: shorter in characters first, then plainer from the left."""
    return len(text), tuple(rank(char) for char in text)


def hazards(text: str) -> list[str]:
    """The distinct characters of `text` that are no ASCII letter or digit, plainest first."""
    return sorted({char for char in text if not (char.isascii() and char.isalnum())}, key=rank)


def pairs(text: str, active: Sequence[str], letter: str) -> list[str]:
    """Texts of two characters that hold an active one, in order: what works in pairs, before a letter, as in `text`.

    `$0` is there because most other parameters are empty where a reply runs.
    """
    found = {char + char for char in active if char in _PAIRED}
    found |= {char + letter for char in active if char not in _CLOSED}
    found |= {"$0"} & {char + "0" for char in active}
    found |= {_plainer(text[at : at + 2], letter) for at in range(len(text) - 1) if text[at + 1] in active}
    return sorted((pair for pair in found if not pair.startswith(letter)), key=order)


def triples(text: str, active: Sequence[str], letter: str) -> list[str]:
    """Texts of three characters, in order: two active ones that follow each other in `text` with a letter between."""
    held = [char for char in text if char in active]
    return sorted({left + letter + right for left, right in itertools.pairwise(held)}, key=order)


def _plainer(text: str, letter: str) -> str:
    return "".join(letter if char.isascii() and char.isalnum() else char for char in text)


def frames(core: str, letter: str) -> tuple[str, ...]:
    """`core`, and what an operation may want around it: a last newline, a first and last character that is no blank."""
    around = letter + core + letter
    return core, core + "\n", around, around + "\n"
