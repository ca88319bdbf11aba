"""Reads one word of a Bash program: quotes, escapes and expansions, and the commands inside of substitutions."""

from __future__ import annotations

import re

from qfuzz.bash.parse_outline import Operator, Outline, Pair, Range, Redirection, Word

MAX_DEPTH = 40
"""Substitutions inside one another beyond this depth are not looked into."""

ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=")
ARITHMETIC_END = re.compile(rb"\)\)")
BODY_PLAIN = re.compile(rb"[^\\$`]+")
_DOUBLE_PLAIN = re.compile(rb'[^"\\$`]+')
_PLAIN = re.compile(rb"[^\s;&|<>()'\"\\$`]+|[\r\v\f]")
_ARRAY_BLANK = re.compile(rb"\s+|\\\n")
_ANSI = re.compile(rb"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BACKTICK = re.compile(rb"`(?:[^`\\]|\\.)*`", re.DOTALL)
_NAME = re.compile(rb"\$(?:[A-Za-z_]\w*|[0-9@*#?$!_-])")


class WordReader:
    """Collects what it reads; `commands` is left to the reader of commands.

    Positions are offsets in `text`. Each method takes where to begin and returns where it stands afterwards. `depth` is
    the number of substitutions around.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.words: list[Word] = []
        self.operators: list[Operator] = []
        self.redirections: list[Redirection] = []
        self.quotes: list[Pair] = []
        self.substitutions: list[Pair] = []
        self.compounds: list[Pair] = []
        self.comments: list[Range] = []
        self.broken = False
        self.bodies: list[tuple[int, bytes, bool, bool]] = []
        """Here-documents whose bodies are still to come: index, delimiter, quoted, whether tabs are stripped."""
        self._too_deep = False

    def commands(self, at: int, depth: int, *, nested: bool = False) -> int:
        raise NotImplementedError

    def found(self) -> Outline:
        """All that was read."""
        return Outline(
            words=tuple(self.words),
            operators=tuple(self.operators),
            redirections=tuple(self.redirections),
            quotes=tuple(self.quotes),
            substitutions=tuple(self.substitutions),
            compounds=tuple(self.compounds),
            comments=tuple(self.comments),
            # Where something was not looked into, what seems not to end may do so; and a line that goes on in the
            # next one may go on in the middle of an operator.
            broken=self.broken and not self._too_deep and b"\\\n" not in self.text,
        )

    def word(self, at: int, depth: int) -> tuple[int, bytes]:
        """Read a word from `at`; its end (`at` if there is none) and its value."""
        text = self.text
        start = at
        value: list[bytes] = []
        while at < len(text):
            if match := _PLAIN.match(text, at):
                value.append(match.group())
                at = match.end()
                continue
            char = text[at : at + 1]
            if char == b"\\":
                value.append(text[at + 1 : at + 2].replace(b"\n", b""))
                at = min(at + 2, len(text))
            elif char == b"'":
                at = self._single(at, at + 1, value)
            elif char == b'"':
                at = self._double(at, at + 1, value, depth)
            elif text.startswith(b"$'", at):
                at = self._ansi(at, value)
            elif text.startswith(b'$"', at):
                at = self._double(at, at + 2, value, depth)
            elif char in (b"$", b"`") or text.startswith((b"<(", b">("), at):
                end = self._expansion(at, depth, quoted=False)
                value.append(text[at:end])
                at = end
            elif char == b"(" and value and at > start and value[-1].endswith(b"=") and ASSIGNMENT.match(text, start):
                at = self._array(at + 1, depth)
            else:
                break
        return at, b"".join(value)

    def _single(self, opening: int, inside: int, value: list[bytes]) -> int:
        end = self.text.find(b"'", inside)
        if end < 0:
            return self._unfinished(inside, value)
        value.append(self.text[inside:end])
        self.quotes.append(Pair((opening, inside), (end, end + 1)))
        return end + 1

    def _ansi(self, at: int, value: list[bytes]) -> int:
        match = _ANSI.match(self.text, at)
        if match is None:
            return self._unfinished(at, value)
        value.append(match.group(1))
        self.quotes.append(Pair((at, at + 2), (match.end() - 1, match.end())))
        return match.end()

    def _unfinished(self, at: int, value: list[bytes]) -> int:
        self.broken = True
        value.append(self.text[at:])
        return len(self.text)

    def _double(self, opening: int, inside: int, value: list[bytes], depth: int) -> int:
        slot = len(self.quotes)
        end = self.expansions(inside, len(self.text), _DOUBLE_PLAIN, value, depth)
        self.broken |= end == len(self.text)
        if end < len(self.text):
            self.quotes.insert(slot, Pair((opening, inside), (end, end + 1)))
        return min(end + 1, len(self.text))

    def expansions(self, at: int, limit: int, plain: re.Pattern[bytes], value: list[bytes], depth: int) -> int:
        """Read text in which only backslash, `$` and backtick, and what `plain` leaves out, are special.

        It ends at `limit`, or before that at a character that is neither plain nor begins an expansion or an escape.
        """
        while at < limit:
            if match := plain.match(self.text, at, limit):
                value.append(match.group())
                at = match.end()
            elif self.text.startswith(b"\\", at):
                escaped = self.text[at + 1 : at + 2]
                value.append(escaped if escaped in (b'"', b"\\", b"$", b"`") else self.text[at : at + 2])
                at = min(at + 2, limit)
            elif self.text.startswith((b"$", b"`"), at):
                end = self._expansion(at, depth, quoted=True)
                value.append(self.text[at:end])
                at = end
            else:
                break
        return at

    def _array(self, at: int, depth: int) -> int:
        while at < len(self.text) and not self.text.startswith(b")", at):
            blank = _ARRAY_BLANK.match(self.text, at)
            end = blank.end() if blank else self.word(at, depth)[0]
            at = end if end > at else at + 1
        self.broken |= at == len(self.text)
        return min(at + 1, len(self.text))

    def _expansion(self, at: int, depth: int, *, quoted: bool) -> int:
        """Read the expansion that begins at `at`; a `$` that begins none is one byte long."""
        text = self.text
        if depth >= MAX_DEPTH:
            self._too_deep = True
            return at + 1
        if text.startswith(b"$((", at):
            end = ARITHMETIC_END.search(text, at)
            if end:
                return end.end()
        if text.startswith((b"$(", b"<(", b">("), at):
            return self._substitution(at, depth)
        if text.startswith(b"`", at):
            return self._backtick(at, depth)
        if text.startswith(b"${", at):
            return self._parameter(at + 2, depth, quoted=quoted)
        match = _NAME.match(text, at)
        return match.end() if match else at + 1

    def _substitution(self, at: int, depth: int) -> int:
        inside = at + 2
        waiting, self.bodies = self.bodies, []
        broken = self.broken
        end = self.commands(inside, depth + 1, nested=True)
        self.bodies = waiting
        if not self.text.startswith(b"$", at):
            # As between backticks: it is read when it is started.
            self.broken = broken
        self.broken |= end == len(self.text)
        if end < len(self.text):
            self.substitutions.append(Pair((at, inside), (end, end + 1)))
        return min(end + 1, len(self.text))

    def _backtick(self, at: int, depth: int) -> int:
        """Bash looks for the second backtick before anything else, and reads what is between when it gets there."""
        match = _BACKTICK.match(self.text, at)
        if match is None:
            return self._unfinished(at, [])
        whole, self.text = self.text, self.text[: match.end() - 1]
        waiting, self.bodies = self.bodies, []
        broken = self.broken
        self.commands(at + 1, depth + 1)
        self.text, self.bodies, self.broken = whole, waiting, broken
        self.substitutions.append(Pair((at, at + 1), (match.end() - 1, match.end())))
        return match.end()

    def _parameter(self, at: int, depth: int, *, quoted: bool) -> int:
        """Read the inside of `${...}`. Between double quotes an apostrophe in it is no quote."""
        text = self.text
        while at < len(text):
            char = text[at : at + 1]
            if char == b"}":
                return at + 1
            if char == b"\\":
                at = min(at + 2, len(text))
            elif char == b"'" and not quoted:
                at = self._single(at, at + 1, [])
            elif char == b'"':
                at = self._double(at, at + 1, [], depth + 1)
            elif char in (b"$", b"`"):
                at = self._expansion(at, depth + 1, quoted=quoted)
            else:
                at += 1
        self.broken = True
        return len(text)
