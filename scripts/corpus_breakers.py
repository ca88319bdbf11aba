"""Makes corpus/breakers/: for each transport that has no file there, one with breakers of the shipped replies.

    .venv/bin/python scripts/corpus_breakers.py [TRANSPORT...]      (or: make breakers)

A transport that breaks things gets up to MOST cases that are known as broken: minimal replies with different causes,
of different families, and its witness. One that claims to carry everything gets the same programs, which it should
survive. Files that are there are left as they are: delete one to make it again. What comes out is to be read before it
is committed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from qfuzz.engine.machinery import machinery
from qfuzz.engine.stored import is_stable
from qfuzz.jail.pool import Pool
from qfuzz.model.case import SUFFIX, Case, Expect, Way
from qfuzz.model.task import Fixture
from qfuzz.regress.collect import stored_cases
from qfuzz.regress.files import file_bytes, read_cases
from qfuzz.regress.run import replay_cases
from qfuzz.store.store import Store, StoredBreaker
from qfuzz.transports.available import missing_of
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import load, resolve

CHECKOUT = Path(__file__).resolve().parent.parent
FOLDER = CHECKOUT / "corpus" / "breakers"
REPLIES = ("raw-0.jsonl",)
BUILD = CHECKOUT / "build"
MOST = 5
"""Cases a transport that breaks things."""
MOST_FAMILIES = 6
"""Families whose breakers are made minimal for one transport."""
MOST_FAITHFUL = 40
"""Programs that a transport should survive."""
REPEATS = 5
CROWD = 4
"""Cases at a time while they are repeated: more than there may be processors, so that races show."""
TIMEOUT_SECONDS = 10.0
QFUZZ = (sys.executable, "-m", "qfuzz")


def main(names: list[str]) -> int:
    wanted = [transport for transport in map(resolve, names or load().names()) if transport.name != "direct"]
    wanted = [transport for transport in wanted if not file_of(transport).exists()]
    for lacking in filter(None, map(missing_of, wanted)):
        print(f"left out: {lacking}; {lacking.remedy}")
    wanted = [transport for transport in wanted if missing_of(transport) is None]
    FOLDER.mkdir(exist_ok=True)
    unfaithful = [transport for transport in wanted if not transport.faithful]
    if unfaithful:
        write_broken(unfaithful)
    for transport in wanted:
        if transport.faithful:
            write(transport, survivors(transport))
    written = [str(file_of(transport)) for transport in wanted if file_of(transport).exists()]
    return subprocess.run([*QFUZZ, "regress", *written]).returncode if written else 0


def file_of(transport: Transport) -> Path:
    return FOLDER / f"{transport.name.replace(' > ', '-in-')}{SUFFIX}"


def write(transport: Transport, cases: Iterable[Case]) -> None:
    listed = list(cases)
    if not listed:
        print(f"{transport.name}: no breaker was found")
        return
    file_of(transport).write_bytes(file_bytes(listed))
    print(f"{file_of(transport).relative_to(CHECKOUT)}: {len(listed)} cases")


def write_broken(transports: list[Transport]) -> None:
    """Runs all replies and witnesses, shrinks candidates, and writes a choice of them."""
    BUILD.mkdir(exist_ok=True)
    database = BUILD / "breakers.db"
    database.unlink(missing_ok=True)
    witnesses = BUILD / "witnesses.jsonl"
    shown = {transport.boundaries[0].witness for transport in transports} - {None}
    witnesses.write_text("".join(json.dumps({"reply": witness.decode()}) + "\n" for witness in sorted(shown)))
    replies = [str(CHECKOUT / "corpus" / "replies" / name) for name in REPLIES]
    over = [word for transport in transports for word in ("--transport", transport.name)]
    run("diff", *replies, str(witnesses), *over, "--no-shrink", "--top", "0", "--db", str(database))
    with Store(database) as store:
        ids = [breaker.key for breaker in candidates(store.breakers(), transports)]
        run("shrink", *ids, "--db", str(database))
        families = Counter(family_of(case) for case in broken_cases())
        for transport in transports:
            found = stored_cases(store, Fixture(), frozenset((transport.name,)), Expect.BROKEN)
            minimal = [each.case for each in found if each.case is not None and not each.note]
            write(transport, choice(stable(minimal), families))


def stable(cases: list[Case]) -> list[Case]:
    """Those that break in the same way each time, also while others run: some race with a job in the background."""
    if not cases:
        return []
    file = BUILD / f"candidates{SUFFIX}"
    file.write_bytes(file_bytes(cases))
    placed = read_cases(file)
    unsure: set[int] = set()
    with Pool(CROWD) as pool:
        machines = machinery(pool, TIMEOUT_SECONDS)
        for _ in range(REPEATS):
            done = replay_cases(placed, machines, TIMEOUT_SECONDS, CROWD)
            unsure.update(index for index, replayed in enumerate(done) if not replayed.as_expected)
    return [each.case for index, each in enumerate(placed) if index not in unsure]


def candidates(breakers: Iterable[StoredBreaker], transports: list[Transport]) -> Iterator[StoredBreaker]:
    """For each transport its own witness, and of MOST_FAMILIES families the breaker of the shortest reply."""
    witness = {transport.name: transport.boundaries[0].witness for transport in transports}
    shortest: dict[str, dict[str, StoredBreaker]] = {}
    for breaker in filter(is_stable, breakers):
        family = "" if breaker.task is None else breaker.task.family
        if not family and breaker.program != witness[breaker.transport]:
            continue
        known = shortest.setdefault(breaker.transport, {}).setdefault(family, breaker)
        if (len(breaker.program), breaker.program) < (len(known.program), known.program):
            shortest[breaker.transport][family] = breaker
    taken: Counter[str] = Counter()
    for of_families in shortest.values():
        for family in sorted(of_families, key=lambda name: (name != "", taken[name], name))[: MOST_FAMILIES + 1]:
            taken[family] += 1
            yield of_families[family]


def choice(cases: Iterable[Case], families: Counter[str]) -> list[Case]:
    """MOST cases, none of which waits for a timeout.

    Those first whose cause no other has, then those of a family that has few by `families`, then the shortest.
    `families` counts those that are taken.
    """
    chosen: list[Case] = []
    seen: Counter[object] = Counter()
    waiting = sorted(
        (case for case in cases if case.failure is not None and case.failure.way is not Way.TIMEOUT),
        key=lambda case: (case.task is not None, len(case.program), case.program),
    )
    while waiting and len(chosen) < MOST:
        best = min(waiting, key=lambda case: (seen[case.causes, case.failure], families[family_of(case)]))
        waiting = [case for case in waiting if case.program != best.program]
        chosen.append(best)
        seen[best.causes, best.failure] += 1
        families[family_of(best)] += 1
    return chosen


def family_of(case: Case) -> str:
    """The family of a public task; of a witness nothing."""
    return case.label.partition("/")[0] if case.task is not None else ""


def survivors(transport: Transport) -> list[Case]:
    """Programs of the files of transports that break them, taken from these in turn."""
    files: dict[str, list[Case]] = {}
    for case in broken_cases():
        files.setdefault(case.transport, []).append(case)
    taken: dict[bytes, Case] = {}
    for case in (case for turn in zip_longest(*files.values()) for case in turn if case is not None):
        if len(taken) < MOST_FAITHFUL:
            survivor = replace(case, transport=transport.name, expect=Expect.SURVIVES, failure=None, causes=())
            taken.setdefault(case.program, replace(survivor, reason=f"{case.transport} breaks it"))
    return list(taken.values())


def broken_cases() -> Iterator[Case]:
    """The known breakers of the files that are there."""
    for path in sorted(FOLDER.glob(f"*{SUFFIX}")):
        yield from (placed.case for placed in read_cases(path) if placed.case.expect is Expect.BROKEN)


def run(*arguments: str) -> None:
    done = subprocess.run([*QFUZZ, *arguments], stdout=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
