"""Programs to try a path with: free ones, and right programs for tasks of families."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from qfuzz.model.task import Fixture, Task
from qfuzz.strategies.grammar import free_programs
from qfuzz.strategies.tasks import family_programs

_EMPTY = Fixture()


@dataclass(frozen=True, slots=True)
class Case:
    """A program that works directly. `task` None: a free one, which says nothing but what it does.

    `constructs` names what is in it: those of the grammar, or the family and the style of quoting.
    """

    program: bytes
    task: Task | None
    constructs: frozenset[str]

    @property
    def fixture(self) -> Fixture:
        return _EMPTY if self.task is None else self.task.fixture


@st.composite
def cases(draw: DrawFn) -> Case:
    """Three free programs for one of a family. The plainest is `echo a`."""
    if draw(st.integers(0, 3)) < 3:
        free = draw(free_programs())
        return Case(free.text, None, free.constructs)
    of_family = draw(family_programs())
    names = frozenset((f"family:{of_family.task.family}", f"style:{of_family.style}"))
    return Case(of_family.program, of_family.task, names)
