"""Texts with places for something else: `{}`, `{reply}`, ...; with doubled braces, those characters themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text in pieces: bytes as they are, and names of places as strings."""

    pieces: tuple[bytes | str, ...]

    @staticmethod
    def of(text: str, names: Sequence[str]) -> Pattern:
        """`{name}` is a place for each of `names` (the empty one is `{}`), `{{name}}` the text `{name}`.

        All other braces stand for themselves.
        """
        either = "|".join(map(re.escape, names))
        pieces: list[bytes | str] = []
        end = 0
        for match in re.finditer(rf"\{{\{{({either})\}}\}}|\{{({either})\}}", text):
            pieces.append(text[end : match.start()].encode())
            pieces.append(match[2] if match[1] is None else f"{{{match[1]}}}".encode())
            end = match.end()
        pieces.append(text[end:].encode())
        return Pattern(tuple(piece for piece in pieces if piece != b""))

    def count(self, name: str) -> int:
        """How many places of this name there are."""
        return sum(piece == name for piece in self.pieces if isinstance(piece, str))

    def fill(self, values: Mapping[str, bytes]) -> bytes:
        """The text with a value in each place."""
        return b"".join(values[piece] if isinstance(piece, str) else piece for piece in self.pieces)
