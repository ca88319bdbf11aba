"""What the text of a Bash program shows without a parse: words and their roles, operators, redirections, quotes.

`qfuzz.bash.parse_reader.outline` makes it for any bytes. Where the grammar is broken or unusual it is a guess: it says
where something may be cut out of a program, and which words Bash might run; whether a cut is good is found by running.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

Range = tuple[int, int]
"""Start and end in bytes; the end is not in it."""


class Role(enum.Enum):
    COMMAND = "command"
    """Where a command's name or a reserved word stands, or a word that the command before it will run."""
    ASSIGNMENT = "assignment"
    ARGUMENT = "argument"
    OPERAND = "operand"
    """What a redirection is to or from; the delimiter of a here-document."""


@dataclass(frozen=True, slots=True)
class Word:
    """`value` is the word without its quotes; expansions in it stand as they are written."""

    start: int
    end: int
    role: Role
    value: bytes


@dataclass(frozen=True, slots=True)
class Operator:
    """A control operator or a newline that ends a command."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Redirection:
    """Operator and operand. `body` is the text of a here-document with the line that ends it, or None."""

    start: int
    end: int
    operator: bytes
    body: Range | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two marks that belong together: quotes, or the delimiters of a substitution."""

    opening: Range
    closing: Range


@dataclass(frozen=True, slots=True)
class Outline:
    """Everything in the order in which it was read. `compounds` are the marks `for` and `done`, `{` and `}` and so on.

    `broken`: Bash is certain to call the program a syntax error, for something in it does not end, or stands where
    nothing can. The reverse does not hold.
    """

    words: tuple[Word, ...]
    operators: tuple[Operator, ...]
    redirections: tuple[Redirection, ...]
    quotes: tuple[Pair, ...]
    substitutions: tuple[Pair, ...]
    compounds: tuple[Pair, ...]
    comments: tuple[Range, ...]
    broken: bool
