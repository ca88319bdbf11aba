"""Which word is what: command names, reserved words, and how far a `case` has been read.

Reserved words matter to contexts only in so far as they say where `case`, `[[` and `((` are more than words.
"""

from __future__ import annotations

import enum

from qfuzz.bash.scan_result import TokenKind

LONGEST_KEYWORD = 64
"""Bytes of the longest word that is looked up as a reserved word; continuation lines may be inside it."""

_COMMAND_FOLLOWS = frozenset(b"! { time if then elif else while until do coproc".split())
_COMMAND_ENDED = frozenset(b"} fi done esac".split())


class Case(enum.Enum):
    """How far a `case` command has been read."""

    SUBJECT = enum.auto()
    IN = enum.auto()
    PATTERN_START = enum.auto()
    PATTERN = enum.auto()
    BODY = enum.auto()


class Expected(enum.Enum):
    """What the next word is, where that is not plain from position alone."""

    ANY = enum.auto()
    TARGET = enum.auto()
    LOOP_NAME = enum.auto()
    LOOP_IN = enum.auto()
    FUNCTION_NAME = enum.auto()


_NAME_FOLLOWS = {b"for": Expected.LOOP_NAME, b"select": Expected.LOOP_NAME, b"function": Expected.FUNCTION_NAME}


class Position:
    """The place in a sequence of commands. `reserved`: a reserved word may come. `name`: the name has not come yet."""

    __slots__ = ("cases", "expected", "name", "reserved")

    def __init__(self, *, commands: bool) -> None:
        self.reserved = self.name = commands
        self.expected = Expected.ANY
        self.cases: list[Case] = []

    def new_command(self) -> None:
        self.reserved = self.name = True
        self.expected = Expected.ANY

    def command_ended(self) -> None:
        """A command ended that is no list of words: a reserved word may follow, and no name."""
        self.reserved = True
        self.name = False

    def redirected(self) -> None:
        """An operator came whose target is the next word."""
        self.reserved = False
        self.expected = Expected.TARGET

    def in_pattern(self) -> bool:
        return bool(self.cases) and self.cases[-1] in (Case.PATTERN_START, Case.PATTERN)

    def begins_pattern(self) -> bool:
        return bool(self.cases) and self.cases[-1] is Case.PATTERN_START

    def begin_body(self) -> None:
        self.cases[-1] = Case.BODY
        self.new_command()

    def end_body(self) -> None:
        """`;;` or its like came, which means something in a body only."""
        self.new_command()
        if self.cases and self.cases[-1] is Case.BODY:
            self.cases[-1] = Case.PATTERN_START

    def read_word(self, text: bytes, *, assigns: bool) -> TokenKind:
        """What a word is at this place; moves on behind it. `text` is empty unless it can be a reserved word."""
        expected, self.expected = self.expected, Expected.ANY
        if expected is Expected.TARGET:
            return TokenKind.WORD
        if expected is Expected.FUNCTION_NAME:
            self.reserved = True
            return TokenKind.WORD
        if expected is Expected.LOOP_NAME:
            self.expected = Expected.LOOP_IN
            self.reserved = True
            return TokenKind.WORD
        if expected is Expected.LOOP_IN and text == b"in":
            self.reserved = self.name = False
            return TokenKind.KEYWORD
        if self.cases and self.cases[-1] is not Case.BODY:
            return self._read_word_of_case(text)
        if self.reserved and self._reserve(text):
            return TokenKind.KEYWORD
        self.reserved = False
        if not self.name:
            return TokenKind.WORD
        self.name = assigns
        return TokenKind.ASSIGNMENT if assigns else TokenKind.NAME

    def _read_word_of_case(self, text: bytes) -> TokenKind:
        case = self.cases[-1]
        if case is Case.SUBJECT:
            self.cases[-1] = Case.IN
        elif case is Case.IN and text == b"in":
            self.cases[-1] = Case.PATTERN_START
            return TokenKind.KEYWORD
        elif case is Case.PATTERN_START:
            if text == b"esac":
                self._end_case()
                return TokenKind.KEYWORD
            self.cases[-1] = Case.PATTERN
        return TokenKind.WORD

    def _reserve(self, text: bytes) -> bool:
        """Whether `text` is a reserved word; then also what that means for the words that follow."""
        if text in _COMMAND_FOLLOWS:
            self.name = True
        elif text == b"esac" and self.cases:
            self._end_case()
        elif text in _COMMAND_ENDED:
            self.command_ended()
        elif text in _NAME_FOLLOWS:
            self.expected = _NAME_FOLLOWS[text]
            self.reserved = self.name = False
        elif text == b"case":
            self.cases.append(Case.SUBJECT)
            self.reserved = self.name = False
        else:
            # The caller opens what `[[` begins; it is a reserved word like the others.
            return text == b"[["
        return True

    def _end_case(self) -> None:
        self.cases.pop()
        self.command_ended()
