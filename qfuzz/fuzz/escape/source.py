"""The words of a campaign, batch by batch: known witnesses, all short words, then what plans make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qfuzz.fuzz.escape.alphabet import ALL, COMMON, words_of
from qfuzz.fuzz.escape.draw import drawn_plans
from qfuzz.fuzz.escape.mutate import Plan, words_of_plan

BATCH = 2_000
"""Words of a batch: enough that starting a shell costs little for each, few enough that one of them is found soon."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Words to try, or the plan that makes them. `completes` says which kind of words ends with this batch.

    `cleared`: all words of up to so many characters are in batches before it. `in_order`: its words come in the order
    of `plainness`, after all words that go before them, so that the first one that fails is minimal. `known`: earlier
    runs found them.
    """

    listed: tuple[str, ...] = ()
    plan: Plan | None = None
    completes: str = ""
    cleared: int = -1
    in_order: bool = False
    known: bool = False

    def words(self) -> Sequence[str]:
        return self.listed if self.plan is None else words_of_plan(self.plan)


def batches(seed: int, known: Sequence[str] = ()) -> Iterator[Batch]:
    """Batches without end: the same for the same arguments."""
    if known:
        yield Batch(listed=tuple(known), known=True)
    for kind, characters, lengths in (
        (f"of up to 2 of {len(ALL)} characters", ALL, range(3)),
        (f"of 3 of {len(COMMON)} characters", COMMON, range(3, 4)),
    ):
        yield from _listed([word for length in lengths for word in words_of(characters, length)], kind)
    for plan in drawn_plans(seed, BATCH):
        yield Batch(plan=plan, cleared=2)


def _listed(words: Sequence[str], kind: str) -> Iterator[Batch]:
    for start in range(0, len(words), BATCH):
        end = start + BATCH
        yield Batch(listed=tuple(words[start:end]), completes=kind if end >= len(words) else "", in_order=True)
