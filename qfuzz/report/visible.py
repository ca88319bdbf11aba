"""Untrusted text on a terminal or a page: nothing hidden, nothing obeyed, lines of bounded width."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡", 0x0A: "␊\n"}
_BLANKS_AT_END = re.compile(r" +(?=\n|\Z)")
CONTINUED = "↩"
"""Stands at the end of a line that was broken for width alone."""


def visible(text: bytes | str) -> str:
    """`text` with control characters as their pictures (␉ for a tab) and a real line break after each ␊.

    Bytes that are no UTF-8, format characters (which reorder or vanish) and unusual blanks become escapes. A blank
    before a line end becomes ·. A ␊ that ends the text keeps no line break behind it.
    """
    shown = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
    dotted = _BLANKS_AT_END.sub(lambda blanks: "·" * len(blanks[0]), shown)
    return "".join(map(_show, dotted)).removesuffix("\n")


def _show(char: str) -> str:
    code = ord(char)
    if code in _PICTURES:
        return _PICTURES[code]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if char.isprintable():
        return char
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width_of(text: str) -> int:
    """Columns that a terminal uses for visible text: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


def fold(line: str, width: int) -> Iterator[str]:
    """`line` in parts of at most `width` columns, broken after a blank where there is one, marked at each break."""
    while width_of(line) > width:
        end = 0
        used = width_of(CONTINUED)
        while used + width_of(line[end]) <= width:
            used += width_of(line[end])
            end += 1
        blank = line.rfind(" ", 0, end) + 1
        # A break far to the left would waste more than it helps.
        end = blank if blank > end // 2 else max(end, 1)
        yield line[:end] + CONTINUED
        line = line[end:]
    yield line
