"""The shortest, then plainest word that fails. A pure search that asks about many words at a time.

Hypothesis can't be started from a word that something else found, and asks about one value at a time; here a shell
answers for a thousand words in a few milliseconds, so all shorter words over the characters in question are tried while
that is possible, and what is found so is the minimum by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from qfuzz.fuzz.escape.alphabet import ALL, COMMON, PLAIN, in_order, plainness, words_of

FirstFailing = Callable[[Sequence[str]], int | None]
"""The index of the first word that fails, or None where none does."""

MOST_TRIED = 25_000
"""How many words of one length are tried to prove that none of them fails."""


def minimal(
    word: str, first_failing: FirstFailing, *, skip: Callable[[str], bool] = lambda _: False, cleared: int = -1
) -> str:
    """A failing word that nothing tried goes before in `plainness`. `word` fails; words to `skip` don't count.

    Tried are: all words over the whole alphabet of up to two characters; of three over the common ones and those of the
    word; longer ones over those of the word, and of a plain one, while there are at most MOST_TRIED of a length. A word
    for which that is too little is first made shorter and plainer step by step. Words of up to `cleared` characters are
    known not to fail.
    """

    def first(words: Sequence[str]) -> str | None:
        kept = [each for each in words if not skip(each)]
        at = first_failing(kept) if kept else None
        return None if at is None else kept[at]

    tried = cleared
    while True:
        for length in range(tried + 1, len(word) + 1):
            candidates = _all_of(length, word)
            if len(candidates) > MOST_TRIED:
                break
            found = first([each for each in candidates if plainness(each) < plainness(word)])
            if found is not None:
                return found
            if length == len(word):
                return word
            tried = length
        shorter = _stepwise(word, first)
        if shorter == word:
            return word
        word = shorter


def _all_of(length: int, word: str) -> list[str]:
    """All words of that length that are to be tried for `word`, in order; a list that is too long if there are many."""
    own = set(word) | {PLAIN}
    characters = set(ALL) | own if length <= 2 else set(COMMON) | own if length == 3 else own
    if len(characters) ** length > MOST_TRIED:
        characters = own
    if len(characters) ** length > MOST_TRIED:
        return [""] * (MOST_TRIED + 1)
    return words_of(in_order(characters), length)


def _stepwise(word: str, first: Callable[[Sequence[str]], str | None]) -> str:
    """Fewer and plainer characters, one change at a time, until no single change still fails."""
    while True:
        found = first(sorted({*_shorter(word), *_plainer(word)}, key=plainness))
        if found is None:
            return word
        word = found


def _shorter(word: str) -> Iterator[str]:
    """Without a stretch: halves, quarters and so on down to single characters."""
    size = len(word)
    while size > 0:
        for start in range(0, len(word), size):
            yield word[:start] + word[start + size :]
        size //= 2


def _plainer(word: str) -> Iterator[str]:
    """With one character made plainer, or all of a kind."""
    characters = in_order(set(word) | {PLAIN})
    for at, old in enumerate(word):
        for new in characters:
            if plainness(new) < plainness(old):
                yield word[:at] + new + word[at + 1 :]
    for old in characters:
        if old != PLAIN:
            yield word.replace(old, PLAIN)
