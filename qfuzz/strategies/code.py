"""Pieces of Bash that know which bodies of here-documents still have to follow them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One command or list. `text` may have several lines; `pending` are bodies that must follow its next newline."""

    text: bytes
    pending: bytes = b""

    def ended(self) -> bytes:
        """The whole of it, with the newline behind it."""
        return self.text + b"\n" + self.pending

    def then(self, separator: bytes, other: Code) -> Code:
        """Both, with a separator (` && `, `; `) between that a newline may stand behind, or in the place of."""
        if not self.pending:
            return Code(self.text + separator + other.text, other.pending)
        kept = b"" if separator == b"; " else separator.rstrip()
        return Code(self.text + kept + b"\n" + self.pending + other.text, other.pending)

    def between(self, opening: bytes, closing: bytes, *, lines: bool) -> bytes:
        """It between two words, on one line where that can be and `lines` is false."""
        if lines or self.pending:
            return opening + b"\n" + self.ended() + closing
        end = b" " if closing == b")" else b"; "
        return opening + b" " + self.text + end + closing
