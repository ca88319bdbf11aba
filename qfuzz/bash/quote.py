"""Ways to write a text as one Bash word, or as a here-document, so that the shell gives the same bytes back.

All functions are total over bytes without NUL and pure; none looks at the locale, since Bash splits its grammar at
ASCII bytes only and a UTF-8 sequence holds none.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_BARE = re.compile(rb"[A-Za-z0-9_@%+:,./-]")
_PLAIN_WORD = re.compile(rb"[A-Za-z0-9_./-]+\Z")
_DOUBLE_SPECIAL = re.compile(rb'[\\$`"]')
_ANSI_NAMED = {0x07: b"a", 0x08: b"b", 0x09: b"t", 0x0A: b"n", 0x0B: b"v", 0x0C: b"f", 0x0D: b"r", 0x1B: b"e"}


def single(text: bytes) -> bytes:
    """`'...'`, with each apostrophe written as `'\\''`. Everything else stands as it is."""
    return b"'" + text.replace(b"'", b"'\\''") + b"'"


def as_word(text: bytes) -> bytes:
    """`text` as one word, with quotes only where it needs them."""
    return text if _PLAIN_WORD.match(text) else single(text)


def printable_word(text: bytes) -> bytes:
    """`text` as one word of printable characters on one line: in `$'...'` where it holds others."""
    try:
        printable = text.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        printable = False
    return as_word(text) if printable else ansi_c(text)


def double(text: bytes) -> bytes:
    """`"..."` with backslash, dollar, backtick and double quote escaped (POSIX 2.2.3; `!` is inert in scripts)."""
    return b'"' + _DOUBLE_SPECIAL.sub(lambda match: b"\\" + match.group(), text) + b'"'


def ansi_c(text: bytes) -> bytes:
    """`$'...'` in printable ASCII: named escapes where Bash has them, `\\xHH` for other control and high bytes."""
    return b"$'" + b"".join(_ansi_byte(byte) for byte in text) + b"'"


def ansi_c_octal(text: bytes) -> bytes:
    """The same with three octal digits for these bytes, as `printf %q` writes: ksh93 reads on after two of `\\xHH`."""
    return b"$'" + b"".join(_ansi_byte(byte, b"\\%03o") for byte in text) + b"'"


def _ansi_byte(byte: int, other: bytes = b"\\x%02x") -> bytes:
    if byte in _ANSI_NAMED:
        return b"\\" + _ANSI_NAMED[byte]
    if byte in b"\\'":
        return b"\\" + bytes([byte])
    return bytes([byte]) if 0x20 <= byte < 0x7F else other % byte


def one_line(program: bytes, avoid: bytes = b"") -> bytes:
    """A Bash command of one line of printable ASCII that has the effect of `program`: `exec bash -c $'...'`.

    No byte of `avoid` stands between the quotes; a backslash does, and before an `x` or a letter only.
    """
    avoided = {*avoid, ord("\\"), ord("'")}
    return (
        b"exec bash -c $'"
        + b"".join(b"\\x%02x" % byte if byte in avoided else _ansi_byte(byte) for byte in program)
        + b"'"
    )


def fish_word(text: bytes) -> bytes:
    """A word of fish: between its single quotes a backslash escapes an apostrophe and a backslash, and nothing else."""
    return b"'" + text.replace(b"\\", b"\\\\").replace(b"'", b"\\'") + b"'"


def any_shell(program: bytes, kept: Collection[int] = ()) -> bytes:
    """The same for a shell that has no `$'...'`: one line of printable ASCII without `%`, `{` and `!`.

    Every byte of `program` that is not among those `kept` is written as three octal digits, which `echo -e` of Bash
    reads.
    """
    written = b"".join(bytes([byte]) if byte in kept else b"\\0%03o" % byte for byte in program)
    return b'exec bash -c \'eval "$(echo -e "' + written + b'")"\''


def backslash(text: bytes) -> bytes:
    """No quotes at all: a backslash before each ASCII byte that is not plainly inert.

    A newline can't be escaped so (backslash-newline vanishes) and becomes `$'\\n'`; the empty text becomes `''`.
    """
    return b"".join(_bare_byte(byte) for byte in text) or b"''"


def _bare_byte(byte: int) -> bytes:
    one = bytes([byte])
    if byte == 0x0A:
        return b"$'\\n'"
    return one if byte >= 0x80 or _BARE.match(one) else b"\\" + one


def percent_b(text: bytes) -> bytes:
    """An argument for `printf %b` that prints `text`, as a single-quoted word in printable ASCII."""
    return b"'" + b"".join(_percent_b_byte(byte) for byte in text) + b"'"


def _percent_b_byte(byte: int) -> bytes:
    if byte == 0x5C:
        return b"\\\\"
    # An octal escape of %b takes up to three digits after \0, so all three are always written.
    return bytes([byte]) if 0x20 <= byte < 0x7F and byte != 0x27 else b"\\0%03o" % byte


def heredoc_delimiter(body: bytes, base: bytes = b"EOF") -> bytes:
    """`base`, or `base_2`, `base_3`, ...: the first that is not a line of `body`."""
    lines = set(body.split(b"\n"))
    number = 1
    delimiter = base
    while delimiter in lines:
        number += 1
        delimiter = b"%s_%d" % (base, number)
    return delimiter


def heredoc(command: bytes, body: bytes, base: bytes = b"EOF") -> bytes:
    """`command` with `body` on its standard input as a quoted here-document.

    A here-document ends in a newline, so `body` must be empty or end in one; raises ValueError otherwise.
    """
    if body and not body.endswith(b"\n"):
        raise ValueError("a here-document can't hold a last line without a newline")
    delimiter = heredoc_delimiter(body, base)
    return b"%s <<'%s'\n%s%s\n" % (command, delimiter, body, delimiter)
