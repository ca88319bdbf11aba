"""How right lint is, counted by running: over the shipped replies, and over human one-liners where the file is there.

python -m tests.quality.lint_figures shipped sample    # measures these parts again and writes them to the ledger
python -m tests.quality.lint_figures whole             # all one-liners: takes 50 minutes on two busy cores
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from qfuzz.engine.events import Judged, Result, Sample
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.run import RunPlan, replay
from qfuzz.gen.heldout import HELD_OUT_NAME
from qfuzz.gen.public import load_public
from qfuzz.jail.pool import Pool
from qfuzz.lint.check import Linter
from qfuzz.model.delivery import Rejection
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.oracle.compare import Stability
from qfuzz.store.keys import fixture_key, task_key
from qfuzz.transports.loader import resolve
from tests.untapped import untapped

TRANSPORTS = ("nested", "single", "double-nested", "json-naive")
LEDGER = Path(__file__).with_name("lint_ledger.json")
ONE_LINERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "nl2bash.cm"
"""One command a line, from the NL2Bash corpus (MIT licence), not a part of the project."""

SAMPLE_SEED = "one-liners"
SAMPLE_SIZE = 400
JOBS = 2
SHIPPED_SECONDS = 10.0
ONE_LINER_SECONDS = 2.0

STOCK = Fixture(
    files=(
        FixtureFile(b"file.txt", b"one two three\nfour five\nsix\n"),
        FixtureFile(b"a b.txt", b"with blank\n"),
        FixtureFile(b"data.csv", b"id,name\n1,x\n2,y\n"),
        FixtureFile(b"dir/inner.log", b"error: 1\nok\n"),
        FixtureFile(b"dir/main.c", b"int main(void) { return 0; }\n"),
        FixtureFile(b"run.sh", b"#!/bin/sh\necho run\n", 0o755),
    ),
    dirs=(b"empty",),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of replies over one transport.

    `broken`: confirmed divergence, or rejected by the boundary's parser; for a shipped reply, any difference.
    `breakers`: direct passes the task, and transported fails. `missed`: broken or a breaker, and nothing flagged.
    `right`: broken or a breaker, and flagged.
    Where no task judges, races such as `ls | tee file` move all but `judged` and `flagged` by one or two.
    """

    judged: int
    flagged: int
    broken: int
    breakers: int
    missed: int
    right: int

    @property
    def recall(self) -> float:
        """Share of what breaks that is flagged."""
        return self.right / (self.missed + self.right)

    @property
    def precision(self) -> float:
        """Share of what is flagged that breaks."""
        return self.right / self.flagged


def shipped_samples() -> Iterator[Sample]:
    """The shipped replies to the public tasks, which the ledger is about."""
    tasks = {task.task_id: task for task in load_public()}
    folder = importlib.resources.files("qfuzz_corpus") / "replies"
    lines = (
        line
        for path in sorted(folder.iterdir(), key=lambda path: path.name)
        if path.name.endswith(".jsonl") and not path.name.startswith(HELD_OUT_NAME)
        for line in path.read_bytes().splitlines()
    )
    for index, reply in enumerate(map(decode_reply, lines)):
        assert reply.task_id is not None
        task = tasks[reply.task_id]
        yield Sample(index, reply, task, task_key(task), task.fixture, fixture_key(task.fixture))


def one_liners() -> list[bytes]:
    """The distinct lines, in their order."""
    return [line for line in dict.fromkeys(ONE_LINERS.read_bytes().split(b"\n")) if line]


def sample_of(lines: list[bytes]) -> list[bytes]:
    """The lines that CI runs: the first by SHA-256 of seed and line."""
    ranked = sorted(lines, key=lambda line: hashlib.sha256(SAMPLE_SEED.encode() + b"\0" + line).digest())
    return ranked[:SAMPLE_SIZE]


