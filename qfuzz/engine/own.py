"""Paths of the user's own: tested before they are used, and watched for signs that they failed instead of carrying.

What is known of a path is what its processes do. The test runs small harmless programs over it. It finds out which of
the shells that the path starts runs the reply, counted as they start, so that later the text that reaches that shell
can be seen, and whether the path ends before that shell does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from types import MappingProxyType

from qfuzz.jail.execution import Execution, Tap
from qfuzz.jail.pool import Pool, Watched
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import PathError, QfuzzError
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.model.text import last_line
from qfuzz.own.boundary import OwnBoundary
from qfuzz.transports.base import Transport

CANARY_FILE = b"qfuzz-canary"
SLOW_CANARY = b"sleep 0.3; touch " + CANARY_FILE
"""Starts no shell, so that all shells that do start are the path's; takes longer than a path that does not wait."""
PLAIN_CANARY = b"touch " + CANARY_FILE
"""For a path that carries no list of commands."""
WORD_CANARY = b"uname"
"""For a line of the user's around the reply, which may be broken for all but a word: that is what is to be found."""

NOT_FOUND = 127
"""What a shell ends with where it finds no such program."""

_LINE_HINT = (
    "the whole line runs in the jail, where no other machine is: leave out what leads there, as `docker exec -i box`, "
    "or show a stand-in for it"
)


def seconds_of(launch: Launch, timeout_seconds: float) -> float:
    """How long a launch may take: the time of its own path, where that has one."""
    own = launch.own
    return timeout_seconds if own is None or own.timeout_seconds is None else own.timeout_seconds


