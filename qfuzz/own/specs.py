"""What `qfuzz.toml` says of a transport, checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qfuzz.model.errors import HostError
from qfuzz.own.placeholders import Pattern

REPLY, REPLY_FILE, HERE = "reply", "reply_file", "here"
"""Places in the words of a command: the reply, the path of a file that holds it, the folder of `qfuzz.toml`."""
IN_TEMPLATE = ""
"""The place in a template, written `{}`."""


@dataclass(frozen=True, slots=True)
class Common:
    """What each kind of transport may have. `where` is its place (`file:line`), for errors.

    `identity` is a digest of what its runs depend on, or "" where what is handed over is all; `folder` holds the file.
    `lacking` says, with its place, what the file names and this machine does not have, so that nothing can run over it.
    """

    name: str
    where: str
    folder: Path
    summary: str
    shown: tuple[Path, ...]
    timeout_seconds: float | None
    identity: str
    faithful: bool
    lacking: HostError | None


@dataclass(frozen=True, slots=True)
class TemplateSpec:
    """A line that bash reads, with the reply in one place of it, escaped by `escape` (`module:function`)."""

    common: Common
    text: str
    template: Pattern
    escape: str | None


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """A program that runs the reply itself. All words may hold HERE; those of `command` also REPLY and REPLY_FILE."""

    common: Common
    command: tuple[Pattern, ...]
    stdin: bool
    environment: tuple[Pattern, ...]
    service: tuple[Pattern, ...]
    ready: tuple[Pattern, ...]
    ready_seconds: float
    rejects: tuple[int, ...]
    shell: str


Spec = TemplateSpec | BoxSpec
