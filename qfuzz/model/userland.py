"""How the context of a run says whose tools its replies found."""

from __future__ import annotations

from collections.abc import Mapping

from qfuzz.model.content import JsonValue

GNU = "gnu"
"""The machine's own userland, of which a context says nothing."""


def userland_name(context: Mapping[str, JsonValue]) -> str:
    """The name of the userland under which a run with this context was made."""
    userland = context.get("userland")
    return str(userland["name"]) if isinstance(userland, dict) else GNU
