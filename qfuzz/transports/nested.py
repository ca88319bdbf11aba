"""A shell inside a shell: the reply is written between quotes into a `bash -c` command that another bash reads.

People meet it wherever a harness builds a command line as text: `docker exec ... bash -c "R"`, `ssh host "R"`,
`os.system(f'bash -c "{R}"')`. The rules are those of POSIX.1-2024 XCU 2.2 (Quoting) as Bash applies them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

from qfuzz.bash.quote import ansi_c_octal, double, single
from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul

_EXPANDS = re.compile(rb"[A-Za-z0-9_@*#?$!({\[-]|[\x01\x7f]+[({\[]")
"""What makes an expansion of a dollar before it, between double quotes (Bash Reference Manual, Shell Expansions).

Bash escapes two bytes that it uses itself, and forgets a dollar before them only after the next byte: it then looks for
the end of an expansion (parse_matched_pair in parse.y of 5.2)."""

_NO_NUL = "a command line can't hold a NUL"


class Nested(Boundary):
    """`bash -c "R"`, run by bash: the text between double quotes is expanded once before the inner shell sees it.
    People meet it in `docker exec ... bash -c "R"`, `ssh host "R"`, `os.system(f'bash -c "{R}"')`. It owns
    backslash, dollar, backtick and double quote, and can't carry a NUL. Source: POSIX.1-2024 XCU 2.2.3."""

    name = "nested"
    summary = 'bash -c "R" as text, read by another bash'
    owns = "between double quotes: backslash, dollar, backtick, double quote"
    cannot_carry = "NUL"
    witness = b"echo '$HOME'"
    faithful = False
    expands = True
    starts_shell = True
    rules = MappingProxyType(
        {
            ord('"'): "ends the double quotes around the reply",
            ord("$"): "starts an expansion between double quotes",
            ord("`"): "starts or ends a command substitution between double quotes",
            ord("\\"): "between double quotes, escapes a dollar, backtick, double quote, backslash or newline",
        }
    )

    def inert(self, text: bytes, offset: int) -> bool:
        if text[offset] == ord("$"):
            return not _EXPANDS.match(text, offset + 1)
        following = text[offset + 1 : offset + 2]
        # The last byte of the reply stands before the closing quote.
        return text[offset] == ord("\\") and following != b"" and following not in b'\\$`"\n'

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text, _NO_NUL) or b'bash -c "' + text + b'"'

    def armor(self, program: bytes) -> bytes:
        return double(program)[1:-1]

    def disclosure(self) -> str:
        return (
            'R is pasted, as it is, between the double quotes of the command line `bash -c "R"`, which another '
            "bash runs. So R is read twice: first as the inside of a double-quoted string by the outer bash, then, "
            "after that bash has processed it, as a program by the inner one. Nothing escapes R for you."
        )


class Single(Boundary):
    """`bash -c 'R'`, run by bash: carries everything but the apostrophe, which ends the quotes. People meet it
    where somebody knew that double quotes expand. It owns the apostrophe, and can't carry a NUL. Source:
    POSIX.1-2024 XCU 2.2.2."""

    name = "single"
    summary = "bash -c 'R' as text, read by another bash"
    owns = "apostrophe"
    cannot_carry = "NUL"
    witness = b"echo 'a  b'"
    faithful = False
    expands = True
    starts_shell = True
    rules = MappingProxyType({ord("'"): "ends the single quotes around the reply"})

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text, _NO_NUL) or b"bash -c '" + text + b"'"

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"'", rb"'\''")

    def disclosure(self) -> str:
        return (
            "R is pasted, as it is, between the single quotes of the command line `bash -c 'R'`, which another "
            "bash runs. So R is read twice: first as the inside of a single-quoted string by the outer bash, "
            "then as a program by the inner one. Nothing escapes R for you."
        )


class _Escaped(Boundary):
    """What all share that write the reply as one word of the command line."""

    owns = "nothing"
    cannot_carry = "NUL"
    witness = None
    faithful = True
    starts_shell = True
    _word: Callable[[bytes], bytes]

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text, _NO_NUL) or b"bash -c " + self._word(text)

    def armor(self, program: bytes) -> bytes:
        return program


class Quoted(_Escaped):
    """`bash -c "R"` with R escaped at the point where it is pasted in, a backslash before each backslash, dollar,
    backtick and double quote: the smallest fix of `nested`. An exclamation mark needs none, for no shell with a
    history reads the line. It owns nothing, and can't carry a NUL. Source: POSIX.1-2024 XCU 2.2.3; bash(1), HISTORY
    EXPANSION."""

    name = "quoted"
    summary = 'bash -c "R" with R escaped where it is pasted in'
    _word = staticmethod(double)

    def disclosure(self) -> str:
        return (
            'R is escaped by the caller and pasted into the command line `bash -c "R"`, which another bash runs. The '
            "inner bash gets exactly R."
        )


class SingleEscaped(_Escaped):
    """`bash -c 'R'` with each apostrophe of R as `'\\''`: what escapeshellarg of PHP does, shlex.quote of Python in
    another spelling, and most functions that quote a word. The smallest fix of `single`. It owns nothing, and can't
    carry a NUL. Source: POSIX.1-2024 XCU 2.2.1 and 2.2.2."""

    name = "single-escaped"
    summary = "bash -c 'R' with each apostrophe of R as '\\''"
    _word = staticmethod(single)

    def disclosure(self) -> str:
        return (
            "R is put between single quotes by the caller, each apostrophe in it written as `'\\''`, in the command "
            "line `bash -c 'R'`, which another bash runs. The inner bash gets exactly R."
        )


class AnsiC(_Escaped):
    """`bash -c $'R'` in printable ASCII on one line: backslash and apostrophe behind a backslash, newline as `\\n`,
    other control characters and all bytes beyond ASCII as three octal digits. `printf %q` and `${R@Q}` of Bash write
    such texts so, but for characters beyond ASCII that are printable. It survives what changes line breaks or
    encodings, and needs a shell that has these quotes. It owns nothing, and can't carry a NUL. Source: Bash
    Reference Manual, 3.1.2.4 (ANSI-C Quoting); POSIX.1-2024 XCU 2.2.4."""

    name = "ansi-c"
    summary = "bash -c $'R' with R in the escapes of Bash, one line of ASCII"
    _word = staticmethod(ansi_c_octal)

    def disclosure(self) -> str:
        return (
            "R is written by the caller in the ANSI-C quotes of Bash, in the command line `bash -c $'R'`, which "
            "another bash runs. The inner bash gets exactly R."
        )


BOUNDARIES: tuple[Boundary, ...] = (Nested(), Single(), Quoted(), SingleEscaped(), AnsiC())
