"""Words as the bytes that Hypothesis's fuzz_one_input reads them from, for engines that mutate bytes."""

from __future__ import annotations

from hypothesis import strategies as st

from qfuzz.fuzz.escape.alphabet import COMMON, RARE

LONGEST = 40
"""Characters of a word. Coverage grows by what stands in a word, seldom by how long it is."""

TABLE = tuple((COMMON * 7 + RARE * 2)[:256].ljust(256, COMMON[0]))
"""The character of each byte: most are common ones, and no byte is without one."""

_MORE, _END = b"\xff", b"\x00"


def coded_words() -> st.SearchStrategy[str]:
    """Words of up to LONGEST characters; a byte says whether there is one more, and the next one which it is."""
    return st.lists(st.integers(0, 255), max_size=LONGEST).map(lambda codes: "".join(map(TABLE.__getitem__, codes)))


def encoded(word: str) -> bytes | None:
    """Bytes from which `coded_words` reads this word, or None for a word that it can't give."""
    if len(word) > LONGEST or not set(word) <= set(TABLE):
        return None
    pairs = b"".join(_MORE + bytes([TABLE.index(character)]) for character in word)
    # A list that can't grow any more has no byte for that.
    return pairs if len(word) == LONGEST else pairs + _END
