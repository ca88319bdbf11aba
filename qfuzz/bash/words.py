"""Bash words: how to write a text so that it is one literal word."""

from __future__ import annotations

import re

_PLAIN_WORD = re.compile(rb"[A-Za-z0-9_./-]+\Z")


def single_quoted(text: bytes) -> bytes:
    """`text` as one word between apostrophes; an apostrophe itself leaves the quotes for one escaped character."""
    return b"'" + text.replace(b"'", rb"'\''") + b"'"


def as_word(text: bytes) -> bytes:
    """`text` as one word, in quotes only where it needs them."""
    return text if _PLAIN_WORD.match(text) else single_quoted(text)
