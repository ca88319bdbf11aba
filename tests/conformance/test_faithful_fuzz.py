"""What claims to be faithful, and every armor there is, carries drawn programs without a confirmed divergence.

Over the registry, so that a transport to come is held to its claim without more. `make fuzz-long` does it for as long
as one likes: `python -m tests.conformance.test_faithful_fuzz SECONDS [SEED]`.
"""

from __future__ import annotations

import os
import secrets
import sys

import pytest
import yaml

from qfuzz.engine.machinery import context_of, machinery
from qfuzz.fuzz.transport.faithful import Armored, Held, hold
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.task import Fixture
from qfuzz.transports.available import missing_of
from qfuzz.transports.base import Boundary, Transport
from qfuzz.transports.loader import load, resolve
from qfuzz.transports.yaml_text import KEY, Yaml, scalar_at
from tests.untapped import untapped

TIMEOUT_SECONDS = 20.0
"""Far more than any drawn program takes, for machines that do much else."""

SEED = 1
FAITHFUL_PROGRAMS = 150
ARMOR_PROGRAMS = 6


def available() -> list[Transport]:
    every = [resolve(name) for name in load().names() if name != "direct"]
    return [transport for transport in every if missing_of(transport) is None]


def faithful() -> list[Transport]:
    return [transport for transport in available() if transport.faithful]


def armored() -> list[Transport]:
    """The armor of every transport that has one, but for those whose armor is the program itself."""
    found = []
    for transport in available():
        armor = transport.armor(b"echo '$a \"b\"'")
        if armor is not None and not (transport.faithful and armor == b"echo '$a \"b\"'"):
            found.append(transport)
    return [Armored.of(transport) for transport in found]


class Unescaped(Yaml):
    """What the YAML boundary was once: NEL stands as it is in what is written, and is read as a line break."""

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refused = super().embed(text)
        if isinstance(refused, Refusal):
            return refused
        document = yaml.safe_dump({KEY: text.decode("utf-8")}, allow_unicode=True)
        return scalar_at(self.name, document, (KEY,))


class Loses(Yaml):
    """Loses one sequence of bytes, wherever it stands."""

    def __init__(self, lost: bytes) -> None:
        self._lost = lost

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        return text.replace(self._lost, b"") if b"\0" not in text else super().embed(text)


PLANTED: dict[str, Boundary] = {
    "planted yaml": Unescaped(),
    "planted DEL": Loses(b"\x7f"),
    "planted overlong": Loses(b"\xc0\x80"),
}
"""Claim to be faithful, and are wrong about one character each."""


def planted() -> list[Transport]:
    return [Transport(name, (boundary,), resolve("direct").starter) for name, boundary in PLANTED.items()]


def said(held: Held, what: str) -> str:
    compared = sum(held.compared.values())
    lines = [
        f"{held.programs} programs over {len(held.compared)} {what} in {held.seconds:.0f} s: {compared} compared, "
        f"{sum(held.refused.values())} refused, {held.unstable} not stable, {len(held.divergences)} diverged"
    ]
    lines += [f"{each.transport}: {each.what}: {each.case.program!r}" for each in held.divergences]
    return "\n".join(lines)


def test_faithful_transports_carry_drawn_programs(pool: Pool) -> None:
    """And what only claims to, does not: the same programs find each planted fault."""
    held = hold(
        [*faithful(), *planted()], untapped(machinery(pool, TIMEOUT_SECONDS)), context_of(pool, TIMEOUT_SECONDS),
        seed=SEED, jobs=2, examples=FAITHFUL_PROGRAMS,
    )  # fmt: skip
    print(said(held, "faithful transports"))
    assert {each.transport for each in held.divergences} == set(PLANTED), said(held, "faithful transports")
    assert {"quoted", "json", "script-file"} <= set(held.compared)
    assert held.unstable <= 0.02 * held.programs
    # A program in five holds a character that XML has no way to write, one in ten bytes that are not UTF-8.
    assert min(held.compared.values()) > 0.75 * FAITHFUL_PROGRAMS


@pytest.mark.long
def test_armor_carries_drawn_programs(pool: Pool) -> None:
    held = hold(
        armored(), untapped(machinery(pool, TIMEOUT_SECONDS)), context_of(pool, TIMEOUT_SECONDS),
        seed=SEED, jobs=2, examples=ARMOR_PROGRAMS,
    )  # fmt: skip
    print(said(held, "armors"))
    assert not held.divergences, said(held, "armors")
    assert {"armor of nested", "armor of single"} <= set(held.compared)
    assert held.unstable <= 0.1 * held.programs
    assert min(held.compared.values()) > 0


def test_the_exit_status_comes_back_where_that_is_said(pool: Pool) -> None:
    machines = machinery(pool, TIMEOUT_SECONDS)
    seen = {}
    for transport in armored():
        delivery = transport.deliver(b"exit 3")
        if isinstance(delivery, Launch):
            seen[transport.name] = machines.run(delivery, Fixture()).status.code == 3
    assert seen == {transport.name: transport.keeps_status for transport in armored() if transport.name in seen}
    assert len(seen) > 30


def main(seconds: float, seed: int) -> int:
    """Half of the time for each kind. Returns how many diverged, at most 1."""
    jobs = os.cpu_count() or 1
    print(f"seed {seed}")
    diverged = 0
    with Pool(jobs) as pool:
        for transports, what in ((faithful(), "faithful transports"), (armored(), "armors")):
            held = hold(
                transports, machinery(pool, TIMEOUT_SECONDS), context_of(pool, TIMEOUT_SECONDS),
                seed=seed, jobs=jobs, seconds=seconds / 2,
            )  # fmt: skip
            print(said(held, what), flush=True)
            diverged += len(held.divergences)
    return min(diverged, 1)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else secrets.randbits(32)))
