"""Which causes a campaign has told of, and whether a further breaker has any other."""

from __future__ import annotations

from dataclasses import replace

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

    Where that can't be, for a transport protects no characters or the cause is none that it has rules for, it has none
    if all constructs of a known breaker of this kind are in it. Such a breaker holds characters beyond ASCII once it is
    small: with letters in their place, one that is the same on both paths, or has known causes only, has none either.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._places: set[Place] = set()
        self._constructs: list[frozenset[str]] = []
        self._odd: set[str] = set()

    def explain(self, case: Case, laboratory: Laboratory) -> bool:
        """Whether the known causes are all that this breaker has. True as well where that can't be found out."""
        places = self._places_of(case.program)
        known = [offset for offset, place in places.items() if place in self._places]
        if known and self._restores(case, known, laboratory):
            return True
        plain = self._plain(case.program)
        if plain != case.program:
            instead = replace(case, program=plain)
            return self._restores(instead, [], laboratory) or self.explain(instead, laboratory)
        if len(known) < len(places):
            return False
        return any(constructs <= _constructs(case) for constructs in self._constructs)

    def _restores(self, case: Case, known: list[int], laboratory: Laboratory) -> bool:
        """Whether protecting the characters at `known` gives the direct result. True where it can't be found out."""
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
        repair = None if forms is None else forms.repair
        if not places or repair is None or not repair.restorable:
            self._constructs.append(_constructs(case))
            self._odd.update(one for one in _text(case.program) if not one.isascii())
        causal = set() if repair is None else {(one.char, one.context) for cause in repair.causes for one in cause}
        fresh = causal - self._places
        # Known characters that only together resist protection are no news; what stands beside them is not tried again.
        if causal or sure:
            self._places |= fresh or set(places.values())
        return bool(fresh) or not causal

    def _plain(self, program: bytes) -> bytes:
        """The program with a letter in place of each odd character that is known."""
        return _bytes("".join("a" if one in self._odd else one for one in _text(program)))

    def _places_of(self, program: bytes) -> dict[int, Place]:
        active = self._transport.active(program)
        if not active:
            return {}
        scan = contexts(program)
        return {offset: (chr(program[offset]), scan.context(offset).value) for offset, _ in active}


def _text(program: bytes) -> str:
    """Its characters; what is not UTF-8 byte by byte."""
    return program.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _constructs(case: Case) -> frozenset[str]:
    """What a program is made of. Of a family's that is its style: all families spell a text alike."""
    return frozenset(name for name in case.constructs if not name.startswith("family:"))
