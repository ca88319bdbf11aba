"""Held-out sets: what a seed gives."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from collections import Counter

import pytest

from qfuzz.gen.choices import WORDS
from qfuzz.gen.fragments import FRAGMENTS, GENRES
from qfuzz.gen.loader import families
from qfuzz.gen.public import public_tasks
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.gen.shape import Style
from qfuzz.gen.variants import GENERATOR_VERSION, TOKENS, _Tokens, task_set_digest, token_text, variant_tasks
from qfuzz.model.errors import UsageError
from qfuzz.model.task_codec import encode_task

GOLDEN = {
    Style.V1: "3f0810ad79cb8d9b5ef5f03f97fad44bffb2dab55917857fdfe37e6b10d87da3",
    Style.V2: "48384bcdfabda1e1acc1d43779c8b9c0c51dc1d34af9117638f5f0abe4189f13",
}
"""Digests of the sets of seed "golden", 3 a family, with controls. They change with GENERATOR_VERSION only."""


@pytest.mark.parametrize("style", Style)
def test_golden_digest(style: Style) -> None:
    assert GENERATOR_VERSION == "1"
    assert task_set_digest(variant_tasks("golden", style, controls=True)) == GOLDEN[style]


@pytest.mark.parametrize("style", Style)
def test_a_set_has_three_hazardous_tasks_a_family(style: Style) -> None:
    tasks = list(variant_tasks("s", style))
    assert [(task.family, task.tier) for task in tasks] == [(name, tier) for name in FAMILY_NAMES for tier in (1, 2, 3)]


def test_controls_are_added_and_change_nothing_else() -> None:
    plain = list(variant_tasks("s", Style.V1, per_family=4))
    mixed = list(variant_tasks("s", Style.V1, per_family=4, controls=True))
    assert [task for task in mixed if task.tier] == plain
    controls = [task for task in mixed if task.tier == 0]
    assert Counter(task.family for task in controls) == dict.fromkeys(FAMILY_NAMES, 2)
    assert {hazard for task in controls for hazard in task.hazards} <= {"newline"}


def test_families_are_selected_in_the_order_of_the_registry() -> None:
    tasks = list(variant_tasks("s", Style.V1, per_family=1, names=("git-commit", "write-file")))
    assert [task.family for task in tasks] == ["write-file", "git-commit"]
    whole = {task.task_id: task for task in variant_tasks("s", Style.V1)}
    assert all(whole[task.task_id] == task for task in tasks)


@pytest.mark.parametrize(("count", "names"), [(0, ()), (-1, ()), (1_000_001, ()), (1, ("write-file", "no-such"))])
def test_bad_requests_are_refused_before_the_first_task(count: int, names: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        variant_tasks("s", Style.V1, per_family=count, names=names)


def test_payloads_and_ids_are_all_different() -> None:
    tasks = [task for style in Style for task in variant_tasks("s", style, per_family=60, controls=True)]
    assert len({task.task_id for task in tasks}) == len(tasks)
    payloads = [payload for task in tasks for payload in task.payloads.values()]
    assert len(set(payloads)) == len(payloads)
    other = {payload for task in variant_tasks("t", Style.V1, per_family=60) for payload in task.payloads.values()}
    assert other.isdisjoint(payloads)


def test_tokens_are_different_and_harmless() -> None:
    step = TOKENS // 4099
    tokens = {token_text(number) for number in itertools.chain(range(2000), range(2000, TOKENS, step))}
    assert len(tokens) == 2000 + len(range(2000, TOKENS, step))
    assert all(re.fullmatch("([b-z][0-9]){4}", token) for token in tokens)


def test_hazards_grow_with_the_tier() -> None:
    tasks = list(variant_tasks("s", Style.V1, per_family=90))
    mean = [sum(len(task.hazards) for task in tasks if task.tier == tier) for tier in (1, 2, 3)]
    assert mean[0] < mean[1] < mean[2]


def test_v1_covers_the_hazards_of_the_public_tasks() -> None:
    public = {hazard for task in public_tasks() for hazard in task.hazards}
    drawn = {hazard for task in variant_tasks("s", Style.V1, per_family=60) for hazard in task.hazards}
    assert public <= drawn


def lexicon() -> set[str]:
    texts = [*WORDS, *itertools.chain(*FRAGMENTS.values(), *GENRES.values())]
    return {word.lower() for text in texts for word in re.findall("[A-Za-z]{4,}", re.sub("«.»", " ", text))}


def test_no_variant_can_hold_a_public_payload() -> None:
    """Each public payload has a word that no list of the generator has: neither equal nor contained, for any seed."""
    known = lexicon()
    for task in public_tasks():
        for payload in task.payloads.values():
            words = {word.decode().lower() for word in re.findall(b"[A-Za-z]{4,}", payload)}
            assert words - known, f"{task.task_id}: every word of {payload!r} is in the generator's lists"


def test_memory_stays_flat() -> None:
    def peak(per_family: int) -> int:
        tracemalloc.start()
        for task in variant_tasks("s", Style.V1, per_family=per_family, names=("heredoc-write",)):
            encode_task(task)
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return held

    families()
    assert peak(600) < peak(60) + 100_000


@pytest.mark.parametrize("seed", ["a", "b", "c", "d", "e", "f"])
def test_places_are_mapped_to_tokens_one_to_one(seed: str) -> None:
    """An even factor modulo a power of two would give places that lie far apart the same token."""
    assert _Tokens(seed, Style.V1)._factor % 2 == 1
