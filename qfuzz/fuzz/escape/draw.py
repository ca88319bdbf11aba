"""Plans drawn by Hypothesis: what the words of a batch look like. Alone here in loading it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as hypothesis_seed
from hypothesis import strategies as st

from qfuzz.fuzz.escape.alphabet import COMMON, RARE
from qfuzz.fuzz.escape.mutate import Form, Plan

_AT_A_TIME = 64

_common = st.lists(st.sampled_from(COMMON), min_size=2, max_size=8)
_rare = st.lists(st.sampled_from(RARE), max_size=3)
_characters = st.one_of(
    st.just(tuple(COMMON)),
    st.tuples(_common, _rare).map(lambda both: tuple(both[0] + both[1])),
    _common.map(tuple),
)


def plans(count: int) -> st.SearchStrategy[Plan]:
    """Plans of batches with `count` words each, or fewer where words are long. Their seed is still to be given."""
    return st.builds(
        lambda characters, longest, form: Plan(0, characters, longest, form, max(1, min(count, 20_000 // longest))),
        characters=_characters,
        longest=st.sampled_from([4, 6, 10, 24, 100, 1000]),
        form=st.sampled_from(Form),
    )


def drawn_plans(seed: int, count: int) -> Iterator[Plan]:
    """Plans without end, the same for the same seed."""
    structures = (plan for number in itertools.count() for plan in _drawn(plans(count), _derived(seed, -1 - number)))
    for number, plan in enumerate(structures):
        # Hypothesis draws integers to be small and to come again, which is right for everything but a seed.
        yield replace(plan, seed=_derived(seed, number))


def _drawn(strategy: st.SearchStrategy[Plan], seed: int) -> list[Plan]:
    drawn: list[Plan] = []

    @hypothesis_seed(seed)
    @settings(
        max_examples=_AT_A_TIME,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(plan: Plan) -> None:
        drawn.append(plan)

    collect()
    return drawn


def _derived(seed: int, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:8])
