"""Planted boundaries, with real shells behind them: causes come out exactly, and an interrupt keeps the best so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType

import pytest

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.forms import form_maker
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.machinery import machinery
from qfuzz.engine.minimize import Interrupted
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.forms import Forms
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import differing_channels
from qfuzz.transports.base import Boundary, Transport
from qfuzz.transports.loader import resolve

Hurts = Callable[[bytes, int], bool]
"""Whether a percent sign at an offset of a text is lost."""


class Planted(Boundary):
    """Loses some percent signs, and makes one of two: so each can be protected by itself."""

    name = "planted"
    summary = owns = cannot_carry = "planted"
    witness = None
    faithful = False
    starts_shell = False
    rules = MappingProxyType({ord("%"): "is planted"})

    def __init__(self, hurts: Hurts) -> None:
        self._hurts = hurts

    def embed(self, text: bytes) -> bytes:
        kept = bytearray()
        offset = 0
        while offset < len(text):
            doubled = text[offset : offset + 2] == b"%%"
            if text[offset] != ord("%") or doubled or not self._hurts(text, offset):
                kept.append(text[offset])
            offset += 2 if doubled else 1
        return bytes(kept)

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"%", b"%%")

    def disclosure(self) -> str:
        return ""


def singles(text: bytes) -> int:
    return text.replace(b"%%", b"").count(b"%")


PROGRAM = b"echo 50% off\necho '%'a \"%\"\ncat <<E\n%\nE\n"
CASES: dict[str, tuple[Hurts, bytes, list[list[int]]]] = {
    "one character": (lambda text, at: text[at + 1 : at + 2] == b"'", PROGRAM, [[19]]),
    "two, only together": (lambda text, _: singles(text) == 2, b"echo a% b%\n", [[6, 9]]),
    "only at the start": (lambda _, at: at == 0, b"%() { echo x; }\n\\% 2>&1; declare -F | wc -l\n", [[0]]),
    "only on the second line": (lambda text, at: text[:at].count(b"\n") == 1, PROGRAM, [[19], [24]]),
    "only in a here-document": (lambda text, at: b"<<E" in text[:at], PROGRAM, [[35]]),
}


@pytest.fixture(scope="module")
def machines() -> Iterator[Machinery]:
    with Pool(1) as pool:
        yield machinery(pool, 10.0)


def breaker(machines: Machinery, transport: Transport, program: bytes) -> Breaker:
    seen: list[Observation] = []
    for each in (resolve("direct"), transport):
        launch = each.deliver(program)
        assert isinstance(launch, Launch)
        seen.append(machines.run(launch, Fixture()))
    assert differing_channels(*seen)
    return Breaker(program, None, Fixture(), transport, *seen)


def forms_of(machines: Machinery, broken: Breaker) -> Forms:
    with form_maker(machines, strict=False) as make:
        return make(broken)


@pytest.mark.parametrize("name", CASES)
def test_causes_come_out_exactly(machines: Machinery, name: str) -> None:
    hurts, program, causes = CASES[name]
    transport = Transport("planted", (Planted(hurts),), resolve("direct").starter)
    repair = forms_of(machines, breaker(machines, transport, program)).repair
    assert repair is not None
    assert [[one.offset for one in cause] for cause in repair.causes] == causes
    if name == "two, only together":
        # Either of the two repairs it, and the leftmost is the one that is left out first.
        assert [one.offset for one in repair.repair_set] == [9]
    else:
        assert [one.offset for one in repair.repair_set] == [offset for cause in causes for offset in cause]


def test_an_interrupted_search_gives_the_best_so_far(machines: Machinery) -> None:
    program = b"echo one; echo two; echo '$5'; echo three; echo four"
    broken = breaker(machines, resolve("nested"), program)
    whole = forms_of(machines, broken)
    assert whole.reply is not None
    left = 0

    def run(launch: Launch, fixture: Fixture) -> Observation:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return machines.run(launch, fixture)

    sizes = []
    for runs in range(0, whole.executions, 6):
        left = runs
        with pytest.raises(Interrupted) as stopped:
            forms_of(replace(machines, run=run), broken)
        forms = stopped.value.forms
        assert forms.repair in (None, whole.repair)
        if forms.reply is None:
            continue
        assert not forms.reply.finished
        sizes.append(len(forms.reply.program))
        assert breaker(machines, resolve("nested"), forms.reply.program)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == len(whole.reply.program)
    assert len(set(sizes)) > 2
