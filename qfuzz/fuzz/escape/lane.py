"""Where an escaped word stands in a script, and what a shell should make of the script then. Pure."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from qfuzz.fuzz.escape.shells import Shell

_FIRST, _LAST = b"one", b"two"
"""Plain arguments around all others, names of no programs: a comment or a lost line end swallows the last one."""


class Context(enum.Enum):
    """The value is its name for users."""

    ARGUMENT = "argument"
    """Bare, an argument among others."""
    WORD = "word"
    """Glued to plain characters before and after it, and as the value of what looks like an assignment."""
    DOUBLE_QUOTED = "double-quoted"
    """Between double quotes that the script has, with plain characters around it."""


_AROUND = {
    Context.ARGUMENT: ((b"", b""),),
    Context.WORD: ((b"a", b"z"), (b"a=", b"/z")),
    Context.DOUBLE_QUOTED: ((b"a", b"z"),),
}
"""What a word is glued to, once for each time that it stands in a script."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One shell and one context."""

    shell: Shell
    context: Context

    @property
    def name(self) -> str:
        return f"{self.shell.name}, {self.context.value}"

    @property
    def per_word(self) -> int:
        """How often each word stands in the script."""
        return len(_AROUND[self.context])

    def script(self, escaped: Sequence[bytes]) -> bytes:
        """A command that prints what the shell made of the escaped words, each ended by NUL."""
        quote = b'"' if self.context is Context.DOUBLE_QUOTED else b""
        parts = [b"printf '%s\\0' " + _FIRST]
        for before, after in _AROUND[self.context]:
            left, right = b" " + quote + before, after + quote
            parts.append(left + (right + left).join(escaped) + right)
        return b"".join(parts) + b" " + _LAST + b"\n"

    def expected(self, words: Sequence[bytes]) -> bytes:
        """What it prints if each escaped word is read as the word itself."""
        return b"\0".join([_FIRST, *self.arguments(words), _LAST]) + b"\0"

    def arguments(self, words: Sequence[bytes]) -> tuple[bytes, ...]:
        """What stands between the first argument and the last one if the shell reads the words as they are."""
        return tuple(before + word + after for before, after in _AROUND[self.context] for word in words)

    def whole(self, output: bytes) -> bool:
        """Whether a shell printed the first argument and the last one."""
        start, end = _FIRST + b"\0", b"\0" + _LAST + b"\0"
        return output.startswith(start) and output.endswith(end)

    def read(self, output: bytes) -> tuple[bytes, ...] | None:
        """The arguments between the first one and the last one that a shell printed.

        Where the last one is missing or is not alone, all that follows the first one; None where that is missing too.
        """
        if not output.endswith(b"\0"):
            return None
        first, *others = output[:-1].split(b"\0")
        if first != _FIRST:
            return None
        return tuple(others[:-1] if others[-1:] == [_LAST] else others)
