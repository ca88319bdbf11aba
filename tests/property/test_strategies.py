"""The public strategies: the mix that they draw, what they never draw, and what they shrink to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from qfuzz.bash.hazards import HAZARDS, hazards_of
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.strategies import (
    CONSTRUCTS,
    STYLES,
    FamilyProgram,
    Program,
    Word,
    bodies,
    family_programs,
    filenames,
    free_programs,
    payloads,
    programs,
    words,
)
from qfuzz.strategies.texts import COMMON, LETTERS, MOST_NAME_BYTES

T = TypeVar("T")
MANY = 600


def drawn(strategy: st.SearchStrategy[T], count: int = MANY) -> list[T]:
    """`count` members, the same ones each time."""
    found: list[T] = []

    def keep(member: T) -> bool:
        found.append(member)
        return False

    with pytest.raises(NoSuchExample):
        find(
            strategy,
            keep,
            settings=settings(max_examples=count, phases=[Phase.generate], database=None),
            random=random.Random(1),
        )
    return found


def plainest(strategy: st.SearchStrategy[T], condition: Callable[[T], bool] = lambda _: True) -> T:
    # What the phase `explain` tries last would be taken for the smallest.
    phases = [Phase.generate, Phase.shrink]
    chosen = settings(database=None, max_examples=3000, phases=phases)
    return find(strategy, condition, settings=chosen, random=random.Random(2))


def shares(counted: Iterable[Iterable[str]]) -> dict[str, float]:
    """The share of members that each name is in."""
    members = [set(each) for each in counted]
    counts = Counter(name for each in members for name in each)
    return {name: count / len(members) for name, count in counts.items()}


@cache
def some_programs() -> tuple[Program, ...]:
    return tuple(drawn(free_programs()))


def test_the_small_alphabet_has_25_characters() -> None:
    assert len({*LETTERS, *COMMON}) == 25


def test_every_hazard_is_in_one_payload_of_a_hundred() -> None:
    mix = shares(hazards_of([text]) for text in drawn(payloads()))
    assert {name: round(mix.get(name, 0), 4) for name in HAZARDS if mix.get(name, 0) < 0.01} == {}
    assert mix["dollar"] > 0.1


def test_a_tenth_of_all_payloads_or_more_are_plain() -> None:
    texts = drawn(payloads())
    assert sum(not hazards_of([text]) for text in texts) > len(texts) / 10


@pytest.mark.parametrize("hazard", HAZARDS)
def test_payloads_of_a_hazard_hold_it(hazard: str) -> None:
    texts = drawn(payloads([hazard]), 60)
    assert all(hazard in hazards_of([text]) for text in texts)
    assert len(set(texts)) > 10


@given(st.sets(st.sampled_from(HAZARDS), min_size=1), st.data())
def test_payloads_of_hazards_hold_one_of_them(hazards: set[str], data: st.DataObject) -> None:
    assert hazards & set(hazards_of([data.draw(payloads(hazards))]))


def test_payloads_of_hazards_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ValueError, match="no hazards: snow"):
        payloads(["dollar", "snow"])
    with pytest.raises(ValueError, match="none named"):
        payloads([])


@given(payloads())
def test_a_payload_is_a_text_that_a_shell_can_hold(text: bytes) -> None:
    assert text
    assert b"\0" not in text


@given(filenames())
def test_a_filename_is_one(name: bytes) -> None:
    assert 0 < len(name) <= MOST_NAME_BYTES
    assert name not in (b".", b"..", b".git")
    assert not set(b"/\0") & set(name)


@given(bodies())
def test_a_body_is_whole_lines(text: bytes) -> None:
    assert text.endswith(b"\n")
    assert b"\0" not in text


def test_bodies_have_several_lines_and_lines_like_the_end_of_a_heredoc() -> None:
    texts = drawn(bodies(), 500)
    assert sum(text.count(b"\n") > 1 for text in texts) > 250
    assert sum(b"EOF\n" in text for text in texts) > 5


def test_every_style_of_word_is_drawn() -> None:
    mix = shares([word.style] for word in drawn(words()))
    assert set(mix) == set(STYLES)
    assert min(mix.values()) > 0.05


def test_every_construct_is_in_one_program_of_twenty() -> None:
    mix = shares(program.constructs for program in some_programs())
    assert set(mix) == set(CONSTRUCTS)
    assert {name: share for name, share in mix.items() if share < 0.05} == {}


def test_every_hazard_is_in_one_program_of_fifty() -> None:
    mix = shares(hazards_of([program.text]) for program in some_programs())
    # What stands at the ends of a program says nothing.
    inner = [name for name in HAZARDS if name not in ("leading-dash", "outer-blank")]
    assert {name: round(mix.get(name, 0), 4) for name in inner if mix.get(name, 0) < 0.02} == {}


def test_programs_are_short_and_different() -> None:
    texts = [program.text for program in some_programs()]
    assert len(set(texts)) > 0.8 * len(texts)
    assert 50 < sum(map(len, texts)) / len(texts) < 400
    assert max(map(len, texts)) < 20_000
    assert not any(b"\0" in text for text in texts)


def test_every_family_is_drawn_in_several_styles_and_tiers() -> None:
    found = drawn(family_programs(), 500)
    assert {each.task.family for each in found} == set(FAMILY_NAMES)
    assert {each.task.tier for each in found} == {0, 1, 2, 3}
    assert len({each.style for each in found}) >= 5
    assert all(each.program == each.task.references[each.style] for each in found)


@settings(max_examples=20)
@given(st.data(), st.sampled_from(FAMILY_NAMES))
def test_a_named_family_is_drawn_alone(data: st.DataObject, name: str) -> None:
    assert data.draw(family_programs(name)).task.family == name


def test_each_strategy_shrinks_to_its_plainest_member() -> None:
    assert plainest(payloads()) == b"a"
    assert plainest(payloads(["backtick", "glob"])) == b"`"
    assert plainest(filenames()) == b"a"
    assert plainest(bodies()) == b"a\n"
    assert plainest(words()) == Word(b"a", b"a", "bare")
    assert plainest(programs()) == b"echo a"


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_programs_of_a_family_shrink_to_the_plainest_payload(name: str) -> None:
    smallest: FamilyProgram = plainest(family_programs(name))
    assert all(len(text) <= 2 for text in smallest.task.payloads.values()), smallest.task.payloads
    assert smallest.style == next(iter(smallest.task.references))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (b"'", {b"'", b"'a'"}),
        (b"\n", {b"\n"}),
        (b"$(", {b"$(a)", b"$("}),
    ],
)
def test_payloads_shrink_to_what_is_asked_of_them(wanted: bytes, found: set[bytes]) -> None:
    assert plainest(payloads(), lambda text: wanted in text) in found


@pytest.mark.parametrize("construct", ["pipe", "heredoc", "for", "process-substitution", "word:single"])
def test_programs_shrink_to_one_construct(construct: str) -> None:
    smallest = plainest(free_programs(), lambda program: construct in program.constructs)
    assert len(smallest.text) < 45, smallest
