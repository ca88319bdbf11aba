"""A text of several lines that stands in several words of one command, a line each: printf '%s\\n' A B, -m A -m B."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qfuzz.shrink.stacks.quotes import SINGLE, whole_word
from qfuzz.shrink.stacks.shell import Command, Field
from qfuzz.shrink.stacks.units import Spelling, Writer

_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_LAYOUTS = ((1, b"\n"), (2, b"\n"), (2, b"\n\n"))
"""Words from one line to the next (two: an option stands between), and what the command joins them with."""


@dataclass(frozen=True, slots=True)
class Split:
    """`source[start:end]` is a run of words that hold a text; the rest as in an occurrence."""

    start: int
    end: int
    stack: tuple[str, ...]
    write: Writer
    exact: bool


def split_texts(source: bytes, command: Command, text: bytes) -> Iterator[Split]:
    """Where `text`, of two lines at least, stands in the words of `command`.

    Its last newline may be one that the command adds.
    """
    values = [word.view.text for word in command.words]
    for step, separator in _LAYOUTS:
        for added in (True, False):
            lines = _lines(text, separator, added=added)
            if lines is None or len(lines) < 2:
                continue
            width = step * (len(lines) - 1) + 1
            for first in range(len(values) - width + 1):
                chosen = slice(first, first + width, step)
                options = set(values[first + 1 : first + width : 2]) if step == 2 else set()
                if values[chosen] == lines and len(options) < 2:
                    yield _split(source, text, command.words[chosen], separator, added=added)


def _split(source: bytes, text: bytes, words: Sequence[Field], separator: bytes, *, added: bool) -> Split:
    start, end = words[0].start, words[-1].end
    between = source[words[0].end : words[1].start]
    habits = _Habits(source, words)

    def write(new: bytes) -> bytes | None:
        lines = _lines(new, separator, added=added)
        written = [habits.write(line) for line in lines or ()]
        return between.join(word for word in written if word is not None) if lines and None not in written else None

    stack = (*words[0].around, habits.usual.layer, "arguments")
    return Split(start, end, stack, write, write(text) == source[start:end])


def _lines(text: bytes, separator: bytes, *, added: bool) -> list[bytes] | None:
    if not added:
        return text.split(separator)
    return text[:-1].split(separator) if text.endswith(b"\n") else None


class _Habits:
    """Which quotes an author gives to which kind of line: control characters often get quotes of their own."""

    def __init__(self, source: bytes, words: Sequence[Field]) -> None:
        used: dict[str, Counter[Spelling]] = {}
        for word in words:
            if word.view.units:
                spelling = _spelling_of(source[word.start : word.end], word)
                used.setdefault(_kind(word.view.text), Counter())[spelling] += 1
        self._by_kind = {kind: spellings.most_common(1)[0][0] for kind, spellings in used.items()}
        every = sum(used.values(), Counter())
        self.usual = every.most_common(1)[0][0] if every else whole_word(SINGLE)[0]

    def write(self, line: bytes) -> bytes | None:
        return self._by_kind.get(_kind(line), self.usual).write(line)


def _kind(line: bytes) -> str:
    if _CONTROL.search(line):
        return "control"
    return "apostrophe" if b"'" in line else "plain"


def _spelling_of(written: bytes, word: Field) -> Spelling:
    """How the author wrote this word, or the usual way of the context that holds most of it."""
    weights: Counter[str] = Counter()
    for unit in word.view.units:
        weights[unit.context] += len(unit.value)
    spellings = whole_word(weights.most_common(1)[0][0])
    return next((each for each in spellings if each.write(word.view.text) == written), spellings[0])
