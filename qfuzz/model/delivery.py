"""What a transport hands over for one reply: a launch, a typed refusal, or the rejection of its own parser."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SideFile:
    """A file that a boundary puts beside the work directory, at an absolute path below /run/qfuzz/in, read-only."""

    path: bytes
    content: bytes
    mode: int = 0o444


@dataclass(frozen=True, slots=True)
class Launch:
    """The process that starts the stack. `stdin` None is /dev/null. `argv[0]` is an absolute path.

    `shell` is the last shell's program name ("bash", "sh"), used for its own -n check.
    """

    argv: tuple[bytes, ...]
    stdin: bytes | None = None
    files: tuple[SideFile, ...] = ()
    shell: str = "bash"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The boundary can't carry this text: a declared limit, not damage. `offset` is in bytes of the text it met."""

    boundary: str
    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class Rejection:
    """The boundary's parser gave an error on what the reply made of its input: damage."""

    boundary: str
    message: str


Delivery = Launch | Refusal | Rejection
