"""Wording that all instructions share: how a literal is shown, what stands at the end."""

from __future__ import annotations

import json
import re

OPEN, CLOSE = "⟪", "⟫"

_MISJUDGED = re.compile(r"[^\x20-\x7e]|\A\s|\s\Z|  ")

CLOSING = (
    f"Exact text stands between {OPEN} and {CLOSE}; the two signs are not part of it. Leave every other file as it is, "
    "and leave no further file or directory behind."
)


def literal(text: bytes) -> str:
    """`text` between the signs, and as a JSON string where a reader could misjudge it: control or non-ASCII characters,
    blanks at an end, blanks in a row."""
    shown = text.decode("utf-8")
    quoted = f"{OPEN}{shown}{CLOSE}"
    if _MISJUDGED.search(shown) or OPEN in shown or CLOSE in shown:
        quoted += f" (as a JSON string: {json.dumps(shown)})"
    return quoted


def instruction(*paragraphs: str) -> str:
    """The paragraphs with blank lines between them and the closing words at the end."""
    return "\n\n".join((*paragraphs, CLOSING)) + "\n"
