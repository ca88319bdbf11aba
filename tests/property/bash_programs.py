"""Bash programs made from a grammar, each byte with the quoting context that it was written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from qfuzz.bash.scan import Context

Path = tuple[Context, ...]
"""The constructs around a byte, the innermost first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one context. `letters`: they stand for themselves, so that another text may take the place of one.

    `logged`: a letter of it is seen by the command `p`, if what it is in is executed.
    """

    text: bytes
    context: Context
    path: Path
    letters: bool = False
    logged: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> bytes:
        return b"".join(piece.text for piece in self.pieces)

    def by_offset(self) -> list[Piece]:
        """The piece of each byte."""
        return [piece for piece in self.pieces for _ in piece.text]


Pieces = list[Piece]
_LETTERS = b"bcdgkmnqrvwyz"
_FRAMELESS = (Context.UNQUOTED, Context.CASE_PATTERN)
_QUOTED_PATHS = (Context.DOUBLE, Context.LOCALE, Context.HEREDOC)


def inside(context: Context, path: Path) -> Path:
    """The path of what stands within text of this context."""
    return path if context in _FRAMELESS else (context, *path)


class Writer:
    """Draws one program. `p` is to log its arguments and `h` its input; `U` is to be unset."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw
        self.delimiters = 0

    def one_of(self, *options: Callable[[], Pieces]) -> Pieces:
        return self.draw(st.sampled_from(options))()

    def some(self, make: Callable[[], Pieces], most: int, between: Callable[[], Pieces] = list) -> Pieces:
        pieces = make()
        for _ in range(self.draw(st.integers(0, most - 1))):
            pieces = [*pieces, *between(), *make()]
        return pieces

    def text(self, characters: bytes, context: Context, path: Path) -> Piece:
        return Piece(bytes(self.draw(st.lists(st.sampled_from(characters), max_size=3))), context, path)

    def letters(self, context: Context, path: Path, *, logged: bool = True) -> Piece:
        word = bytes(self.draw(st.lists(st.sampled_from(_LETTERS), min_size=1, max_size=3)))
        return Piece(word, context, path, letters=True, logged=logged)

    def escaped(self, characters: bytes, context: Context, path: Path) -> Pieces:
        character = bytes([self.draw(st.sampled_from(characters))])
        return [Piece(b"\\", context, path), Piece(character, Context.ESCAPED, inside(context, path))]

    # Words

    def word(self, context: Context, path: Path, depth: int, *, logged: bool = True) -> Pieces:
        return self.some(lambda: self.part(context, path, depth, logged=logged), 3)

    def part(self, context: Context, path: Path, depth: int, *, logged: bool = True) -> Pieces:
        flat: list[Callable[[], Pieces]] = [
            lambda: [self.letters(context, path, logged=logged), self.text(b"#=,.%", context, path)],
            lambda: [self.letters(context, path, logged=logged), *self.escaped(b"\n", context, path)],
            lambda: self.escaped(b" '\"\\$`#;()&|<>*a", context, path),
            lambda: self.single(context, path, logged=logged),
            lambda: self.ansi_c(context, path, logged=logged),
        ]
        if not depth:
            return self.one_of(*flat)
        deep = [
            lambda: self.double(context, path, depth, logged=logged),
            lambda: self.expansion(context, path, depth, logged=logged),
        ]
        return self.one_of(*flat, *deep, *deep, *deep)

    def single(self, context: Context, path: Path, *, logged: bool) -> Pieces:
        within = (Context.SINGLE, inside(context, path))
        return [
            Piece(b"'", context, path),
            self.text(b'"$`\\#();{}\n', *within),
            self.letters(*within, logged=logged),
            self.text(b'"$`\\ |&<>[]', *within),
            Piece(b"'", context, path),
        ]

    def ansi_c(self, context: Context, path: Path, *, logged: bool) -> Pieces:
        within = (Context.ANSI_C, inside(context, path))
        return [
            Piece(b"$'", context, path),
            self.text(b'"$`#();', *within),
            *self.escaped(b"'\\nt\"", *within),
            self.letters(*within, logged=logged),
            Piece(b"'", context, path),
        ]

    def double(self, context: Context, path: Path, depth: int, *, logged: bool) -> Pieces:
        quotes, opening = self.draw(st.sampled_from([(Context.DOUBLE, b'"'), (Context.LOCALE, b'$"')]))
        within = (quotes, inside(context, path))

        def part() -> Pieces:
            return self.one_of(
                lambda: [self.letters(*within, logged=logged), self.text(b"'#();& |<>\n{}[]*", *within)],
                lambda: [*self.escaped(b'"$`\\\n', *within), self.letters(*within, logged=logged)],
                lambda: [Piece(b"\\n", *within)],
                lambda: self.expansion(*within, depth - 1, logged=logged) if depth > 1 else [],
            )

        return [Piece(opening, context, path), *self.some(part, 4), Piece(b'"', context, path)]

    def expansion(self, context: Context, path: Path, depth: int, *, logged: bool = True) -> Pieces:
        within = inside(context, path)
        substitution = (Context.COMMAND_SUBSTITUTION, *within)
        quoted = context in _QUOTED_PATHS or (context is Context.PARAMETER and self.is_quoted(path))
        return self.one_of(
            lambda: [
                Piece(b"$(", context, path),
                *self.apart(substitution, self.commands(substitution, depth - 1)),
                Piece(b")", context, path),
            ],
            lambda: self.backquotes(context, path, depth),
            lambda: [
                Piece(b"${", context, path),
                Piece(b"U:-", Context.PARAMETER, within),
                *self.default(within, depth - 1, quoted=quoted, logged=logged),
                Piece(b"}", context, path),
            ],
            lambda: [
                Piece(b"$((", context, path),
                Piece(b" (1 + 2)*3 ", Context.ARITHMETIC, within),
                Piece(b"))", context, path),
            ],
        )

    @staticmethod
    def is_quoted(path: Path) -> bool:
        """Whether text in `${}` with this path is within double quotes or a here-document."""
        around = next((context for context in path if context is not Context.PARAMETER), None)
        return around in _QUOTED_PATHS

    def default(self, path: Path, depth: int, *, quoted: bool, logged: bool) -> Pieces:
        within = (Context.PARAMETER, path)
        if quoted:
            nested = (lambda: self.expansion(*within, depth, logged=logged)) if depth > 0 else list
            return self.some(
                lambda: self.one_of(
                    lambda: [self.letters(*within, logged=logged)],
                    lambda: [self.text(b" #();&|", *within)],
                    lambda: self.escaped(b'"$`\\}', *within),
                    nested,
                ),
                3,
            )
        return self.some(lambda: self.part(*within, max(depth, 0), logged=logged), 2)

    def backquotes(self, context: Context, path: Path, depth: int) -> Pieces:
        """Each `$`, backquote and backslash within gets a backslash that is taken away before the rest is read."""
        within = (Context.BACKTICK, *inside(context, path))
        marks = b"$`\\"
        if context in (Context.DOUBLE, Context.LOCALE) and self.draw(st.booleans()):
            marks += b'"'
        pieces: Pieces = [Piece(b"`", context, path)]
        for piece in self.commands(within, depth - 1):
            for byte in piece.text:
                if byte in marks:
                    pieces.append(Piece(b"\\", Context.UNQUOTED, within))
                pieces.append(replace(piece, text=bytes([byte])))
        return [*pieces, Piece(b"`", context, path)]

    # Commands

    def commands(self, path: Path, depth: int) -> Pieces:
        def separator() -> Pieces:
            plain = self.draw(st.sampled_from([b"; ", b"\n", b" \n\n ", b" && ", b" | ", b"\t|& "]))
            return self.one_of(lambda: [Piece(plain, Context.UNQUOTED, path)], lambda: self.comment(path))

        return [*self.some(lambda: self.command(path, depth), 3, separator), Piece(b" ", Context.UNQUOTED, path)]

    @staticmethod
    def apart(path: Path, pieces: Pieces) -> Pieces:
        """Bash takes two parentheses together for arithmetic, and then knows no comments up to its end."""
        return [Piece(b" ", Context.UNQUOTED, path), *pieces] if pieces[0].text.startswith(b"(") else pieces

    def comment(self, path: Path) -> Pieces:
        return [
            Piece(b" ", Context.UNQUOTED, path),
            self.text(b"#", Context.COMMENT, path),
            Piece(b"#'\"$({[", Context.COMMENT, path),
            self.letters(Context.COMMENT, path),
            Piece(b"\n", Context.UNQUOTED, path),
        ]

    def command(self, path: Path, depth: int) -> Pieces:
        if depth <= 0:
            return self.simple(path, 0)
        return self.one_of(
            lambda: self.simple(path, depth),
            lambda: self.simple(path, depth),
            lambda: self.heredoc(path, depth),
            lambda: self.case(path, depth),
            lambda: self.test(path, depth),
            lambda: self.compound(path, depth),
            lambda: self.array(path, depth),
        )

    def simple(self, path: Path, depth: int) -> Pieces:
        def blank_and_word() -> Pieces:
            return [Piece(b" ", Context.UNQUOTED, path), *self.word(Context.UNQUOTED, path, depth)]

        def substitution() -> Pieces:
            within = (Context.PROCESS_SUBSTITUTION, *path)
            return [
                Piece(b" <(", Context.UNQUOTED, path),
                *self.apart(within, self.commands(within, depth - 1)),
                Piece(b")", Context.UNQUOTED, path),
            ]

        pieces = [Piece(b"p", Context.UNQUOTED, path), *self.some(blank_and_word, 2)]
        if depth > 0 and self.draw(st.integers(0, 5)) == 0:
            pieces += substitution()
        if self.draw(st.booleans()):
            pieces.append(
                Piece(self.draw(st.sampled_from([b" 2>&1", b" >/dev/null", b" <<<w"])), Context.UNQUOTED, path)
            )
        return pieces

    def heredoc(self, path: Path, depth: int) -> Pieces:
        self.delimiters += 1
        name = b"E%d" % self.delimiters
        quoted = self.draw(st.booleans())
        spelled = self.draw(st.sampled_from([b"'%s'", b'"%s"', b"\\%s"])) % name if quoted else name
        context = Context.HEREDOC_QUOTED if quoted else Context.HEREDOC
        within = (context, path)

        def part() -> Pieces:
            if quoted:
                return [self.letters(*within), self.text(b"'\"$`\\ ()\n#", *within)]
            return self.one_of(
                lambda: [self.letters(*within), self.text(b"'\" ()\n#", *within)],
                lambda: self.escaped(b"$`\\", *within),
                lambda: self.expansion(*within, depth - 1) if depth > 1 else [],
            )

        body = self.some(part, 3)
        ending = name
        if not quoted and self.draw(st.booleans()):
            broken = self.draw(st.integers(0, len(name)))
            ending = name[:broken] + b"\\\n" + name[broken:]
        return [
            Piece(b"h <<", Context.UNQUOTED, path),
            Piece(spelled, Context.DELIMITER, path),
            Piece(b" >/dev/null\n", Context.UNQUOTED, path),
            *body,
            Piece(b".\n", *within),
            Piece(ending, Context.DELIMITER, path),
            Piece(b"\n: ", Context.UNQUOTED, path),
        ]

    def case(self, path: Path, depth: int) -> Pieces:
        opening = self.draw(st.sampled_from([b" ", b" ("]))
        return [
            Piece(b"case ", Context.UNQUOTED, path),
            *self.word(Context.UNQUOTED, path, depth - 1, logged=False),
            Piece(b" in", Context.UNQUOTED, path),
            Piece(opening, Context.CASE_PATTERN, path),
            *self.word(Context.CASE_PATTERN, path, depth - 1, logged=False),
            Piece(b"|*)", Context.CASE_PATTERN, path),
            Piece(b" ", Context.UNQUOTED, path),
            *self.commands(path, depth - 1),
            Piece(b";;", Context.UNQUOTED, path),
            Piece(b" esac", Context.CASE_PATTERN, path),
        ]

    def test(self, path: Path, depth: int) -> Pieces:
        within = (Context.TEST, path)
        operator = self.draw(st.sampled_from([b" == ", b" != ", b" -nt ", b" < "]))
        return [
            Piece(b"[[", Context.UNQUOTED, path),
            Piece(b" ( ", *within),
            *self.word(*within, depth - 1, logged=False),
            Piece(operator, *within),
            *self.word(*within, depth - 1, logged=False),
            Piece(b" && w =~ ^w(", *within),
            Piece(b" |w", Context.PATTERN, (Context.TEST, *path)),
            Piece(b")$ ) ", *within),
            Piece(b"]]", Context.UNQUOTED, path),
        ]

    def compound(self, path: Path, depth: int) -> Pieces:
        opening, middle, closing = self.draw(
            st.sampled_from(
                [
                    (b"( ", b"", b")"),
                    (b"(", b"", b")"),
                    (b"{ ", b"", b"; }"),
                    (b"if ", b"; then ", b"; fi"),
                    (b"for i in w; do ", b"", b"; done"),
                    (b"f() { ", b"", b"; }; f"),
                    (b"while ", b"; do break; ", b"; done"),
                ]
            )
        )
        pieces = [Piece(opening, Context.UNQUOTED, path), *self.apart(path, self.commands(path, depth - 1))]
        if middle:
            pieces += [Piece(b"\n" + middle.lstrip(b"; "), Context.UNQUOTED, path), *self.commands(path, depth - 1)]
        return [*pieces, Piece(b"\n" + closing.lstrip(b"; "), Context.UNQUOTED, path)]

    def array(self, path: Path, depth: int) -> Pieces:
        # No escapes, and comments only at the top: within a substitution Bash 5.2 itself misreads both in an array.
        within = (Context.ARRAY, *path)
        return [
            Piece(b"v=(", Context.UNQUOTED, path),
            *self.single(Context.UNQUOTED, within, logged=False),
            *(self.double(Context.UNQUOTED, within, depth - 1, logged=False) if depth > 1 else []),
            Piece(b" [", Context.UNQUOTED, within),
            Piece(b"1 + 1", Context.SUBSCRIPT, within),
            Piece(b"]=w", Context.UNQUOTED, within),
            *([] if path else self.comment(within)),
            Piece(b") v[", Context.UNQUOTED, path),
            Piece(b" 3 ", Context.SUBSCRIPT, path),
            Piece(b"]=w", Context.UNQUOTED, path),
        ]


@st.composite
def programs(draw: DrawFn, depth: int = 3) -> Program:
    """A program that Bash accepts, with constructs up to `depth` deep."""
    writer = Writer(draw)
    return Program(tuple(piece for piece in writer.commands((), draw(st.integers(1, depth))) if piece.text))
