"""The reducer of replies beside picire, on the nested breakers of the shipped raw replies: one JSON object on stdout.

    python -m bench.reducer [--each]

Both reduce under the same predicate: the direct run exits as the original does, and the transported one differs from it
in the same channels and ends in the same way (syntax, status, silent). A cost is the number of different executions of
a program that were needed, the first pair not counted; to ask a shell for its syntax runs nothing of a program, and is
not counted either. Nothing is remembered between two contenders. picire works on characters with its cache on, in two
settings, and the better one counts. It is asked twice: once with the predicate alone, and once with what
`qfuzz.shrink.guard` refuses taken for uninteresting, at no cost, as it is for the reducer of this project.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace

from picire import DD, ContentCache, Outcome
from picire.config_iterators import skip

from bench.forms import breakers
from qfuzz.engine.attempt import Machinery
from qfuzz.engine.laboratory import Breaker, Laboratory
from qfuzz.engine.machinery import machinery
from qfuzz.engine.parse_child import ParseChild
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import differing_channels
from qfuzz.shrink.guard import Guard
from qfuzz.shrink.reply import reduce_reply

TIMEOUT_SECONDS = 2.0
MOST_EXECUTIONS = 1_000_000

Predicate = Callable[[bytes], bool]
Contender = Callable[[bytes, Predicate], bytes]


@dataclass(frozen=True, slots=True)
class Score:
    """What one contender came to on one breaker. `length` is in characters."""

    executions: int
    smallest: bytes

    @property
    def length(self) -> int:
        return len(self.smallest.decode("utf-8", "surrogateescape"))


def predicate(breaker: Breaker, laboratory: Laboratory) -> Predicate:
    """Whether a program diverges as the breaker does."""

    def key(program: bytes) -> object:
        if b"\0" in program:
            return None
        direct = laboratory.direct(program, breaker.fixture)
        if not isinstance(direct, Observation) or direct.status.code != breaker.direct.status.code:
            return None
        transported = laboratory.transported(program, breaker.fixture)
        assert isinstance(transported, Observation), "nested carries all but NUL"
        channels = differing_channels(direct, transported)
        return channels and (channels, laboratory.ending(program, breaker.fixture))

    wanted = key(breaker.program)
    assert wanted, "a breaker diverges"
    return lambda program: key(program) == wanted


def picire_of(*, subset_first: bool, guarded: bool) -> Contender:
    """picire on characters: subsets before complements, or complements only."""

    def contend(program: bytes, interesting: Predicate) -> bytes:
        characters = program.decode("utf-8", "surrogateescape")
        guard = Guard(program)

        def build(kept: list[int]) -> bytes:
            return "".join(characters[index] for index in kept).encode("utf-8", "surrogateescape")

        def test(kept: list[int], _: object) -> Outcome:
            candidate = build(kept)
            holds = (not guarded or guard.admits(candidate)) and interesting(candidate)
            return Outcome.FAIL if holds else Outcome.PASS

        cache = ContentCache()
        cache.set_test_builder(build)
        settings = {} if subset_first else {"subset_iterator": skip}
        smallest = DD(test, cache=cache, subset_first=subset_first, **settings)(list(range(len(characters))))
        return build(smallest)

    return contend


def score(contender: Contender, breaker: Breaker, machines: Machinery) -> Score:
    laboratory = Laboratory(breaker, machines, MOST_EXECUTIONS)
    smallest = contender(breaker.program, predicate(breaker, laboratory))
    return Score(laboratory.executions, smallest)


def remembering(machines: Machinery) -> Machinery:
    """The same, running nothing twice: costs are counted by laboratories, and waiting for them again shows nothing."""
    known: dict[tuple[Launch, int], Observation] = {}

    def run(launch: Launch, fixture: Fixture) -> Observation:
        key = launch, id(fixture)
        if key not in known:
            known[key] = machines.run(launch, fixture)
        return known[key]

    return replace(machines, run=run)


def compare(*, each: bool = False) -> dict[str, object]:
    """All contenders over all breakers; with `each`, what each came to on each breaker."""
    logging.getLogger("picire").setLevel(logging.ERROR)
    with Pool(1) as pool, ParseChild() as parser:
        machines = remembering(machinery(pool, TIMEOUT_SECONDS))
        found = list(breakers(machines))

        def ours(program: bytes, interesting: Predicate) -> bytes:
            return reduce_reply(program, interesting, spans=parser.spans, budget=MOST_EXECUTIONS).smallest

        own = [score(ours, breaker, machines) for breaker in found]
        theirs = {
            guarded: _better(
                [
                    [score(picire_of(subset_first=first, guarded=guarded), breaker, machines) for breaker in found]
                    for first in (True, False)
                ]
            )
            for guarded in (False, True)
        }
    record: dict[str, object] = {
        "name": "the reducer of replies beside picire, nested breakers of the raw replies",
        "breakers": len(found),
        "executions": _spread([one.executions for one in own]),
        "characters": sum(one.length for one in own),
        "beside_picire": _beside(found, own, theirs[False]),
        "beside_guarded_picire": _beside(found, own, theirs[True]),
        "wanted": "executions: median <= 90, 90th <= 170; beside picire: executions <= 0.5, characters <= 1, "
        "not longer in >= 0.8",
    }
    if each:
        record["each"] = [
            {
                "task_id": breaker.task.task_id if breaker.task else None,
                "smallest": mine.smallest.decode("utf-8", "backslashreplace"),
                "executions": mine.executions,
                "picire": other.smallest.decode("utf-8", "backslashreplace"),
                "picire_executions": other.executions,
            }
            for breaker, mine, other in zip(found, own, theirs[False], strict=True)
        ]
    return record


def _better(settings: list[list[Score]]) -> list[Score]:
    """The setting that needs fewer executions in sum."""
    return min(settings, key=lambda scores: sum(one.executions for one in scores))


def _beside(found: list[Breaker], own: list[Score], theirs: list[Score]) -> dict[str, object]:
    pairs = list(zip(found, own, theirs, strict=True))
    longer = [
        {"task_id": breaker.task.task_id if breaker.task else None, "characters": mine.length, "picire": other.length}
        for breaker, mine, other in pairs
        if mine.length > other.length
    ]
    return {
        "picire_executions": sum(one.executions for one in theirs),
        "picire_characters": sum(one.length for one in theirs),
        "executions": round(sum(one.executions for one in own) / sum(one.executions for one in theirs), 3),
        "characters": round(sum(one.length for one in own) / sum(one.length for one in theirs), 3),
        "not_longer": round(1 - len(longer) / len(found), 3),
        "longer": longer,
    }


def _spread(values: list[int]) -> dict[str, float]:
    return {
        "median": statistics.median(values),
        "90th": sorted(values)[int(0.9 * (len(values) - 1))],
        "most": max(values),
        "sum": sum(values),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="show what both came to on each breaker")
    print(json.dumps(compare(each=parser.parse_args().each)))


if __name__ == "__main__":
    main()
