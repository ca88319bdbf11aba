"""Asks a real shell in a jail what it makes of many escaped words at once, and finds those that it reads otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qfuzz.fuzz.escape.lane import Lane
from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture

MOST_BYTES = 200_000
"""The most escaped text that one shell gets: what it prints must fit into what is kept of an output."""

_EMPTY = Fixture()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a shell did with one escaped word. `read` is what it parsed, None where nothing can be said of that.

    `whole`: it read the arguments before and after the word, too. `ending` says how it ended if not with status 0, or
    what it left behind; `said` is its last complaint. Both may be empty.
    """

    read: tuple[bytes, ...] | None
    whole: bool
    ending: str
    said: str


class Reader:
    """One lane in a pool; may be used from any thread. `timeout_seconds` is for one shell."""

    def __init__(self, pool: Pool, lane: Lane, timeout_seconds: float = 2.0) -> None:
        self.lane = lane
        self._pool = pool
        self._timeout_seconds = timeout_seconds

    def holds(self, words: Sequence[bytes], escaped: Sequence[bytes]) -> bool:
        """Whether the shell reads every escaped word as the word itself."""
        return all(self._holds(words[start:end], escaped[start:end]) for start, end in self._portions(escaped))

    def first_failing(self, words: Sequence[bytes], escaped: Sequence[bytes]) -> int | None:
        """The index of the first word that is read otherwise; None where there is none.

        None as well where words fail together and not one by one; `holds` stays False then.
        """
        for start, end in self._portions(escaped):
            if not self._holds(words[start:end], escaped[start:end]):
                found = self._bisected(words, escaped, start, end)
                if found is not None:
                    return found
        return None

    def read_one(self, escaped: bytes) -> Reading:
        """What the shell makes of a single escaped word."""
        observation = self._run((escaped,))
        output = observation.stdout.data
        return Reading(self.lane.read(output), self.lane.whole(output), _ending(observation), _said(observation))

    def _bisected(self, words: Sequence[bytes], escaped: Sequence[bytes], start: int, end: int) -> int | None:
        while end - start > 1:
            middle = (start + end) // 2
            if self._holds(words[start:middle], escaped[start:middle]):
                start = middle
            else:
                end = middle
        return None if self._holds(words[start:end], escaped[start:end]) else start

    def _portions(self, escaped: Sequence[bytes]) -> Iterator[tuple[int, int]]:
        """Ranges of words that one shell can take."""
        start, size = 0, 0
        for at, each in enumerate(escaped):
            # Around each word stands a little more, and a word that is read wrongly may print more than it is long.
            cost = (len(each) + 8) * self.lane.per_word
            if at > start and size + cost > MOST_BYTES:
                yield start, at
                start, size = at, 0
            size += cost
        if start < len(escaped):
            yield start, len(escaped)

    def _holds(self, words: Sequence[bytes], escaped: Sequence[bytes]) -> bool:
        observation = self._run(escaped)
        return not _ending(observation) and observation.stdout.data == self.lane.expected(words)

    def _run(self, escaped: Sequence[bytes]) -> Observation:
        script = self.lane.script(escaped)
        return self._pool.run(Execution(self.lane.shell.launch(script), _EMPTY, self._timeout_seconds))


def _ending(observation: Observation) -> str:
    """What an ordinary end is not: printing arguments ends with status 0 and leaves nothing behind."""
    status = observation.status
    if status.ending is Ending.EXIT and status.value == 0:
        files = sorted(observation.tree.entries)
        return f"leaves a file {files[0].decode('utf-8', 'backslashreplace')!r} behind" if files else ""
    if status.ending is Ending.TIMEOUT:
        return "does not end"
    how = f"ends with status {status.value}" if status.ending is Ending.EXIT else f"is killed by signal {status.value}"
    if observation.limit:
        how += f" (limit of {observation.limit})"
    return how


def _said(observation: Observation) -> str:
    lines = observation.stderr.data.decode("utf-8", "backslashreplace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
