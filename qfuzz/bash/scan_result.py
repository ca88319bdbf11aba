"""What a scan of a Bash program says: the quoting context of every byte, the constructs around it, and the tokens."""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass


class Context(enum.Enum):
    """What surrounds a byte. The value is the name for a reader.

    The characters that begin and end a construct stand in the context around it. ARRAY and the three substitutions
    only enclose: text directly inside them is UNQUOTED.
    """

    UNQUOTED = "unquoted"
    ESCAPED = "escaped"
    """The one character that a backslash protects."""
    SINGLE = "single quotes"
    DOUBLE = "double quotes"
    ANSI_C = "ANSI-C quotes"
    LOCALE = "locale quotes"
    COMMENT = "comment"
    HEREDOC = "here-document"
    HEREDOC_QUOTED = "quoted here-document"
    DELIMITER = "here-document delimiter"
    PARAMETER = "parameter expansion"
    ARITHMETIC = "arithmetic"
    SUBSCRIPT = "array subscript"
    TEST = "conditional expression"
    CASE_PATTERN = "case pattern"
    PATTERN = "pattern group"
    COMMAND_SUBSTITUTION = "command substitution"
    BACKTICK = "backquotes"
    PROCESS_SUBSTITUTION = "process substitution"
    ARRAY = "array value"


@dataclass(frozen=True, slots=True)
class Frame:
    """A construct from its first byte to past its last, both in bytes of the program.

    `parent` is the index of the frame around it; the program itself is frame 0, with parent -1 and depth 0. `command`:
    it is a command of its own and no part of a word, as `(( ))` and `[[ ]]` are. `closed` False: the text ended first.
    """

    context: Context
    start: int
    end: int
    parent: int
    depth: int
    command: bool = False
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of bytes in one context; `frame` is the index of the innermost construct around them."""

    start: int
    end: int
    context: Context
    frame: int


class TokenKind(enum.Enum):
    NAME = "name"
    """The word that names a command."""
    WORD = "word"
    KEYWORD = "keyword"
    ASSIGNMENT = "assignment"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or operator of command text; here-document delimiters and the insides of `[[ ]]` and arrays are none."""

    start: int
    end: int
    kind: TokenKind
    frame: int


@dataclass(frozen=True, slots=True)
class Scan:
    """`segments` cover the program from byte 0 without gap or overlap; `frames` and `tokens` are in no promised order
    but that a frame comes after its parent.
    """

    segments: tuple[Segment, ...]
    frames: tuple[Frame, ...]
    tokens: tuple[Token, ...]
    starts: tuple[int, ...]
    """Of each segment, for looking one up."""

    def at(self, offset: int) -> Segment:
        """The segment that holds a byte; raises IndexError outside the program."""
        if offset < 0 or not self.segments or offset >= self.segments[-1].end:
            raise IndexError(f"byte {offset} is outside the program")
        return self.segments[bisect_right(self.starts, offset) - 1]

    def context(self, offset: int) -> Context:
        """The context of a byte."""
        return self.at(offset).context

    def enclosing(self, segment: Segment) -> Iterator[Context]:
        """The constructs around a segment from the inside out, without the one that its own context names."""
        frame = self.frames[segment.frame]
        if frame.context is segment.context and frame.parent >= 0:
            frame = self.frames[frame.parent]
        while frame.parent >= 0:
            yield frame.context
            frame = self.frames[frame.parent]

    def depth(self, offset: int) -> int:
        """How many constructs are around the context of a byte."""
        segment = self.at(offset)
        frame = self.frames[segment.frame]
        return frame.depth - (frame.context is segment.context and frame.parent >= 0)

    def describe(self, offset: int, most: int = 3) -> str:
        """The context of a byte for a reader, with at most `most` constructs around it, the innermost first."""
        segment = self.at(offset)
        names = [segment.context.value]
        for context in self.enclosing(segment):
            if len(names) > most:
                return " in ".join(names) + ", deeper"
            names.append(context.value)
        return " in ".join(names)
