"""What an escaping function or program can do wrong short of escaping wrongly."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from qfuzz.model.errors import InputError, UsageError


class FaultKind(enum.Enum):
    """The value is the word for it in events and databases."""

    RAISES = "raises"
    RETURNS = "returns"
    """Something else than a text."""
    NUL = "nul"
    """The answer holds a NUL, which no shell reads."""
    HANGS = "hangs"
    DIES = "dies"
    """Its process ended."""
    FLOODS = "floods"
    """The answer is longer than any shell is asked to read."""
    VARIES = "varies"
    """The same word twice gave two answers."""
    PRINTS = "prints"
    """It wrote to stdout or stderr. A warning: the word was escaped all the same."""


@dataclass(frozen=True, slots=True)
class EscapeFault:
    """What `target` did with `word` instead of escaping it. `detail` completes the sentence `TARGET DETAIL`."""

    target: str
    word: bytes
    kind: FaultKind
    detail: str

    @property
    def line(self) -> str:
        """One line for people: who, what, and the word that did it, as a Python literal."""
        return f"{self.target} {self.detail} for {shown(self.word)}"


MOST_BYTES = 1 << 20
"""The longest escaped word."""


MOST_HANGS = 10
"""After so many words that were waited for in vain nobody waits any longer."""


def first_fault(answers: Sequence[bytes | EscapeFault]) -> int | None:
    """The index of the first word that was not escaped, or None."""
    return next((index for index, answer in enumerate(answers) if isinstance(answer, EscapeFault)), None)


def given_up(fault: EscapeFault) -> InputError:
    """The end of a run in which a function or program hangs again and again; `fault` is the last of it."""
    return InputError(f"{fault.line}, and so for {MOST_HANGS} words: given up")


class TargetError(UsageError):
    """The function or program can't be used at all: not importable, not callable, not there, or it never starts."""


MAX_SHOWN = 200


def shown(word: bytes) -> str:
    """A word as a Python literal: a text where it is UTF-8, bytes otherwise; cut, and said so, where it is long."""
    try:
        literal = repr(word.decode())
    except UnicodeDecodeError:
        literal = repr(word)
    if len(literal) <= MAX_SHOWN:
        return literal
    return f"{literal[:MAX_SHOWN]}... ({len(word)} bytes)"
