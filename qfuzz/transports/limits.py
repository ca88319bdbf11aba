"""Declared limits that many boundaries share, as typed refusals with the offset of the first byte that is too much."""

from __future__ import annotations

from qfuzz.model.delivery import Refusal

NO_NUL = "no shell program holds a NUL"


def refuse_nul(boundary: str, text: bytes, reason: str = NO_NUL) -> Refusal | None:
    """The refusal of a text with a NUL, or None."""
    return Refusal(boundary, text.index(0), reason) if b"\0" in text else None


def refuse_bytes(boundary: str, text: bytes, what: str) -> Refusal | None:
    """The refusal of a text that holds a NUL or is not UTF-8, for a boundary that carries text: `what` names it."""
    return refuse_nul(boundary, text) or refuse_not_utf8(boundary, text, what)


def refuse_not_utf8(boundary: str, text: bytes, what: str) -> Refusal | None:
    """The refusal of bytes that are not UTF-8, which `what` has no way to hold; None for text, a NUL included."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return Refusal(boundary, error.start, f"{what} can't hold bytes that are not UTF-8")
    return None


def refuse_long(boundary: str, text: bytes, most: int, what: str) -> Refusal | None:
    """The refusal of a text of more than `most` bytes, or None."""
    return Refusal(boundary, most, f"{what} can't be longer than {most} bytes") if len(text) > most else None
