"""One descent: where it stands, what it has asked, and adaptive deletion of lists of cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

from qfuzz.shrink.cuts import Cut, without
from qfuzz.shrink.guard import Guard
from qfuzz.shrink.order import is_smaller

_NEAR = 2
"""Bytes on each side of a cut by which it is recognized later."""


class OutOfBudget(Exception):
    """The predicate may not be called again."""


class Search:
    """`program` is where it stands, always interesting; `calls` counts calls of the predicate, at most `budget`.

    No program is asked twice. A key is the full digest of a program, for 5,000 lines in thousands of versions are not
    to be kept.
    """

    def __init__(self, program: bytes, interesting: Callable[[bytes], bool], budget: int) -> None:
        assert budget >= 0, f"budget of {budget} calls"
        self.program = program
        self.calls = 0
        self._interesting = interesting
        self._budget = budget
        self._guard = Guard(program)
        self._known: dict[bytes, bool] = {}
        self._stubborn: set[tuple[tuple[bytes, bytes, bytes], ...]] = set()

    def prune(self, cuts: Sequence[Cut], *, again: bool) -> None:
        """Take as many cuts as possible out of the program, in their order.

        Chunks double as long as they go, and are halved where they do not, down to single cuts. Unless `again`, cuts
        that failed before in the same surroundings are passed over.
        """
        base = self.program
        todo = [cut for cut in cuts if again or _trace(base, cut) not in self._stubborn]
        gone: list[Cut] = []
        at, size = 0, 1
        while at < len(todo):
            end = min(len(todo), at + size)
            size = 2 * size if self._delete(base, gone, todo[at:end]) else 1
            at = end

    def _delete(self, base: bytes, gone: list[Cut], chunk: Sequence[Cut]) -> bool:
        """Take out all of the chunk, or what halving it allows; whether all of it went."""
        if self.moves_to(without(base, (*gone, *chunk))):
            gone += chunk
            return True
        if len(chunk) == 1:
            self._stubborn.add(_trace(base, chunk[0]))
            return False
        middle = len(chunk) // 2
        # If the first half goes, the second is not asked for as a whole: that is the candidate that failed above.
        first = self._delete(base, gone, chunk[:middle])
        second = self._delete(base, gone, chunk[middle:])
        return first and second

    def moves_to(self, candidate: bytes) -> bool:
        """Move to the candidate if it is smaller, admitted and interesting."""
        if not is_smaller(candidate, self.program) or not self._holds(candidate):
            return False
        self.program = candidate
        return True

    def _holds(self, candidate: bytes) -> bool:
        key = sha256(candidate).digest()
        known = self._known.get(key)
        if known is None:
            known = self._guard.admits(candidate) and self._ask(candidate)
            self._known[key] = known
        return known

    def _ask(self, candidate: bytes) -> bool:
        if self.calls >= self._budget:
            raise OutOfBudget
        self.calls += 1
        return self._interesting(candidate)


def _trace(program: bytes, cut: Cut) -> tuple[tuple[bytes, bytes, bytes], ...]:
    """What a cut takes out and what stands beside it: by this it is the same cut in a later version of the program."""
    return tuple(
        (program[max(0, start - _NEAR) : start], program[start:end], program[end : end + _NEAR]) for start, end in cut
    )
