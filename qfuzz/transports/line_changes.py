"""Small damage that nobody asked for: line ends, blanks, newlines and backslashes that a text loses or gains on its
way."""

from __future__ import annotations

from types import MappingProxyType

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul


class _Change(Boundary):
    """A replacement of bytes, whatever stands around them."""

    cannot_carry = "NUL"
    faithful = False
    starts_shell = False

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text) or self.change(text)

    def change(self, text: bytes) -> bytes:
        raise NotImplementedError

    def armor(self, program: bytes) -> bytes:
        return one_line(program)


class Crlf(_Change):
    """A carriage return before each newline: files written in text mode on Windows, `core.autocrlf`, forms on the
    web. It becomes a part of the last word of each line, of a heredoc's delimiter, of keywords. It owns the
    newline, and can't carry a NUL. Source: Python's open() with newline; POSIX.1-2024 XCU 2.3, where a carriage
    return is no blank."""

    name = "crlf"
    summary = "a carriage return before each newline"
    owns = "newline"
    witness = b"echo ok > out.txt\nls"

    def change(self, text: bytes) -> bytes:
        return text.replace(b"\n", b"\r\n")

    def disclosure(self) -> str:
        return "In R each newline becomes carriage return and newline, and bash runs what comes out."


class Stripped(_Change):
    """Blanks and newlines at both ends of the text are taken away: `text.strip()` is in most tools that read a
    model's answer. A blank after a backslash, the end of an open quote or a heredoc's last empty lines are lost.
    It owns blanks at the ends, tab, carriage return, form feed and vertical tab among them, and can't carry a NUL.
    Source: bytes.strip of Python."""

    name = "stripped"
    summary = "blanks and newlines taken away at both ends"
    owns = "blanks, tab, carriage return, form feed, vertical tab and newline at the ends"
    witness = b"printf '<%s>' a\\ "

    def change(self, text: bytes) -> bytes:
        return text.strip()

    def disclosure(self) -> str:
        return "Blanks and newlines at both ends of R are taken away, and bash runs what is left."


class LinesStripped(_Change):
    """Blanks at both ends of every line are taken away: editors that trim, Markdown and YAML made by hand,
    "clean-up" of indentation. Indented text in heredocs and Makefiles is changed without any error. It owns
    blanks where a line begins or ends, tab, carriage return, form feed and vertical tab among them, and can't carry a
    NUL. Source: bytes.strip of Python, line by line."""

    name = "lines-stripped"
    summary = "blanks taken away at both ends of every line"
    owns = "blanks, tab, carriage return, form feed and vertical tab where a line begins or ends"
    witness = b"cat <<'EOF'\n\tindented\nEOF"

    def change(self, text: bytes) -> bytes:
        return b"\n".join(line.strip(b" \t\r\f\v") for line in text.split(b"\n"))

    def disclosure(self) -> str:
        return "Blanks at both ends of each line of R are taken away, and bash runs what is left."


class NewlinesCollapsed(_Change):
    """Every newline becomes a blank: terminal tools that want one line, log fields, chat clients. Commands join
    into one, comments take in the rest, heredocs lose their bodies. It owns the newline, and can't carry a NUL.
    Source: the replacement itself."""

    name = "newlines-collapsed"
    summary = "every newline becomes a blank"
    owns = "newline"
    witness = b"cat <<'EOF' > f\nl1\nl2\nEOF\ncat f"

    def change(self, text: bytes) -> bytes:
        return text.replace(b"\n", b" ")

    def disclosure(self) -> str:
        return "In R each newline becomes a blank, and bash runs what comes out."


class BackslashLost(_Change):
    """One level of backslashes is lost: a tool unescapes a text that was not escaped, and two backslashes arrive as
    one, in every kind of quotes alike. It owns the backslash that another one follows, and can't carry a NUL.
    Source: the replacement itself, from left to right."""

    name = "backslash-lost"
    summary = "two backslashes arrive as one"
    owns = "backslash"
    witness = b"printf '%s\\n' 'a\\\\b'"
    rules = MappingProxyType({ord("\\"): "is lost where another backslash follows"})

    def inert(self, text: bytes, offset: int) -> bool:
        return text[offset - 1 : offset] != b"\\" and text[offset + 1 : offset + 2] != b"\\"

    def change(self, text: bytes) -> bytes:
        return text.replace(b"\\\\", b"\\")

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"\\", b"\\\\")

    def disclosure(self) -> str:
        return "In R two backslashes become one, from left to right, and bash runs what comes out."


BOUNDARIES: tuple[Boundary, ...] = (Crlf(), Stripped(), LinesStripped(), NewlinesCollapsed(), BackslashLost())
