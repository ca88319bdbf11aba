"""The characters that words are made of, few and dangerous, in the order in which they count as plain. Pure.

Small on purpose: neither random search nor coverage guidance gets anywhere in all of Unicode, and what breaks an
escaping function is a character that a shell, or the function, treats as its own.
"""

from __future__ import annotations

from collections.abc import Sequence

PLAIN = "a"

COMMON = PLAIN + "-=:,~ \t\n'\"\\$`!#&;|*?[{}(<%é"
"""The 28 that come first: one plain letter, and what shells treat as their own."""

RARE = "bnrtxu01AZ_/.@+^])>\r\x01\x07\x08\x0b\x0c\x1b\x7f\x80\x85\xa0ßÿıſ\u0301\u200b\u2028\u3000\ufeff’﹩＇😀"
"""Letters that escapes are spelled with, closing brackets, control characters, blanks and look-alikes of Unicode."""

ALL = COMMON + RARE

_RANK = {character: rank for rank, character in enumerate(ALL)}

PIECES = (
    "$(a)",
    "`a`",
    "${a}",
    "$a",
    "$$",
    "$?",
    "$'a'",
    '$"a"',
    "$((1))",
    "\\\n",
    "\\\\",
    "\\'",
    '\\"',
    "\\$",
    "\\`",
    "\\!",
    "'\\''",
    "''",
    '""',
    "!!",
    "!a",
    "!$",
    "^a^b",
    "~/",
    "~root",
    "a=~",
    ":~",
    "=ls",
    "{a,b}",
    "{1..3}",
    "[a-z]",
    "[!a]",
    "?(a)",
    "**",
    "<(a)",
    "2>a",
    "&&",
    "||",
    ";;",
    "# a",
    " #",
    "-n",
    "--",
    "-e",
    "%s",
    "%%",
    "%q",
    "\\n",
    "\\x41",
    "\\101",
    "\\u0041",
    "\\c",
    "\r\n",
    "\n\n",
    "\n!a",
    "  ",
    "a b",
    "é\u0301",
    "\x01\x7f",
)
"""Constructs that mean something in a shell or in what escapes are spelled with."""


def plainness(word: str) -> tuple[int, tuple[int, ...]]:
    """The order of witnesses: shortest in characters, then plainest by the order of the alphabet."""
    return len(word), tuple(_RANK.get(character, len(ALL) + ord(character)) for character in word)


def words_of(characters: Sequence[str], length: int) -> list[str]:
    """Every word of that length over the characters, in the order of `plainness` if they are in it."""
    words = [""]
    for _ in range(length):
        words = [word + character for word in words for character in characters]
    return words


def in_order(characters: set[str]) -> list[str]:
    """The characters from plain to odd."""
    return sorted(characters, key=plainness)
