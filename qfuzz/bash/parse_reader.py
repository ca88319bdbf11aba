"""Reads the outline of a Bash program: one pass over its text, total over bytes.

The grammar is that of the Bash manual, 3.1 (quoting), 3.2 (commands), 3.5 (expansions) and 3.6 (redirections). Time is
linear in the length of the text, times the depth of its substitutions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qfuzz.bash.parse_outline import Operator, Outline, Pair, Range, Redirection, Role, Word
from qfuzz.bash.parse_words import ARITHMETIC_END, ASSIGNMENT, BODY_PLAIN, WordReader


def outline(program: bytes) -> Outline:
    """The outline of `program`."""
    reader = _Reader(program)
    reader.commands(0, 0)
    return reader.found()


_BLANK = re.compile(rb"(?:[ \t]|\\\n)+")
_CONTROL = re.compile(rb";;&|;;|;&|&&|\|\||\|&|[;&|()\n]")
_REDIRECTION = re.compile(rb"(?:[0-9]+|\{[A-Za-z_]\w*\})?(?:<<<|<<-|<<|<&|<>|>>|>&|>\||<(?!\()|>(?!\())|&>>|&>")
_ONLY_WORDS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_./-=%'\"$")
"""With these begins nothing but a word. It does not have to be complete."""
_OPENS = {b"for": b"done", b"select": b"done", b"while": b"done", b"until": b"done", b"if": b"fi", b"case": b"esac"}
_OPENS |= {b"{": b"}"}
_CLOSERS = frozenset(_OPENS.values())
_CONTINUES = frozenset((b"if", b"then", b"elif", b"else", b"while", b"until", b"do", b"!", b"{", b"time", b"coproc"))
_INSIDE = (b"then", b"elif", b"else", b"do")
_CASE_ENDS = (b";;", b";;&", b";&")
_JOINS = (b"&&", b"||", b"|", b"|&")
_NEEDY = _CONTINUES - {b"!", b"time", b"coproc"}
"""What a command has to follow."""
_NAMING = (b"for", b"select", b"function")
_RUNNERS = frozenset((b"command", b"builtin", b"exec", b"env", b"eval", b"nice", b"nohup", b"sudo", b"xargs"))
"""Commands that run what their arguments name. Not a complete list, nor can there be one."""


@dataclass(slots=True)
class _Place:
    """Where the reader of one list of commands is."""

    command: bool = True
    """The next word is a command's name."""
    bare: bool = True
    """Nothing of the command has been read, so no operator can end it."""
    reserved: bool = False
    """The last thing read is a reserved word that needs a command."""
    pending: bool = False
    """An operator that joins two commands still needs the second."""
    prefixed: bool = False
    """An assignment or a redirection stands where the next word is a command's name: it is no reserved word."""
    naming: bool = False
    """`for`, `select` or `function` was read, and the name that follows was not."""
    runner: bool = False
    """The command so far runs one of its arguments."""
    case: list[str] = field(default_factory=list)
    """For each open `case`: "subject", "pattern" or "commands"."""
    parentheses: int = 0
    openers: list[tuple[bytes, Range]] = field(default_factory=list)


