"""The search for the shortest, plainest word, and the words that it and the campaign try."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.fuzz.escape.alphabet import ALL, COMMON, PIECES, PLAIN, plainness, words_of
from qfuzz.fuzz.escape.cover import Cover
from qfuzz.fuzz.escape.draw import drawn_plans
from qfuzz.fuzz.escape.minimal import MOST_TRIED, minimal
from qfuzz.fuzz.escape.mutate import Form, Plan, words_of_plan
from qfuzz.fuzz.escape.source import batches


def first_failing(fails: Callable[[str], bool]) -> Callable[[Sequence[str]], int | None]:
    return lambda words: next((index for index, word in enumerate(words) if fails(word)), None)


@pytest.mark.parametrize(
    ("found", "fails", "expected"),
    [
        ("x\ny", lambda word: "\n" in word, "\n"),
        ("", lambda word: not word, ""),
        ("abc$", lambda word: word.endswith("$"), "$"),
        ("!'$$$\\ and more", lambda word: all(one in word for one in "!'$") and word.count("$") > 2, "'$$$!"),
        ("~~x", lambda word: word.startswith("~") and len(word) > 1, "~a"),
        ("é" * 9, lambda word: len(word) > 7, "a" * 8),
        ("$(id)" * 20, lambda word: word.count("(") > 9, "(" * 10),
    ],
)
def test_the_shortest_then_plainest(found: str, fails: Callable[[str], bool], expected: str) -> None:
    assert fails(found)
    assert minimal(found, first_failing(fails)) == expected


def test_words_to_skip_are_no_answer() -> None:
    fails = first_failing(lambda word: "$" in word or "\n" in word)
    assert minimal("\n$", fails) == "\n"
    assert minimal("\n$", fails, skip=lambda word: "\n" in word and "$" not in word) == "$"


@settings(max_examples=10)
@given(st.text(st.sampled_from(COMMON), min_size=1, max_size=4), st.sampled_from(COMMON), st.integers(1, 3))
def test_what_is_found_fails_and_nothing_plainer_of_its_characters_does(word: str, one: str, count: int) -> None:
    def fails(other: str) -> bool:
        return other.count(one) >= count

    word += one * count
    found = minimal(word, first_failing(fails))
    assert found == one * count
    assert minimal(found, first_failing(fails)) == found


@pytest.mark.parametrize("word", ["", "a", "aa", "\n", "a$", "$a"])
def test_the_order_is_shortest_first(word: str) -> None:
    assert plainness(word) < plainness(word + PLAIN) < plainness(PLAIN + word + PLAIN)


def test_the_alphabet_is_small_and_without_doubles() -> None:
    assert len(COMMON) == 28
    assert len(set(ALL)) == len(ALL) < 80
    assert "\0" not in ALL + "".join(PIECES)
    assert len(COMMON) ** 3 <= MOST_TRIED
    words = words_of(ALL, 2)
    assert len(set(words)) == len(ALL) ** 2
    assert words == sorted(words, key=plainness)


@given(st.integers(0, 2**64 - 1), st.sampled_from(Form), st.integers(1, 200))
def test_a_plan_gives_the_same_words_within_its_bounds(seed: int, form: Form, longest: int) -> None:
    plan = Plan(seed, ("$", "\n", "é"), longest, form, 50)
    words = words_of_plan(plan)
    assert words == words_of_plan(plan)
    assert len(words) == 50
    assert all(1 <= len(word) <= longest for word in words)


def test_batches_are_the_same_for_a_seed_and_differ_between_seeds() -> None:
    def some(seed: int) -> list[Sequence[str]]:
        source = batches(seed, ["known"])
        return [next(source).words() for _ in range(30)]

    first = some(1)
    assert first == some(1)
    assert first[0] == ("known",)
    assert first[-1] != some(2)[-1]
    tried = {word for words in first for word in words}
    assert tried >= {"", *words_of(ALL, 1), *words_of(ALL, 2), *words_of(COMMON, 3)}


def test_plans_are_of_every_form_and_of_many_lengths() -> None:
    source = drawn_plans(3, 100)
    plans = [next(source) for _ in range(200)]
    assert {plan.form for plan in plans} == set(Form)
    assert len({plan.longest for plan in plans}) > 3
    assert len({plan.seed for plan in plans}) == 200


def test_what_is_covered_is_counted() -> None:
    cover = Cover()
    cover.add(["", "a$", "$a", "abcdefgh"])
    cover.completed("all of them")
    coverage = cover.coverage()
    assert coverage.words == 4
    assert coverage.lengths == {"0": 1, "1": 0, "2": 2, "3": 0, "4-7": 0, "8-31": 1, "32 and more": 0}
    assert coverage.characters["a"] == 3
    assert coverage.characters["$"] == 2
    # a$, $a; what is in different words does not stand side by side.
    assert (coverage.pairs, coverage.pairs_possible) == (2, 784)
    assert coverage.complete == ("all of them",)
