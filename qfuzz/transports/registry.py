"""Boundaries and stacks of them by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qfuzz.model.errors import UsageError
from qfuzz.model.text import near
from qfuzz.transports.base import Boundary, Transport
from qfuzz.transports.stacking import check_stack

STACK_SEPARATOR = ">"


class Registry:
    """Boundaries by name, and names for stacks of them, in order of registration."""

    def __init__(self) -> None:
        self.boundaries: dict[str, Boundary] = {}
        self.aliases: dict[str, tuple[str, ...]] = {}
        self._note = ""

    @contextmanager
    def noting(self, note: str) -> Iterator[None]:
        """Meanwhile an unknown name is answered with `note` too: why a transport that somebody expects is not here."""
        before, self._note = self._note, note
        try:
            yield
        finally:
            self._note = before

    def add(self, boundary: Boundary) -> None:
        assert boundary.name not in self.names(), f"boundary {boundary.name} is registered twice"
        self.boundaries[boundary.name] = boundary

    def remove(self, name: str) -> None:
        """Forgets a boundary."""
        del self.boundaries[name]

    def add_alias(self, name: str, stack: tuple[str, ...]) -> None:
        assert name not in self.names(), f"{name} is registered twice"
        self.aliases[name] = stack

    def names(self) -> list[str]:
        return [*self.boundaries, *self.aliases]

    def resolve(self, text: str) -> Transport:
        """The transport of a name or of a stack `a > b`.

        Raises UsageError for an unknown part or an empty one, and for a layer that can't follow one before it.
        """
        parts: list[str] = []
        for part in text.split(STACK_SEPARATOR):
            name = part.strip()
            if name in self.aliases:
                parts.extend(self.aliases[name])
            elif name in self.boundaries:
                parts.append(name)
            else:
                what = f"unknown transport {name!r}" if name else f"empty layer in the stack {text!r}"
                note = f"; {self._note}" if self._note else ""
                like = f"did you mean {' or '.join(found)}? " if (found := near(name, self.names())) else ""
                raise UsageError(what, hint=f"{like}`qfuzz transports` lists the known ones{note}")
        # "direct" at the end is implied; in a stack it changes nothing and would only give one thing two names.
        if len(parts) > 1 and parts[-1] == "direct":
            parts.pop()
        known_as = next((alias for alias, stack in self.aliases.items() if list(stack) == parts), None)
        title = known_as or f" {STACK_SEPARATOR} ".join(parts)
        boundaries = tuple(self.boundaries[part] for part in parts)
        check_stack(boundaries, text)
        return Transport(title, boundaries, self.boundaries["direct"])


REGISTRY = Registry()
