"""Choices that Hypothesis makes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from qfuzz.gen.choices import Choices

T = TypeVar("T")


@functools.cache
def _integers(low: int, high: int) -> SearchStrategy[int]:
    return st.integers(low, high)


@st.composite
def _grouped(draw: DrawFn, make: Callable[[DrawFn], T]) -> T:
    return make(draw)


class DrawnChoices(Choices):
    """Choices that Hypothesis makes, and so can shrink: towards the first option and the smallest number."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(_integers(low, high))

    def group(self, make: Callable[[], T]) -> T:
        outer = self._draw

        def within(draw: DrawFn) -> T:
            self._draw = draw
            try:
                return make()
            finally:
                self._draw = outer

        drawn: T = outer(_grouped(within))
        return drawn


def drawn(make: Callable[[Choices], T]) -> SearchStrategy[T]:
    """A strategy of what `make` makes of choices."""
    return _grouped(lambda draw: make(DrawnChoices(draw)))
