"""Programs that work directly, drawn until one of them does not survive a transport, and then made small."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from qfuzz.model.case import Case, Expect
from qfuzz.model.errors import HarnessError, UsageError
from qfuzz.model.task import Fixture, Task
from qfuzz.pytest_plugin.lab import Lab, fail
from qfuzz.regress.files import Placed, names_of
from qfuzz.regress.judge import Replayed, Standing
from qfuzz.strategies import FamilyProgram, family_programs, programs

MOST_EXAMPLES = 1_000_000


@dataclass(frozen=True, slots=True)
class Tried:
    """What was tried: `survived` programs, those that the transport `refused`, and those that could not be judged."""

    survived: int
    refused: int
    unjudged: int


class _Broke(Exception):
    """A program did not survive."""

    def __init__(self, seen: Replayed) -> None:
        super().__init__()
        self.seen = seen


_DRAWN: st.SearchStrategy[tuple[bytes, Task | None]] = st.one_of(
    programs().map(lambda program: (program, None)), family_programs().map(lambda right: _with_task(right))
)


def _with_task(right: FamilyProgram) -> tuple[bytes, Task | None]:
    return right.program, right.task


def check(lab: Lab, transport: str, examples: int, seed: int) -> Tried:
    """Tries so many programs; the same arguments try the same ones.

    Fails the test with the explain view of the smallest program found that does not survive. Raises UsageError for a
    number of examples out of bounds, and where nothing could be shown, for the transport refused all of them.
    """
    if not isinstance(examples, int) or not 1 <= examples <= MOST_EXAMPLES:
        raise UsageError(f"expected examples from 1 to {MOST_EXAMPLES:,}, not {examples!r}")
    counts: dict[Standing, int] = dict.fromkeys(Standing, 0)
    last: list[Replayed] = []

    @seeded(seed)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
    )
    @given(_DRAWN)
    def survives(drawn: tuple[bytes, Task | None]) -> None:
        seen = _replayed(lab, transport, *drawn)
        counts[seen.standing] += 1
        if seen.standing is Standing.BROKE:
            last.append(seen)
            raise _Broke(seen)

    try:
        survives()
    except _Broke as broke:
        fail(lab.lines(broke.seen))
    except Flaky:
        # It broke in pairs of runs, and then it did not: no reply of the grammar does that by itself.
        fail(f"not each time: {lab.lines(last[-1])}")
    if not counts[Standing.AS_EXPECTED]:
        raise UsageError(f"{transport} carried none of {sum(counts.values())} programs, so nothing is shown")
    return Tried(counts[Standing.AS_EXPECTED], counts[Standing.REFUSED], counts[Standing.UNJUDGED])


def _replayed(lab: Lab, transport: str, program: bytes, task: Task | None) -> Replayed:
    case = Case(transport, Expect.SURVIVES, program, task=task)
    (name,) = names_of([case])
    fixture = Fixture() if task is None else task.fixture
    seen = lab.replay(Placed(case, "drawn", name, task, fixture))
    if seen.direct is None:
        raise HarnessError(seen.what)
    return seen
