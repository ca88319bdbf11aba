"""Seeded choices: fixed for ever, and independent between positions."""

from __future__ import annotations

import pytest

from qfuzz.gen.choices import WORDS, SeededChoices


def drawn(choices: SeededChoices) -> list[int]:
    return [choices.integer(0, 999) for _ in range(4)]


def test_a_stream_is_what_sha256_says() -> None:
    # By sha256sum and bc: the digest of 4:seed1:a1:b, then of that digest and an 8-byte counter, modulo 1000.
    assert drawn(SeededChoices("seed", "a", "b")) == [819, 600, 980, 979]


@pytest.mark.parametrize("other", [("seed", "ab"), ("seeda", "b"), ("seed", "a", "b", ""), ("seed", "b", "a")])
def test_positions_do_not_share_a_stream(other: tuple[str, ...]) -> None:
    assert drawn(SeededChoices(*other)) != drawn(SeededChoices("seed", "a", "b"))


def test_bounds_are_included() -> None:
    choices = SeededChoices("bounds")
    assert {choices.integer(-1, 1) for _ in range(50)} == {-1, 0, 1}
    with pytest.raises(AssertionError, match="no whole number"):
        choices.integer(2, 1)


def test_samples_are_different_places_in_random_order() -> None:
    choices = SeededChoices("sample")
    assert sorted(choices.sample("aab", 3)) == ["a", "a", "b"]
    assert len({tuple(choices.sample(range(3), 3)) for _ in range(60)}) == 6
    assert len(set(choices.words(20))) == 20


def test_words_are_plain_and_different() -> None:
    assert len(set(WORDS)) == len(WORDS)
    assert all(word.isascii() and word.isalpha() and word.islower() and 4 <= len(word) <= 8 for word in WORDS)