class OwnPaths:
    """The paths of the user's own among `transports`, each tested."""

    def __init__(
        self,
        pool: Pool,
        timeout_seconds: float,
        transports: Sequence[Transport],
        failed: MutableMapping[str, QfuzzError] | None = None,
    ) -> None:
        """Raises PathError for a path that fails its test, or puts it into `failed`, by the transport's name.

        Raises HostError and UsageError for one that can't be used at all.
        """
        self._pool = pool
        self._timeout_seconds = timeout_seconds
        shells: dict[str, int] = {}
        for transport in transports:
            if transport.is_own and transport.name not in (failed or {}):
                try:
                    shells[transport.name] = self._tested(transport)
                except PathError as error:
                    if failed is None:
                        raise
                    failed[transport.name] = error
        self._shells: Mapping[str, int] = MappingProxyType(shells)

    def arrived_text(self, launch: Launch, fixture: Fixture, tap: Tap) -> bytes | None:
        """The text that reaches the shell that runs the reply; None where it is not seen.

        Raises PathError where the path ended before that shell, or started none for this reply.
        """
        assert launch.own is not None, "not of the user's own"
        assert launch.own.transport in self._shells, f"{launch.own.transport} was not tested"
        number = self._shells[launch.own.transport]
        if not number:
            return None
        watched = self._watched(launch, fixture, tap, number)
        fault = _fault(launch, watched)
        if fault:
            raise PathError(fault, where=launch.own.transport)
        return watched.observation.arrived

    @property
    def unseen(self) -> tuple[str, ...]:
        """The paths for which it can't be seen what reaches the shell that runs the reply."""
        return tuple(name for name, number in self._shells.items() if not number)

    def _watched(self, launch: Launch, fixture: Fixture, tap: Tap, shells: int) -> Watched:
        seconds = seconds_of(launch, self._timeout_seconds)
        return self._pool.watched(Execution(launch, fixture, seconds, tap, shells))

    def _tested(self, transport: Transport) -> int:
        """The number of the shell that runs the reply, as they start; 0 where it can't be seen."""
        for boundary in transport.boundaries:
            if isinstance(boundary, OwnBoundary):
                boundary.require()
        launch = transport.deliver(SLOW_CANARY)
        word = transport.deliver(WORD_CANARY)
        if not isinstance(launch, Launch) or not isinstance(word, Launch):
            return 0
        assert launch.own is not None, f"{transport.name} is the user's own"
        if not launch.own.box:
            return self._tested_line(transport, word)
        watched = self._watched(launch, Fixture(), Tap.HAND_ON, 0)
        self._test_end(transport, watched)
        if _did(watched.observation) and _did(self._pool.run(_plain(launch, self._timeout_seconds))):
            return self._number(launch, SLOW_CANARY, watched, _did)
        simple = transport.deliver(PLAIN_CANARY)
        if isinstance(simple, Launch) and _did(self._pool.run(_plain(simple, self._timeout_seconds))):
            again = self._watched(simple, Fixture(), Tap.HAND_ON, 0)
            return self._number(simple, PLAIN_CANARY, again, _did)
        elsewhere = self._elsewhere(transport)
        if elsewhere:
            what = f"runs the reply in {elsewhere}, not where `exec` is started"
            hint = "have it run in the working directory of `exec`, which is that of the reply"
            raise PathError(what, where=transport.name, hint=hint)
        raise PathError(_never_ran(watched), where=transport.name)

    def _elsewhere(self, transport: Transport) -> str:
        """The other directory in which a path runs the reply; empty where none is seen."""
        directory = self._pool.work_directory
        launch = transport.deliver(b"pwd > %s/%s" % ((directory or "").encode(), CANARY_FILE))
        if directory is None or not isinstance(launch, Launch):
            return ""
        written = self._pool.run(_plain(launch, self._timeout_seconds)).tree.entries.get(CANARY_FILE)
        return "" if written is None else written.content.decode("utf-8", "backslashreplace").strip()

    def _test_end(self, transport: Transport, watched: Watched) -> None:
        ending = watched.observation.status.ending
        if ending is Ending.TIMEOUT:
            what = f"did not end within its time with `{SLOW_CANARY.decode()}`{_said(watched.observation)}"
            raise PathError(what, where=transport.name, hint="give it more: timeout = SECONDS")
        if watched.left:
            what = f"ended and left something running, when it ran `{SLOW_CANARY.decode()}`"
            raise PathError(what, where=transport.name, hint="it must end after the reply, and leave nothing running")

    def _tested_line(self, transport: Transport, launch: Launch) -> int:
        """The same for a line of the user's, which shall run a word at least."""
        observation = self._pool.run(_plain(launch, self._timeout_seconds))
        if not _named(observation):
            what = f"does not even run `{WORD_CANARY.decode()}` ({_ended(observation)}{_said(observation)})"
            raise PathError(what, where=transport.name, hint=_LINE_HINT if observation.status.code == NOT_FOUND else "")
        return self._number(launch, WORD_CANARY, self._watched(launch, Fixture(), Tap.HAND_ON, 0), _named)

    def _number(self, launch: Launch, canary: bytes, watched: Watched, did: Callable[[Observation], bool]) -> int:
        """Which of the shells that start runs the canary; 0 where none does that can be seen.

        A shell that only checks the reply gets it as well: only the one that runs it can keep it from being run.
        """
        texts = (watched.observation.arrived or b"").split(b"\0")
        order = sorted(range(1, len(texts) + 1), key=lambda number: (texts[number - 1] == canary, number), reverse=True)
        for number in order:
            if canary in texts[number - 1]:
                stopped = self._watched(launch, Fixture(), Tap.STOP, number).observation
                return 0 if did(stopped) else number
        return 0


def _plain(launch: Launch, timeout_seconds: float) -> Execution:
    return Execution(launch, Fixture(), seconds_of(launch, timeout_seconds))


def _did(observation: Observation) -> bool:
    return CANARY_FILE in observation.tree.entries


def _named(observation: Observation) -> bool:
    return b"Linux" in observation.stdout.data


def _never_ran(watched: Watched) -> str:
    shells = f"it started {watched.shells} shell{'s' if watched.shells != 1 else ''}"
    ended = f"{_ended(watched.observation)}{_said(watched.observation)}"
    return f"never runs the reply: `{PLAIN_CANARY.decode()}` did nothing; {shells} ({ended})"


def _fault(launch: Launch, watched: Watched) -> str:
    """Why a run says nothing about the reply; empty where it does.

    A path that started a shell and lost the text between two of them is one that broke the reply.
    """
    assert launch.own is not None
    observation = watched.observation
    if watched.early:
        return "ended before the shell that runs the reply"
    if not watched.shells and observation.status.code is not None and observation.status.code not in launch.own.rejects:
        return f"started no shell for this reply ({_ended(observation)}{_said(observation)})"
    return ""


def _ended(observation: Observation) -> str:
    status = observation.status
    return "timed out" if status.code is None else f"status {status.code}"


def _said(observation: Observation) -> str:
    """The last line on stderr."""
    last = last_line(observation.stderr.data)
    return f", saying: {last}" if last else ""
