"""What a transport hands over for one reply: a launch, a typed refusal, or the rejection of its own parser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SHELLS: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        "bash": (b"bash", b"-n"),
        "sh": (b"sh", b"-n"),
        "dash": (b"dash", b"-n"),
        "busybox": (b"busybox", b"sh", b"-n"),
        "zsh": (b"zsh", b"-n"),
        "ksh": (b"ksh", b"-n"),
        "mksh": (b"mksh", b"-n"),
        "yash": (b"yash", b"-n"),
        "fish": (b"fish", b"-n"),
    }
)
"""Every shell that may stand on a path, by the name of its program, and what asks it whether its input parses."""


@dataclass(frozen=True, slots=True)
class SideFile:
    """A file that a boundary puts beside the work directory, at an absolute path below /run/qfuzz/in, read-only."""

    path: bytes
    content: bytes
    mode: int = 0o444


@dataclass(frozen=True, slots=True)
class OwnRun:
    """What is special about a launch with layers of the user's own, of which qfuzz knows no rules.

    `transport` names the whole path. `identity` digests what determines its runs beside the launch. `timeout_seconds`
    takes the place of the run's. `box`: the launch starts a program of the user's that runs the reply itself;
    `rejects` are the statuses by which that says that it won't. `service` is started first and `ready` asked, again
    and again for at most `ready_seconds`, until it ends with status 0; all words of commands for execvp.
    """

    transport: str = ""
    identity: str = ""
    timeout_seconds: float | None = None
    box: bool = False
    rejects: tuple[int, ...] = ()
    service: tuple[bytes, ...] = ()
    ready: tuple[bytes, ...] = ()
    ready_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Launch:
    """The process that starts the stack: execve(`executable`, `argv`), with `stdin` as its input (None: /dev/null).

    `program` is the text that this first shell reads, and `inner_shells` the number of further shells between it and
    the one that runs the reply; with 0 of them the program is what arrived. `shell` is the last shell's program name,
    used for its own -n check. `id_mapped`: it changes from one user to another, which only a jail of several users
    allows. With `own` the number of shells on the way is not known from the launch, and `inner_shells` is only not 0.
    `hides_arrival`: the shell that runs the reply is one that no recorder can stand before, so that of a launch with
    inner shells nobody can say what arrived.
    """

    executable: bytes
    argv: tuple[bytes, ...]
    program: bytes
    stdin: bytes | None = None
    files: tuple[SideFile, ...] = ()
    shell: str = "bash"
    inner_shells: int = 0
    id_mapped: bool = False
    hides_arrival: bool = False
    own: OwnRun | None = None

    @property
    def first_shell(self) -> str | None:
        """The shell that this launch starts, or None where it starts a program that starts the shell."""
        name = self.argv[0].decode("ascii", "replace")
        return name if name in SHELLS else None


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
