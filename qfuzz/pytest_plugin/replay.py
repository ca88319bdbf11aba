"""One program of a test, run directly and over a transport."""

from __future__ import annotations

from dataclasses import dataclass, field

from qfuzz.model.case import Case, Expect
from qfuzz.model.errors import InputError
from qfuzz.model.task import Fixture, Task
from qfuzz.pytest_plugin.lab import Lab
from qfuzz.regress.files import Placed, names_of
from qfuzz.regress.judge import Replayed, Standing


@dataclass(frozen=True, slots=True)
class Replay:
    """What was seen. `survived`: over the transport the program did what it does directly.

    `refused`: the transport can't carry it, which is no damage; it did not survive either. `seen` has the rest: the
    first observations `direct` and `transported`, `failure` and `what`.
    """

    survived: bool
    refused: bool
    seen: Replayed
    _lab: Lab = field(repr=False)

    @property
    def text(self) -> str:
        """What `qfuzz explain` shows of it; may run the program many times more."""
        return self._lab.lines(self.seen)


def replayed(lab: Lab, program: bytes | str, transport: str, task: Task | None, fixture: Fixture | None) -> Replay:
    """Raises InputError for a program that can't be judged: it never does the same twice, or does not end directly."""
    data = program.encode() if isinstance(program, str) else program
    given = Fixture() if fixture is None else fixture
    case = Case(transport, Expect.SURVIVES, data, task=task, fixture=given if task is None else Fixture())
    (name,) = names_of([case])
    seen = lab.replay(Placed(case, "a test", name, task, given if task is None else task.fixture))
    if seen.standing is Standing.UNJUDGED:
        raise InputError(seen.what, where=name)
    return Replay(seen.as_expected, seen.standing is Standing.REFUSED, seen, lab)
