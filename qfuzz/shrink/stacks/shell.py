"""A tolerant reading of a Bash program: its words, here-documents and nested programs, each with its pieces' places.

It has to find where texts are quoted, not to understand the program: whatever it misreads costs a candidate, and every
candidate is tried by running. So it knows no keywords, and a `)` of a `case` pattern inside `$( )` ends it too early.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from qfuzz.shrink.stacks.escapes import NAMED, numbered, read
from qfuzz.shrink.stacks.quotes import (
    ANSI_C,
    DOUBLE,
    SINGLE,
    UNQUOTED,
    HeredocSpeller,
    spell_backquoted,
    spell_word,
)
from qfuzz.shrink.stacks.units import OPAQUE, Unit, View

MAX_DEPTH = 24
"""Substitutions inside one another beyond this are passed over."""

_METACHARACTERS = b" \t\n;&|<>()"
_REDIRECTION = re.compile(rb"<<<|<<-?|[<>]\(|>>|[<>]&|<>|>\||[<>]")
_PARAMETER = re.compile(rb"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(rb"[!#]?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(?:\[[^]}]*\])?")
_OPERATOR = re.compile(rb"(:?[-=?+])|##?|%%?|//?[#%]?|\^\^?|,,?|[@:]")
_DOUBLE_ESCAPE = re.compile(rb'\\[\\$`"\n]')
_BODY_ESCAPE = re.compile(rb"\\[\\$`\n]")
_BACKQUOTE_END = re.compile(rb"`((?:[^\\`]|\\.)*)`", re.DOTALL)
_BACKQUOTE_ESCAPE = {False: re.compile(rb"\\[\\$`]"), True: re.compile(rb'\\[\\$`"]')}
_ANSI_END = re.compile(rb"\$'((?:[^\\']|\\.)*)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c.|(.))", re.DOTALL
)
_ANSI_NAMED = NAMED | {b"e": b"\x1b", b"E": b"\x1b"} | {char: char for char in (b"\\", b"'", b'"', b"?")}


class Kind(enum.Enum):
    """`OPERAND` is the word of `${name#word}`, `PROGRAM` what stands between backquotes."""

    WORD = "word"
    HEREDOC = "heredoc"
    OPERAND = "operand"
    PROGRAM = "program"


@dataclass(slots=True)
class Command:
    """`words` are the fields of one simple command, assignments and redirection targets too."""

    words: list[Field] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Field:
    """A text that the shell reads at `source[start:end]`, `around` being the layers between source and command."""

    kind: Kind
    start: int
    end: int
    view: View
    around: tuple[str, ...]
    command: Command


def fields(source: bytes) -> list[Field]:
    """Every field of `source` as a program, those of nested programs included. Total: it never fails."""
    scanner = _Scanner(source)
    scanner.program(0, (), nested=False)
    return scanner.fields


@dataclass(frozen=True, slots=True)
class _Pending:
    """A here-document whose body has yet to come."""

    delimiter: bytes
    quoted: bool
    strips_tabs: bool
    command: Command


class _Scanner:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.fields: list[Field] = []
        self._depth = 0

    def program(self, at: int, around: tuple[str, ...], *, nested: bool) -> int:
        """Reads commands from `at` on, to the end or, if `nested`, behind the closing parenthesis."""
        source = self.source
        command = Command()
        pending: list[_Pending] = []
        open_parentheses = 0
        while at < len(source):
            char = source[at : at + 1]
            if char in b" \t":
                at += 1
            elif source.startswith(b"\\\n", at):
                at += 2
            elif char == b"\n":
                at = self._bodies(at + 1, pending, around)
                command, pending = Command(), []
            elif char == b"#":
                at = _or_end(source.find(b"\n", at), source)
            elif source.startswith(b"&>", at):
                at += 2
            elif char in b";&|(":
                open_parentheses += char == b"("
                command = Command()
                at += 1
            elif char == b")":
                if nested and not open_parentheses:
                    return at + 1
                open_parentheses = max(0, open_parentheses - 1)
                command = Command()
                at += 1
            elif char in b"<>":
                at = self._redirection(at, command, pending, around)
            else:
                word = self._word(at, command, around)
                command.words.append(word)
                self.fields.append(word)
                at = word.end
        return at

    def _redirection(self, at: int, command: Command, pending: list[_Pending], around: tuple[str, ...]) -> int:
        match = _REDIRECTION.match(self.source, at)
        assert match is not None
        at = match.end()
        if match.group().endswith(b"("):
            return self._nested(at, (*around, "process-substitution"))
        if match.group() in (b"<<", b"<<-"):
            while self.source[at : at + 1] in (b" ", b"\t"):
                at += 1
            word = self._word(at, command, around)
            quoted = any(quote in self.source[at : word.end] for quote in (b"'", b'"', b"\\"))
            pending.append(_Pending(word.view.text, quoted, match.group() == b"<<-", command))
            return word.end
        return at

    def _word(self, at: int, command: Command, around: tuple[str, ...]) -> Field:
        units: list[Unit] = []
        end = self._pieces(at, units, _METACHARACTERS, UNQUOTED, around)
        return Field(Kind.WORD, at, max(end, at), View(units, spell_word), around, command)

    def _pieces(self, at: int, units: list[Unit], closing: bytes, base: str, around: tuple[str, ...]) -> int:
        """Reads parts of a word up to an unquoted byte of `closing`; returns its place."""
        source = self.source
        plain = _run(closing)
        while at < len(source) and source[at] not in closing:
            match = plain.match(source, at)
            char = source[at : at + 1]
            if match is not None:
                units.append(Unit(at, match.end(), match.group(), base))
                at = match.end()
            elif char == b"\\":
                if source[at + 1 : at + 2] != b"\n":
                    units.append(Unit(at, min(at + 2, len(source)), source[at + 1 : at + 2] or b"\\", base))
                at += 2
            elif char == b"'" and base != DOUBLE:
                end = _or_end(source.find(b"'", at + 1), source)
                units.append(Unit(at + 1, end, source[at + 1 : end], SINGLE))
                at = end + 1
            elif source.startswith((b'"', b'$"'), at):
                at = self._double(source.index(b'"', at) + 1, units, around)
            elif char == b"$":
                at = self._dollar(at, units, base, around)
            elif char == b"`":
                at = self._backquote(at, units, base, around)
            else:
                units.append(Unit(at, at + 1, char, base))
                at += 1
        return min(at, len(source))

    def _double(self, at: int, units: list[Unit], around: tuple[str, ...]) -> int:
        end = self._expanding(at, units, b'"', len(self.source), DOUBLE, _DOUBLE_ESCAPE, around)
        return end + 1

    def _expanding(
        self,
        at: int,
        units: list[Unit],
        closing: bytes,
        end: int,
        context: str,
        escape: re.Pattern[bytes],
        around: tuple[str, ...],
    ) -> int:
        """Reads a text in which only expansions and `escape` are special, up to `closing` or `end`."""
        source = self.source
        plain = _EXPANDING_RUN[closing]
        while at < end and (not closing or source[at : at + 1] != closing):
            match = plain.match(source, at, end)
            char = source[at : at + 1]
            if match is not None:
                units.append(Unit(at, match.end(), match.group(), context))
                at = match.end()
            elif escape.match(source, at, end):
                value = source[at + 1 : at + 2].replace(b"\n", b"")
                units.append(Unit(at, at + 2, value, context))
                at += 2
            elif char == b"$":
                at = self._dollar(at, units, context, around)
            elif char == b"`":
                at = self._backquote(at, units, context, around)
            else:
                units.append(Unit(at, at + 1, char, context))
                at += 1
        return min(at, end)

    def _dollar(self, at: int, units: list[Unit], context: str, around: tuple[str, ...]) -> int:
        source = self.source
        if context == UNQUOTED and (match := _ANSI_END.match(source, at)):
            units.extend(read(source, match.start(1), match.end(1), ANSI_C, _ANSI_ESCAPE, _ansi_value))
            return match.end()
        if source.startswith(b"$((", at):
            end = _or_end(source.find(b"))", at), source) + 2
        elif source.startswith(b"$(", at):
            end = self._nested(at + 2, (*around, "command-substitution"))
        elif source.startswith(b"${", at):
            end = self._braced(at + 2, context, around)
        elif match := _PARAMETER.match(source, at):
            end = match.end()
        else:
            units.append(Unit(at, at + 1, b"$", context))
            return at + 1
        units.append(Unit(at, end, OPAQUE, context))
        return end

    def _nested(self, at: int, around: tuple[str, ...]) -> int:
        if self._depth == MAX_DEPTH:
            return len(self.source)
        self._depth += 1
        try:
            return self.program(at, around, nested=True)
        finally:
            self._depth -= 1

    def _braced(self, at: int, context: str, around: tuple[str, ...]) -> int:
        name = _BRACED.match(self.source, at)
        operator = _OPERATOR.match(self.source, name.end()) if name else None
        if name is None or operator is None or self._depth == MAX_DEPTH:
            return _or_end(self.source.find(b"}", at), self.source) + 1
        # A default is read like the text around it; a pattern is a word of its own, whatever quotes are around.
        base = DOUBLE if operator.group(1) and context != UNQUOTED else UNQUOTED
        units: list[Unit] = []
        self._depth += 1
        end = self._pieces(operator.end(), units, b"}", base, around)
        self._depth -= 1
        view = View(units, spell_word)
        self.fields.append(Field(Kind.OPERAND, operator.end(), end, view, (*around, "parameter-expansion"), Command()))
        return end + 1

    def _backquote(self, at: int, units: list[Unit], context: str, around: tuple[str, ...]) -> int:
        match = _BACKQUOTE_END.match(self.source, at)
        if match is None:
            units.append(Unit(at, at + 1, b"`", context))
            return at + 1
        doubled = context == DOUBLE
        inside = read(
            self.source,
            match.start(1),
            match.end(1),
            "backquote-in-double" if doubled else "backquote",
            _BACKQUOTE_ESCAPE[doubled],
            lambda found: found.group()[1:],
        )
        view = View(inside, spell_backquoted)
        self.fields.append(Field(Kind.PROGRAM, match.start(1), match.end(1), view, around, Command()))
        units.append(Unit(at, match.end(), OPAQUE, context))
        return match.end()

    def _bodies(self, at: int, pending: list[_Pending], around: tuple[str, ...]) -> int:
        for heredoc in pending:
            tabs = rb"\t*" if heredoc.strips_tabs else b""
            last = re.compile(rb"^" + tabs + re.escape(heredoc.delimiter) + rb"$", re.MULTILINE).search(self.source, at)
            end = last.start() if last else len(self.source)
            units = list(self._body(at, end, heredoc, around))
            speller = HeredocSpeller(heredoc.delimiter, quoted=heredoc.quoted, strips_tabs=heredoc.strips_tabs)
            self.fields.append(Field(Kind.HEREDOC, at, end, View(units, speller), around, heredoc.command))
            at = min(last.end() + 1, len(self.source)) if last else end
        return at

    def _body(self, at: int, end: int, heredoc: _Pending, around: tuple[str, ...]) -> Iterator[Unit]:
        context = "heredoc-quoted" if heredoc.quoted else "heredoc-unquoted"
        for start, stop in _lines(self.source, at, end) if heredoc.strips_tabs else [(at, end)]:
            while heredoc.strips_tabs and self.source[start : start + 1] == b"\t":
                start += 1
            if heredoc.quoted:
                yield Unit(start, stop, self.source[start:stop], context)
                continue
            units: list[Unit] = []
            self._expanding(start, units, b"", stop, context, _BODY_ESCAPE, around)
            yield from units


def _ansi_value(match: re.Match[bytes]) -> bytes:
    return numbered(match) or (OPAQUE if match[5] is None else _ANSI_NAMED.get(match[5], match[0]))


@functools.cache
def _run(closing: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"[^\\'\"$`" + re.escape(closing) + rb"]+")


_EXPANDING_RUN = {b'"': re.compile(rb'[^\\$`"]+'), b"": re.compile(rb"[^\\$`]+")}


def _or_end(at: int, source: bytes) -> int:
    return at if at >= 0 else len(source)


def _lines(source: bytes, at: int, end: int) -> Iterator[tuple[int, int]]:
    while at < end:
        stop = source.find(b"\n", at, end) + 1 or end
        yield at, stop
        at = stop