def line_samples(lines: Iterable[bytes]) -> Iterator[Sample]:
    key = fixture_key(STOCK)
    for index, line in enumerate(lines):
        yield Sample(index, Reply(line), None, "", STOCK, key)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One reply over one transport; `broken` and `breaker` as in `Figures`."""

    sample: int
    transport: str
    program: bytes
    flagged: bool
    broken: bool
    breaker: bool


def outcomes(samples: list[Sample], pool: Pool, timeout_seconds: float) -> Iterator[Outcome]:
    """Every reply over every transport, in order. What the direct run does not end for is not broken."""
    stacks = tuple(map(resolve, TRANSPORTS))
    linters = {stack.name: Linter.over(stack) for stack in stacks}
    plan = RunPlan(samples, len(samples), resolve("direct"), stacks, context_of(pool, timeout_seconds), JOBS)
    for event in replay(plan, untapped(machinery(pool, timeout_seconds)), lambda _: {}):
        if isinstance(event, Judged):
            program = event.sample.reply.program
            for result in event.results:
                flagged = bool(linters[result.transport].findings(program))
                broken = _is_broken(result, event.sample)
                yield Outcome(event.sample.index, result.transport, program, flagged, broken, result.breaker)


def _is_broken(result: Result, sample: Sample) -> bool:
    if result.comparison is None:
        return isinstance(result.undelivered, Rejection)
    if sample.task is None:
        return result.comparison.diverged
    # Directly the shipped replies always do the same (tests/conformance), so what differs is the transport's doing,
    # even where it differs from itself: a process id, say.
    return result.comparison.stability is not Stability.SAME


def figures(found: Iterable[Outcome]) -> dict[str, Figures]:
    by_transport: dict[str, list[Outcome]] = {name: [] for name in TRANSPORTS}
    for outcome in found:
        by_transport[outcome.transport].append(outcome)
    return {name: _figures(every) for name, every in by_transport.items()}


def _figures(every: list[Outcome]) -> Figures:
    return Figures(
        judged=len(every),
        flagged=sum(one.flagged for one in every),
        broken=sum(one.broken for one in every),
        breakers=sum(one.breaker for one in every),
        missed=sum((one.broken or one.breaker) and not one.flagged for one in every),
        right=sum((one.broken or one.breaker) and one.flagged for one in every),
    )


def flagged(lines: Collection[bytes]) -> dict[str, int]:
    """How many lines are flagged over each transport: from their text alone, so always the same."""
    return {name: sum(bool(Linter.over(resolve(name)).findings(line)) for line in lines) for name in TRANSPORTS}


def measure(part: str, pool: Pool) -> dict[str, Figures]:
    """The figures of one part of the ledger: shipped, sample or whole.

    A one-liner that breaks without a mark must do so again: what one of two measurements shows is a race.
    """
    if part == "shipped":
        return figures(outcomes(list(shipped_samples()), pool, SHIPPED_SECONDS))
    lines = one_liners() if part == "whole" else sample_of(one_liners())
    first = list(outcomes(list(line_samples(lines)), pool, ONE_LINER_SECONDS))
    missed = {one.program for one in first if one.broken and not one.flagged}
    again = outcomes(list(line_samples(missed)), pool, ONE_LINER_SECONDS)
    steady = {(one.program, one.transport) for one in again if one.broken}
    raced = {(program, name) for program in missed for name in TRANSPORTS} - steady
    return figures(replace(one, broken=False, breaker=False) if is_race(one, raced) else one for one in first)


def is_race(one: Outcome, raced: Set[tuple[bytes, str]]) -> bool:
    return not one.flagged and (one.program, one.transport) in raced


def read_ledger(part: str) -> dict[str, Figures]:
    return {name: Figures(**counts) for name, counts in json.loads(LEDGER.read_text())[part].items()}


def main(parts: list[str]) -> None:
    ledger = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    with Pool(JOBS) as pool:
        for part in parts:
            ledger[part] = {name: asdict(each) for name, each in measure(part, pool).items()}
    if ONE_LINERS.exists():
        digest = hashlib.sha256(ONE_LINERS.read_bytes()).hexdigest()
        ledger["one-liners"] = {"sha256": digest, "distinct": len(one_liners()), "flagged": flagged(one_liners())}
    LEDGER.write_text(json.dumps(ledger, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
