"""A campaign against one escaping function: words through it and through real shells, as a generator of events.

Batches are judged in several threads and looked at in their order, so that the same seed finds the same for any number
of jobs. What fails is bisected, made minimal and left out from then on: a word that holds the characters of a witness
in their order is taken to fail for the same reason.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qfuzz.engine.ordered import ordered_map
from qfuzz.escape.faults import EscapeFault
from qfuzz.fuzz.escape.alphabet import PLAIN
from qfuzz.fuzz.escape.asking import Askers, Escaper, as_bytes, as_text
from qfuzz.fuzz.escape.cover import Cover
from qfuzz.fuzz.escape.events import (
    BatchJudged,
    CampaignEnded,
    CampaignStarted,
    EscapeFinding,
    Event,
    Mended,
    TargetFaulty,
    Unexplained,
)
from qfuzz.fuzz.escape.lane import Lane
from qfuzz.fuzz.escape.minimal import minimal
from qfuzz.fuzz.escape.reader import Reader
from qfuzz.fuzz.escape.source import Batch, batches
from qfuzz.jail.pool import Pool

_WINDOW = 4
"""Batches a job that are judged ahead of the one that is looked at."""

_ASKED_TWICE = 16
"""Words of each batch that are escaped twice, to see whether both answers are equal."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Ends a campaign, whatever comes first. `examples` are words; None: no such bound."""

    examples: int | None = None
    seconds: float | None = None
    findings: int = 10

    def __post_init__(self) -> None:
        assert self.examples is not None or self.seconds is not None, "a campaign without end"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A batch after it went through the function and the shells. `failing` are lanes in which it did not hold."""

    batch: Batch
    words: Sequence[str]
    faults: tuple[EscapeFault, ...]
    failing: tuple[Lane, ...]


@dataclass(slots=True)
class _Seen:
    """What was told so far."""

    witnesses: dict[Lane, list[str]] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    findings: int = 0
    unexplained: int = 0


def campaign(
    escapers: Callable[[], Escaper],
    pool: Pool,
    lanes: Sequence[Lane],
    budget: Budget,
    *,
    seed: int,
    jobs: int = 1,
    known: Mapping[Lane, Sequence[bytes]] | None = None,
    only: Sequence[bytes] | None = None,
    source: Iterator[Batch] | None = None,
    stop_at_fault: bool = False,
    timeout_seconds: float = 2.0,
) -> Generator[Event, None, None]:
    """Tries words until the budget is used up. `escapers` makes one asker a job; `timeout_seconds` is for one shell.

    `known` words of each lane come first, then those of `source`, or else all short ones and what Hypothesis plans.
    With `only`, those words are tried and no others, and what fails is not made smaller. With `stop_at_fault` the first
    word that is not escaped at all is the last one that is tried. The consumer may close it at any event.

    Raises HarnessError where jails fail, and InputError where the function hangs again and again.
    """
    began = time.monotonic()
    readers = {lane: Reader(pool, lane, timeout_seconds) for lane in lanes}
    seen, cover = _Seen(), Cover()
    earlier = {lane: frozenset(map(as_text, words)) for lane, words in (known or {}).items()}
    all_earlier = sorted(frozenset[str]().union(*earlier.values()))
    with Askers(escapers, jobs) as askers:
        yield CampaignStarted(askers.target, tuple(lanes), seed, len(all_earlier))
        judge = _Judge(askers, readers, stop_at_fault)
        tried = _tried(seed, all_earlier, only, source)
        # Another engine's batches take longer to come than to be judged.
        window = _WINDOW if source is None else 1
        for outcome in ordered_map(judge, _within(tried, budget, began), jobs, window):
            cover.add(outcome.words)
            if outcome.batch.completes:
                cover.completed(outcome.batch.completes)
            for fault in (*outcome.faults, *askers.warnings()):
                if not seen.faults[fault.kind.value]:
                    yield TargetFaulty(fault)
                seen.faults[fault.kind.value] += 1
            for lane in outcome.failing:
                asked = _Asked(askers, readers[lane], outcome.batch, alone=only is not None)
                yield from _explained(outcome.words, asked, seen, budget, earlier.get(lane, frozenset()))
            if outcome.batch.known:
                for lane, words in earlier.items():
                    yield from _mended(sorted(words), _Asked(askers, readers[lane], outcome.batch, alone=True))
            yield BatchJudged(len(outcome.words) - len(outcome.faults), len(outcome.faults))
            if (stop_at_fault and outcome.faults) or seen.findings >= budget.findings or _late(budget, began):
                break
    yield CampaignEnded(cover.coverage(), dict(seen.faults), seen.findings, seen.unexplained, time.monotonic() - began)


def _tried(
    seed: int, known: Sequence[str], only: Sequence[bytes] | None, source: Iterator[Batch] | None
) -> Iterator[Batch]:
    if only is not None:
        return iter([Batch(listed=tuple(map(as_text, only)))])
    if source is None:
        return batches(seed, known)
    return itertools.chain([Batch(listed=tuple(known), known=True)] if known else [], source)


def _late(budget: Budget, began: float) -> bool:
    return budget.seconds is not None and time.monotonic() - began >= budget.seconds


def _within(source: Iterator[Batch], budget: Budget, began: float) -> Iterator[Batch]:
    """Batches until the budget is used up; the last one is cut to the number of words that are left."""
    left = budget.examples
    for batch in source:
        if left == 0 or _late(budget, began):
            return
        words = batch.words()
        if left is not None:
            if len(words) > left:
                yield Batch(listed=tuple(words[:left]))
                return
            left -= len(words)
        yield batch


@dataclass(frozen=True, slots=True)
class _Judge:
    """Escapes the words of a batch and has every lane read them. Called from several threads."""

    askers: Askers
    readers: dict[Lane, Reader]
    stop_at_fault: bool

    def __call__(self, batch: Batch) -> _Outcome:
        words = batch.words()
        answers = self.askers.escape(words, twice=_ASKED_TWICE, stop=self.stop_at_fault)
        words = words[: len(answers)]
        pairs = [(as_bytes(word), answer) for word, answer in zip(words, answers, strict=True)]
        good = [(word, answer) for word, answer in pairs if isinstance(answer, bytes)]
        faults = tuple(answer for _, answer in pairs if isinstance(answer, EscapeFault))
        raw, escaped = [word for word, _ in good], [answer for _, answer in good]
        failing = tuple(lane for lane, reader in self.readers.items() if not reader.holds(raw, escaped))
        return _Outcome(batch, words, faults, failing)


def _explained(
    words: Sequence[str], asked: _Asked, seen: _Seen, budget: Budget, earlier: frozenset[str]
) -> Iterator[Event]:
    """Findings of one batch in one lane, until the rest of it holds."""
    lane = asked.reader.lane
    witnesses = seen.witnesses.setdefault(lane, [])
    while seen.findings < budget.findings:
        left = [word for word in words if not asked.is_like_any(word, witnesses)]
        at = asked.first_failing(left)
        if at is None:
            if not asked.holds(left):
                seen.unexplained += 1
                yield Unexplained(lane, len(left))
            return
        witness = asked.minimal(left[at], witnesses)
        witnesses.append(witness)
        escaped = asked.escaped(witness)
        if escaped is None or asked.first_failing([witness]) is None:
            seen.unexplained += 1
            yield Unexplained(lane, 1)
            continue
        seen.findings += 1
        yield EscapeFinding(
            target=asked.askers.target,
            lane=lane,
            word=as_bytes(witness),
            escaped=escaped,
            reading=asked.reader.read_one(escaped),
            first_word=as_bytes(left[at]),
            known=witness in earlier,
        )


def _mended(words: Sequence[str], asked: _Asked) -> Iterator[Event]:
    for word in words:
        if asked.escaped(word) is not None and asked.first_failing([word]) is None:
            yield Mended(asked.reader.lane, as_bytes(word))


def _holds_in_order(word: str, witness: str) -> bool:
    """Whether a word has the characters of a witness, in their order. The empty word is like itself alone.

    A plain character of a witness stands for any: that a plain one fails shows that it does not matter which.
    """
    if not witness:
        return not word
    rest = iter(word)
    return all(any(wanted in (other, PLAIN) for other in rest) for wanted in witness)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Words, through the function and one shell; those that are not escaped don't count."""

    askers: Askers
    reader: Reader
    batch: Batch
    alone: bool

    def minimal(self, word: str, witnesses: Sequence[str]) -> str:
        if self.alone or self.batch.in_order:
            return word
        return minimal(
            word,
            self.first_failing,
            skip=lambda other: self.is_like_any(other, witnesses),
            cleared=min(self.batch.cleared, len(word) - 1),
        )

    def is_like_any(self, word: str, witnesses: Sequence[str]) -> bool:
        return any(word == witness if self.alone else _holds_in_order(word, witness) for witness in witnesses)

    def first_failing(self, words: Sequence[str]) -> int | None:
        indices, raw, escaped = self._escaped(words)
        if not indices:
            return None
        at = self.reader.first_failing(raw, escaped)
        return None if at is None else indices[at]

    def holds(self, words: Sequence[str]) -> bool:
        _, raw, escaped = self._escaped(words)
        return self.reader.holds(raw, escaped)

    def escaped(self, word: str) -> bytes | None:
        (answer,) = self.askers.escape([word])
        return answer if isinstance(answer, bytes) else None

    def _escaped(self, words: Sequence[str]) -> tuple[list[int], list[bytes], list[bytes]]:
        indices, raw, escaped = [], [], []
        for index, (word, answer) in enumerate(zip(words, self.askers.escape(words), strict=True)):
            if isinstance(answer, bytes):
                indices.append(index)
                raw.append(as_bytes(word))
                escaped.append(answer)
        return indices, raw, escaped
