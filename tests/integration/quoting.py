"""Escaping functions, right ones and wrong ones, for campaigns against them."""

from __future__ import annotations

import re
import shlex


def right(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"


def nothing(word: str) -> str:
    return word


def double(word: str) -> str:
    """Right in scripts; an interactive shell expands history between double quotes."""
    return '"' + re.sub(r'([$`"\\])', r"\\\1", word) + '"'


def inside_double(word: str) -> str:
    """For a place between double quotes that are there already."""
    return re.sub(r'([$`"\\])', r"\\\1", word)


def no_newline(word: str) -> str:
    return shlex.quote(word).replace("\n", "")


def leaves_files(word: str) -> str:
    return right(word) + (" 2>left" if "$" in word else "")


def floods(word: str) -> str:
    return "a; yes" if word == "~" else right(word)


def hangs_the_shell(word: str) -> str:
    return "`sleep 100`" if word == "~" else right(word)


def kills_the_shell(word: str) -> str:
    return "`kill -9 $$`" if word == "~" else right(word)


def long(word: str) -> str:
    return right(word) * 1_000_000 if word == "~" else right(word)


def picky(word: str) -> str:
    if "$" in word:
        raise ValueError("no dollars")
    return right(word)
