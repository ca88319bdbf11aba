"""One public report, as the tests of this folder hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Left:
    """What a run leaves: exit status, standard output, files of the work directory."""

    status: int
    stdout: bytes = b""
    files: Mapping[bytes, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """`over` is what the transport leaves, or a part of what its own parser says; `stderr` a part of what is there."""

    links: tuple[str, ...]
    transport: str
    program: bytes
    direct: Left
    over: Left | str
    stderr: bytes = b""


def github(*places: str) -> tuple[str, ...]:
    """Links of `owner/name#number`."""
    return tuple(f"https://github.com/{place.replace('#', '/issues/')}" for place in places)
