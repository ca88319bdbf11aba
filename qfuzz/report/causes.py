"""Breakers by cause: which characters, in which quoting context, break how many replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TextIO

from qfuzz.engine.shrinking import Shrunk
from qfuzz.model.forms import Cause, Forms, MarkedChar
from qfuzz.model.text import counted, one_line
from qfuzz.report.visible import visible

Signature = tuple[tuple[str, str], ...]
"""A cause as its characters, each with its context, in order."""

MOST_CHARS = 8
MOST_PLACES = 4
"""Characters of one cause that are placed in a line; the rest is counted."""


class CauseGroups:
    """Counts by transport: breakers with forms, each distinct cause, and each character of a cause."""

    def __init__(self) -> None:
        self._breakers: Counter[str] = Counter()
        self._causes: dict[str, Counter[Signature]] = {}
        self._characters: dict[str, Counter[str]] = {}

    def add(self, shrunk: Shrunk) -> None:
        if shrunk.forms is None:
            return
        transport = shrunk.found.breaker.transport.name
        self._breakers[transport] += 1
        causes = causes_of(shrunk.forms)
        signatures = {signature(cause) for cause in causes}
        self._causes.setdefault(transport, Counter()).update(signatures)
        self._characters.setdefault(transport, Counter()).update({one.char for cause in causes for one in cause})

    def print(self, transport: str, stream: TextIO, most: int) -> None:
        """The distinct causes by number of breakers, largest first, then the characters alone."""
        causes = self._causes.get(transport, Counter())
        if not causes:
            return
        ordered = sorted(causes.items(), key=lambda item: (-item[1], item[0]))
        of_them = self._breakers[transport]
        print(f"  {counted(len(causes), 'cause')} in {of_them} of them:", file=stream)
        for cause, count in ordered[:most]:
            print(one_line(f"    {count:>4}  {_signature_text(cause)}"), file=stream)
        if len(ordered) > most:
            print(f"          and {len(ordered) - most} more", file=stream)
        characters = sorted(self._characters[transport].items(), key=lambda item: (-item[1], item[0]))
        listed = ", ".join(f"{shown_char(char)} {count}" for char, count in characters[:12])
        print(one_line(f"    by character alone: {listed}"), file=stream)


def causes_of(forms: Forms) -> tuple[Cause, ...]:
    """The causes of a breaker; where the transport protects no characters, the tokens of its minimal reply."""
    if forms.repair is not None:
        return forms.repair.causes
    return forms.reply.causes if forms.reply is not None else ()


def signature(cause: Cause) -> Signature:
    return tuple((one.char, one.context) for one in cause)


def shown_char(char: str) -> str:
    """A character or token for a line of text."""
    return "newline" if char == "\n" else visible(char).replace("\n", "")


def _signature_text(cause: Signature) -> str:
    contexts = dict.fromkeys(context for _, context in cause)
    parts = []
    for context in contexts:
        chars = [shown_char(char) for char, other in cause if other == context]
        more = f" and {len(chars) - MOST_CHARS} more" if len(chars) > MOST_CHARS else ""
        where = context if context == "unquoted" else f"in {context}"
        parts.append(f"{' '.join(chars[:MOST_CHARS])}{more} {where}")
    return "; ".join(parts)


def placed(cause: Iterable[MarkedChar]) -> str:
    """The characters of a cause with line and column: `" 1:21 and " 1:42`."""
    listed = [f"{shown_char(one.char)} {one.line}:{one.column}" for one in cause]
    more = f" and {len(listed) - MOST_PLACES} more" if len(listed) > MOST_PLACES else ""
    return " and ".join(listed[:MOST_PLACES]) + more
