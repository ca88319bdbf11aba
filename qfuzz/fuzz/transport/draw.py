"""Draws cases from a seed, each by itself: no draw depends on another, so jobs and interruptions change nothing.

Hypothesis draws through `fuzz_one_input`, its public door for other engines: bytes in, one example of a strategy out.
A second time through the same door, with a test that fails, it gives the example in the form of its database, which
it replays and shrinks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from unittest import SkipTest

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis.database import ExampleDatabase

from qfuzz.strategies.cases import Case, cases

DRAW_BYTES = 4096
"""Bytes that one draw may use up; hardly any needs a quarter of it."""

# All that a profile of the user's could set otherwise.
_ENGINE = settings(
    database=None,
    deadline=None,
    derandomize=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    verbosity=Verbosity.quiet,
)
_CASES = cases()


class _Wanted(Exception):
    """The example is to be kept."""


class StopShrinking(BaseException):
    """Raised by the function that shrinking asks: the smallest case so far is the answer.

    No Exception, for Hypothesis takes each of those for a failure of another kind.
    """


def drawn_cases(seed: int) -> Iterator[tuple[int, Case]]:
    """The endless sequence of a seed, each case with its place."""
    taken: list[Case] = []
    door = _Door(taken.append)
    index = 0
    while True:
        door.enter(_buffer(seed, index))
        for case in taken:
            yield index, case
        taken.clear()
        index += 1


def example_of(seed: int, index: int) -> bytes:
    """The case of this place in the form of Hypothesis's database."""
    shelf = _Shelf()

    def want(_: Case) -> None:
        raise _Wanted

    try:
        _Door(want, shelf).enter(_buffer(seed, index))
    except _Wanted:
        return shelf.values[-1]
    raise AssertionError(f"draw {index} of seed {seed} gave a case before")


def shrunk(example: bytes, fails: Callable[[Case], bool]) -> tuple[Case, bytes] | None:
    """The smallest case found that still fails, and it in the form of the database; None if the example does not.

    The same example and the same answers give the same case. `fails` may raise StopShrinking.
    """
    shelf = _Shelf(example)
    failing: list[Case] = []

    # A seed on the test itself, for on the wrapped one it would take the database away. What the phase `explain` tries
    # last would be taken for the smallest.
    @settings(_ENGINE, database=shelf, phases=[Phase.reuse, Phase.shrink])
    @given(_CASES)
    @hypothesis_seed(0)
    def replay(case: Case) -> None:
        if fails(case):
            failing.append(case)
            raise _Wanted

    try:
        replay()
    except _Wanted:
        return failing[-1], shelf.values[-1]
    except StopShrinking:
        # The last one that failed need not be the smallest; the last one saved is, but that Hypothesis also saves
        # what it was stopped at.
        for example, case in read_examples(reversed(shelf.values)):
            if case in failing:
                return case, example
    return None


def read_examples(examples: Iterable[bytes]) -> list[tuple[bytes, Case]]:
    """Examples with their cases, without those that no longer are any: strategies change between versions."""
    read: list[tuple[bytes, Case]] = []
    for example in examples:
        taken: list[Case] = []

        @settings(_ENGINE, database=_Shelf(example), phases=[Phase.reuse])
        @given(_CASES)
        def replay(case: Case) -> None:
            taken.append(case)  # noqa: B023 (called before the next turn)

        with suppress(SkipTest):
            replay()
        read += [(example, case) for case in taken]
    return read


def _buffer(seed: int, index: int) -> bytes:
    return hashlib.shake_256(f"case:{seed}:{index}".encode()).digest(DRAW_BYTES)


class _Shelf(ExampleDatabase):
    """Gives one example, and keeps those that are saved under the key that is used first, the primary one.

    It gives it under the secondary one: what is primary Hypothesis takes for small already.
    """

    def __init__(self, *values: bytes) -> None:
        super().__init__()
        self.values = list(values)
        self._key: bytes | None = None

    def save(self, key: bytes, value: bytes) -> None:
        if self._is_ours(key):
            self.values.append(value)

    def fetch(self, key: bytes) -> Iterable[bytes]:
        return () if self._is_ours(key) or not key.endswith(b".secondary") else tuple(self.values[:1])

    def delete(self, key: bytes, value: bytes) -> None:
        """Nothing is deleted: the last one saved is the smallest."""

    def _is_ours(self, key: bytes) -> bool:
        self._key = self._key or key
        return key == self._key


class _Door:
    """Hands the case of some bytes to `take`."""

    def __init__(self, take: Callable[[Case], None], database: ExampleDatabase | None = None) -> None:
        @settings(_ENGINE, database=database)
        @given(_CASES)
        def hand_over(case: Case) -> None:
            take(case)

        self._fuzz: Callable[[bytes], bytes | None] = hand_over.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def enter(self, buffer: bytes) -> None:
        self._fuzz(buffer)
