"""Counts what the programs of a campaign were like, and what became of them."""

from __future__ import annotations

from collections import Counter

from qfuzz.bash.hazards import hazards_of
from qfuzz.bash.scan import contexts
from qfuzz.engine.events import Judged
from qfuzz.fuzz.transport.events import Counts, Coverage
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.compare import Stability
from qfuzz.strategies.cases import Case


class Cover:
    """Counts programs by construct, hazard and context; each counts once, however often it holds one."""

    def __init__(self) -> None:
        self._programs = 0
        self._constructs: Counter[str] = Counter()
        self._hazards: Counter[str] = Counter()
        self._contexts: Counter[str] = Counter()

    def add(self, case: Case) -> None:
        self._programs += 1
        self._constructs.update(case.constructs)
        self._hazards.update(hazards_of([case.program]))
        self._contexts.update({segment.context.value for segment in contexts(case.program).segments})

    def coverage(self) -> Coverage:
        return Coverage(self._programs, dict(self._constructs), dict(self._hazards), dict(self._contexts))


class Tally:
    """Counts judgements by what became of the program; see Counts."""

    def __init__(self) -> None:
        self.of: Counter[str] = Counter()

    def add(self, judged: Judged) -> None:
        (result,) = judged.results
        outcome = None if result.verdict is None else result.verdict.outcome
        stability = None if result.comparison is None else result.comparison.stability
        if outcome is Outcome.HARNESS_ERROR:
            self.of["harness_errors"] += 1
        elif outcome is Outcome.REFUSED or judged.direct.undelivered is not None:
            self.of["refused"] += 1
        elif stability is Stability.DIRECT_TIMEOUT:
            self.of["no_direct_end"] += 1
        elif stability is Stability.NONDETERMINISTIC:
            self.of["unstable"] += 1
        elif result.breaker:
            self.of["broke"] += 1
        elif stability is Stability.DIVERGED:
            self.of["diverged"] += 1
        else:
            self.of["same"] += 1

    def counts(self) -> Counts:
        return Counts(**self.of)