class _Reader(WordReader):
    def commands(self, at: int, depth: int, *, nested: bool = False) -> int:
        """Read commands to the end of the text, or to the parenthesis that ends the substitution around."""
        place = _Place()
        while at < len(self.text) and not (nested and self._closes(at, place)):
            at = self._step(at, place, depth)
        self.broken |= bool(place.openers or place.parentheses or place.pending or place.reserved)
        return at

    def _closes(self, at: int, place: _Place) -> bool:
        return self.text.startswith(b")", at) and not (place.parentheses or _in_pattern(place))

    def _step(self, at: int, place: _Place, depth: int) -> int:
        text = self.text
        if text[at] in _ONLY_WORDS:
            return self._command_word(at, place, depth)
        if match := _BLANK.match(text, at):
            return match.end()
        if text.startswith(b"#", at):
            end = _end_of_line(text, at)
            self.comments.append((at, end))
            return end
        if match := _REDIRECTION.match(text, at):
            place.bare = place.reserved = place.pending = False
            place.prefixed = True
            return self._redirection(at, match.group(), match.end(), depth)
        if (place.command or place.naming) and text.startswith(b"((", at):
            return self._arithmetic(at, place)
        if match := _CONTROL.match(text, at):
            return self._operator(match, place)
        return self._command_word(at, place, depth)

    def _arithmetic(self, at: int, place: _Place) -> int:
        match = ARITHMETIC_END.search(self.text, at)
        place.command = place.naming = place.bare = place.reserved = place.pending = False
        self.broken |= match is None
        return match.end() if match else at + 2

    def _operator(self, match: re.Match[bytes], place: _Place) -> int:
        operator = match.group()
        start, end = match.span()
        self._ends_command(operator, place)
        place.command, place.runner, place.prefixed = True, False, False
        if operator == b"(":
            # The parenthesis before a pattern, or of `f()`, changes nothing that matters here.
            place.parentheses += not _in_pattern(place)
        elif operator == b")":
            if _in_pattern(place):
                place.case[-1] = "commands"
            else:
                self.broken |= not place.parentheses
                place.parentheses = max(0, place.parentheses - 1)
        elif operator in _CASE_ENDS:
            self.broken |= not place.case
            if place.case:
                place.case[-1] = "pattern"
        elif operator == b"\n" and self.bodies:
            end = self._read_bodies(end)
        self.operators.append(Operator(start, match.end(), operator))
        return end

    def _ends_command(self, operator: bytes, place: _Place) -> None:
        """Note whether this operator can stand here, and what it needs after it."""
        if _in_pattern(place) or operator in _CASE_ENDS or operator == b"(":
            place.bare, place.reserved, place.pending = True, False, False
        elif operator == b")":
            # `f()` and `()` have nothing between; what follows a subshell needs no word of its own.
            place.bare = place.reserved = place.pending = False
        elif operator != b"\n":
            self.broken |= place.bare or place.reserved or place.pending
            place.bare, place.reserved, place.pending = True, False, operator in _JOINS
        elif not place.reserved:
            place.bare = True

    def _command_word(self, at: int, place: _Place, depth: int) -> int:
        slot = len(self.words)
        end, value = self.word(at, depth)
        raw = self.text[at:end]
        role = self._role(at, end, raw, value, place)
        place.bare = place.pending = False
        place.reserved &= role is Role.COMMAND
        self.words.insert(slot, Word(at, end, role, value))
        if raw == b"[[" and role is Role.COMMAND:
            return self._condition(end, depth)
        return end

    def _role(self, at: int, end: int, raw: bytes, value: bytes, place: _Place) -> Role:
        if place.case and place.case[-1] == "subject":
            if raw == b"in":
                place.case[-1] = "pattern"
                place.command = True
            return Role.ARGUMENT
        if _in_pattern(place) and raw != b"esac":
            return Role.ARGUMENT
        if place.runner and not raw.startswith(b"-") and not ASSIGNMENT.match(raw):
            place.runner = value in _RUNNERS
            return Role.COMMAND
        if place.naming:
            place.naming = False
            return Role.ARGUMENT
        if not place.command:
            return Role.ARGUMENT
        if ASSIGNMENT.match(raw):
            place.prefixed = True
            return Role.ASSIGNMENT
        place.command = not place.prefixed and self._reserved(at, end, raw, place)
        place.reserved &= not place.prefixed
        place.prefixed = False
        place.runner = value in _RUNNERS
        return Role.COMMAND

    def _reserved(self, at: int, end: int, raw: bytes, place: _Place) -> bool:
        """Keep track of reserved words; whether a command's name can follow this one."""
        if raw in _OPENS:
            place.openers.append((_OPENS[raw], (at, end)))
            if raw == b"case":
                place.case.append("subject")
        elif raw in _CLOSERS:
            if raw == b"esac" and place.case:
                place.case.pop()
            matches = bool(place.openers) and place.openers[-1][0] == raw
            self.broken |= not matches or place.reserved or place.pending
            if matches:
                self.compounds.append(Pair(place.openers.pop()[1], (at, end)))
        elif raw in _INSIDE:
            self.broken |= not place.openers
        place.naming = raw in _NAMING
        place.reserved = raw in _NEEDY
        return raw in _CONTINUES or raw in _CLOSERS or raw == b"function"

    def _condition(self, at: int, depth: int) -> int:
        """The inside of `[[ ]]`, where `&&`, `<` and parentheses are no operators of the shell."""
        while at < len(self.text):
            if match := _BLANK.match(self.text, at) or _CONTROL.match(self.text, at):
                if match.group() == b"\n":
                    return match.start()
                at = match.end()
                continue
            if self.text[at : at + 1] in (b"<", b">"):
                at += 1
                continue
            end, value = self.word(at, depth)
            if end == at:
                return at
            self.words.append(Word(at, end, Role.ARGUMENT, value))
            at = end
            if value == b"]]":
                break
        return at

    def _redirection(self, at: int, operator: bytes, end: int, depth: int) -> int:
        slot = len(self.redirections)
        bare = operator.lstrip(b"0123456789")
        blank = _BLANK.match(self.text, end)
        start = blank.end() if blank else end
        word_end, value = self.word(start, depth)
        if word_end == start:
            self.redirections.append(Redirection(at, end, bare))
            self.broken = True
            return end
        self.words.append(Word(start, word_end, Role.OPERAND, value))
        self.redirections.insert(slot, Redirection(at, word_end, bare))
        if bare in (b"<<", b"<<-"):
            quoted = any(mark in self.text[start:word_end] for mark in (b"'", b'"', b"\\"))
            self.bodies.append((slot, value, quoted, bare == b"<<-"))
        return word_end

    def _read_bodies(self, at: int) -> int:
        for slot, delimiter, quoted, stripped in self.bodies:
            start = at
            while at < len(self.text):
                end = _end_of_line(self.text, at)
                line = self.text[at:end]
                at = min(end + 1, len(self.text))
                if (line.lstrip(b"\t") if stripped else line) == delimiter:
                    break
            whole = self.redirections[slot]
            self.redirections[slot] = Redirection(whole.start, whole.end, whole.operator, (start, at))
            if not quoted:
                # What does not end in a body is found out when the body is expanded, not when the program is read.
                broken = self.broken
                self.expansions(start, at, BODY_PLAIN, [], 0)
                self.broken = broken
        self.bodies = []
        return at


def _in_pattern(place: _Place) -> bool:
    return bool(place.case) and place.case[-1] == "pattern"


def _end_of_line(text: bytes, at: int) -> int:
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end
