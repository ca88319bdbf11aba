"""A pair: two sides, each a contract and the transport that it tells of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qfuzz.collect.prompts import DISCLOSED, NATIVE, RAW
from qfuzz.engine.plan import DIRECT
from qfuzz.model.errors import UsageError
from qfuzz.transports.loader import resolve


@dataclass(frozen=True, slots=True)
class Side:
    """`contract`: how the replies of this side were asked for. `transport`: the path that the contract tells of."""

    contract: str
    transport: str

    @property
    def name(self) -> str:
        """How `--pair` spells it."""
        return self.transport if self.contract.startswith(DISCLOSED) else self.contract


@dataclass(frozen=True, slots=True)
class Pair:
    """`base` stands in the place of raw replies and the direct path, `other` in that of nested."""

    base: Side
    other: Side

    @property
    def name(self) -> str:
        return f"{self.base.name}:{self.other.name}"

    @property
    def transports(self) -> tuple[str, str]:
        return self.base.transport, self.other.transport

    def cells(self) -> dict[str, tuple[str, str]]:
        """Cell name to contract and transport; the first letter is the contract's side, the second the transport's."""
        base, other = self.base, self.other
        return {
            "rr": (base.contract, base.transport),
            "rn": (base.contract, other.transport),
            "nr": (other.contract, base.transport),
            "nn": (other.contract, other.transport),
        }


def _side(text: str) -> Side:
    name = text.strip()
    if name in (RAW, DIRECT):
        return Side(RAW, DIRECT)
    if name == NATIVE:
        return Side(NATIVE, DIRECT)
    transport = resolve(name).name
    return Side(DISCLOSED + transport, transport)


def parse_pair(text: str) -> Pair:
    """`raw:nested`, `native:nested` or two transports as in `single:nested`; raises UsageError.

    raw (or direct) and native stand for replies that were told of the direct path. A stack is a name too.
    """
    first, colon, second = text.partition(":")
    if not colon:
        raise UsageError(f"{text!r} is no pair", where="--pair", hint="write two sides, as in raw:nested")
    pair = Pair(_side(first), _side(second))
    if pair.base.transport == pair.other.transport:
        raise UsageError(f"both sides of {text!r} are the same path", where="--pair")
    return pair


def default_pairs(contracts: Iterable[str]) -> list[Pair]:
    """raw beside each transport that some contract discloses, nested first; raw:nested where none does."""
    disclosed = {name.removeprefix(DISCLOSED) for name in contracts if name.startswith(DISCLOSED)}
    names = sorted(disclosed, key=lambda name: (name != "nested", name)) or ["nested"]
    return [parse_pair(f"{RAW}:{name}") for name in names if name != DIRECT]
