"""Writes one free program by choices: blocks, words, and what a command may know of what is around it."""

from __future__ import annotations

from collections.abc import Callable

from qfuzz.bash import quote
from qfuzz.gen.choices import Choices
from qfuzz.strategies.code import Code
from qfuzz.strategies.texts import body, filename, line, some
from qfuzz.strategies.words import STYLES, Word, in_style, word

MOST_DEPTH = 3
MOST_COMMANDS = 12
"""Commands of one program, the innermost counted too; past it only `echo` is written."""

VARIABLES = (b"v", b"w", b"x")
EXPRESSIONS = (b"1+2", b"(1 + 2) * 3", b"x=2, x<<1", b"7 % 4 - 1", b"2 ** 3", b"1 < 2 ? 3 : 4", b"${#v} | 1", b"!1")
EXPANSIONS = (
    *(b"$v", b"${v}", b"${#v}", b"${v:-a}", b"${v%a}", b"${v##*a}", b"${v/a/b}", b"${v//[ab]/0}", b"${v^^}"),
    *(b"${v:0:2}", b"${v@Q}", b"$#", b"$1", b"$*", b"${v:+'a'}", b'${v:-"a b"}', b"$?"),
)


class Writer:
    """Writes one program by choices. The first choice everywhere is the plainest: then it is `echo a`."""

    def __init__(self, choices: Choices, simple: Commands, every: Commands) -> None:
        """`simple` are the commands without a command in them, `every` are all."""
        self.choices = choices
        self._simple = simple
        self._every = every
        self.constructs: set[str] = set()
        self.commands = 0
        self.names = 0
        self.beside = False
        """Whether what is written runs beside the rest, where a file's time of writing would not be certain."""
        self.substituted = False
        """Whether what is written is in `$(` or `<(`, which Bash 5.2 writes anew and reads again, with faults: a
        backslash before a blank in an array goes lost, and a `;` behind one before an ampersand; after a here-document
        so do other things, and a line that only begins like its end ends it. So none of these is written there, but
        for a here-document that is alone."""

    def program(self) -> bytes:
        code = self.block(MOST_DEPTH)
        ended = self.choices.integer(0, 1)
        return code.ended() if code.pending or ended else code.text

    def block(self, depth: int) -> Code:
        made = some(self.choices, lambda: self.command(depth), 1, 3)
        code = made[0]
        for following in made[1:]:
            code = code.then(self.separator(pending=bool(code.pending)), following)
        return code

    def separator(self, *, pending: bool) -> bytes:
        kind = 0 if pending else self.choices.integer(0, 4)
        if kind == 4:
            self.constructs.add("comment")
            return b" # " + line(self.choices) + b"\n"
        return b"\n" if kind < 3 and not pending else b"; "

    def command(self, depth: int) -> Code:
        self.commands += 1
        if self.commands > MOST_COMMANDS:
            return Code(b"echo a")
        name, make = self.choices.pick(self._every if depth > 0 else self._simple)
        self.constructs.add(name)
        return make(self, depth)

    def fresh(self, letter: bytes) -> bytes:
        self.names += 1
        return letter + b"%d" % self.names

    def lines(self) -> bool:
        return self.choices.integer(0, 1) == 1

    # Words

    def word(self, depth: int = 0) -> bytes:
        """One word: a quoted text, or an expansion between double quotes."""
        kind = self.choices.integer(0, 7)
        if kind < 5 or depth < 0:
            written = word(self.choices)
            if self.substituted and written.style in ("backslash", "mixed"):
                written = Word(quote.single(written.value), written.value, "single")
            self.constructs.add(f"word:{written.style}")
            return written.source
        if kind == 5:
            self.constructs.add("parameter-expansion")
            return b'"' + self.choices.pick((b"", b"a ", b"'")) + self.choices.pick(EXPANSIONS) + b'"'
        if kind == 6 or depth <= 0:
            self.constructs.add("arithmetic")
            return b'"$((' + self.choices.pick(EXPRESSIONS) + b'))"'
        return self.substitution(depth)

    def substitution(self, depth: int) -> bytes:
        self.constructs.add("command-substitution")
        return b'"' + self._within(depth, b"$(", beside=self.beside) + b'"'

    def process_substitution(self, depth: int) -> bytes:
        self.constructs.add("process-substitution")
        return self._within(depth, b"<(", beside=True)

    def _within(self, depth: int, opening: bytes, *, beside: bool) -> bytes:
        before = self.beside, self.substituted
        self.beside, self.substituted = beside, True
        if self.choices.integer(0, 4) == 4:
            self.constructs.add("heredoc-quoted")
            lines = body(self.choices)
            text = Code(b"cat <<'E_1'", lines + b"E_1\n").between(opening, b")", lines=True)
        else:
            text = self.block(depth - 1).between(opening, b")", lines=self.lines())
        self.beside, self.substituted = before
        return text

    def raw(self, depth: int) -> bytes:
        """A block that Bash reads as it stands once it is executed: between backquotes, for `eval`, as an argument."""
        before, self.substituted = self.substituted, False
        code = self.block(depth)
        self.substituted = before
        return code.ended() if code.pending else code.text

    def words(self, depth: int, most: int = 3) -> bytes:
        return b" ".join(some(self.choices, lambda: self.word(depth), 1, most))

    def variable(self) -> bytes:
        return self.choices.pick(VARIABLES)

    def quoted(self, text: bytes) -> bytes:
        """A program as one word."""
        return in_style(self.choices, text, self.choices.pick(("single", "double", "ansi-c")))

    def file(self) -> bytes:
        """The word of a file's name, with `./` before it where it could be read as anything else."""
        name = filename(self.choices)
        return b"./" + in_style(self.choices, name, self.choices.pick(STYLES[1:]))


Make = Callable[[Writer, int], Code]
Commands = tuple[tuple[str, Make], ...]
"""Names of constructs, each with what writes one."""
