"""Which causes a campaign has told of, and whether a further breaker has any other."""

from __future__ import annotations

from qfuzz.bash.scan import contexts
from qfuzz.engine.laboratory import Laboratory
from qfuzz.model.errors import HarnessError
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Observation
from qfuzz.oracle.compare import differing_channels
from qfuzz.shrink.repair import OutOfTrials
from qfuzz.strategies.cases import Case
from qfuzz.transports.base import Transport

Place = tuple[str, str]
"""An active character with the quoting context that it stands in: what tells two causes apart."""


class KnownCauses:
    """A breaker has no new cause if protecting the characters of known ones alone restores it.

    Where a transport protects no characters, it has none if all constructs of a known breaker are in it.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._places: set[Place] = set()
        self._constructs: list[frozenset[str]] = []

    def explain(self, case: Case, laboratory: Laboratory) -> bool:
        """Whether the known causes are all that this breaker has. True as well where that can't be found out."""
        places = self._places_of(case.program)
        if not places:
            return any(known <= _constructs(case) for known in self._constructs)
        if set(places.values()) <= self._places:
            return True
        known = [offset for offset, place in places.items() if place in self._places]
        if not known:
            return False
        try:
            direct = laboratory.direct(case.program, case.fixture)
            outcome = laboratory.transported(self._transport.protect(case.program, known), case.fixture)
        except (OutOfTrials, HarnessError):
            return True
        if not isinstance(direct, Observation) or not isinstance(outcome, Observation):
            return False
        return not differing_channels(direct, outcome)

    def add(self, case: Case, forms: Forms | None, *, sure: bool = True) -> bool:
        """Take note of a breaker; whether it has a cause that was not known.

        Not `sure`: the search for its forms was cut short, and a program without known causes says nothing of others.
        """
        places = self._places_of(case.program)
        self._constructs.append(_constructs(case))
        repair = None if forms is None else forms.repair
        causal = set() if repair is None else {(one.char, one.context) for cause in repair.causes for one in cause}
        fresh = causal - self._places
        # Known characters that only together resist protection are no news; what stands beside them is not tried again.
        if causal or sure:
            self._places |= fresh or set(places.values())
        return bool(fresh) or not causal

    def _places_of(self, program: bytes) -> dict[int, Place]:
        active = self._transport.active(program)
        if not active:
            return {}
        scan = contexts(program)
        return {offset: (chr(program[offset]), scan.context(offset).value) for offset, _ in active}


def _constructs(case: Case) -> frozenset[str]:
    """What a program is made of. Of a family's that is its style: all families spell a text alike."""
    return frozenset(name for name in case.constructs if not name.startswith("family:"))
