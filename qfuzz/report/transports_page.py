"""What docs/transports.md says of every boundary: its own words, so that page and program can't drift apart."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from itertools import groupby

from qfuzz.transports.base import Boundary
from qfuzz.transports.registry import Registry

PARAGRAPH = "\n\n"


def boundaries_page(registry: Registry) -> str:
    """Markdown: for each file of boundaries a heading, its first paragraph, and below it what each boundary says."""
    return "\n".join(_lines(registry)) + "\n"


def _lines(registry: Registry) -> Iterator[str]:
    for module, boundaries in groupby(registry.boundaries.values(), key=lambda boundary: type(boundary).__module__):
        doc = inspect.getdoc(sys.modules[module]) or ""
        yield f"### {_in_markdown(_joined(doc.split(PARAGRAPH)[0]))}"
        yield ""
        for boundary in boundaries:
            yield from _boundary(boundary)


def _boundary(boundary: Boundary) -> Iterator[str]:
    kind = ", faithful" if boundary.faithful else ""
    yield f"**{boundary.name}**{kind}: `{boundary.summary}`" if "`" not in boundary.summary else f"**{boundary.name}**"
    yield ""
    for paragraph in (inspect.getdoc(type(boundary)) or "").split(PARAGRAPH):
        yield _in_markdown(_joined(paragraph))
        yield ""
    needs = [*boundary.programs, *boundary.tools, *(f"Python's {module}" for module in boundary.modules)]
    needed = f" Needs: {', '.join(needs)}." if needs else ""
    yield _in_markdown(f"Owns: {boundary.owns}. Can't carry: {boundary.cannot_carry}.{needed}")
    yield ""


def _joined(paragraph: str) -> str:
    return " ".join(paragraph.split())


def _in_markdown(text: str) -> str:
    """Prose as Markdown shows it: outside code, `<` and `*` mean themselves."""
    parts = text.split("`")
    parts[::2] = [part.replace("*", "\\*").replace("<", "\\<") for part in parts[::2]]
    return "`".join(parts)
