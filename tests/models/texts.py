"""The texts that models and their programs are asked about. They are data: nothing here is ever run by a shell."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from qfuzz.transports.loader import load

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "replies"
SHIPPED = 40
"""How many of the shipped replies each model is asked about."""


def asked(name: str, own: tuple[bytes, ...], more: tuple[bytes, ...] = ()) -> list[bytes]:
    """What model `name`, whose own characters or marks are `own`, is compared over; no text twice, in a fixed order.

    Every byte alone, in the middle, doubled and at an end; every pair of what is its own; `more`, which are the texts
    of its documentation and its known cases; its witness; shipped replies.
    """
    texts: list[bytes] = [b""]
    for number in range(1, 256):
        one = bytes([number])
        texts.append(b"a" + one + b"b" + one + one + b"c" + one)
        if number < 0x80 and not one.isalnum():
            texts.append(one)
    texts += ["aéb".encode(), "éé\u00a0\u2028𝄞".encode(), b"a\xc3", b"\xa0", b"a b  c"]
    texts += own
    texts += (one + other for one, other in itertools.product(own, repeat=2))
    witness = load().boundaries[name].witness
    assert witness is not None
    texts += [witness, *more, *itertools.islice((text for text in shipped() if _has(text, own)), SHIPPED)]
    return list(dict.fromkeys(texts))


def drawn(pieces: tuple[bytes, ...], frames: tuple[tuple[bytes, bytes], ...], count: int, seed: int) -> Iterator[bytes]:
    """`count` texts of pieces and plain characters, every other one with some of them in a frame; by the seed."""
    choose = random.Random(seed)
    alphabet = (*pieces, *pieces, b"a", b"b", b"x1", b" ", b"\n", b"'", b'"', b"\\", "é".encode())

    def some(most: int) -> bytes:
        return b"".join(choose.choice(alphabet) for _ in range(choose.randint(0, most)))

    for number in range(count):
        if frames and number % 2:
            before, after = choose.choice(frames)
            yield some(2) + before + some(4) + after + some(3)
        else:
            yield some(12)


@cache
def shipped() -> tuple[bytes, ...]:
    """The shipped replies of at most 200 bytes, shortest first."""
    texts = set()
    for path in sorted(CORPUS.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            text = json.loads(line).get("reply")
            if isinstance(text, str) and len(text) <= 200:
                texts.add(text.encode())
    return tuple(sorted(texts, key=lambda text: (len(text), text)))


def _has(text: bytes, own: tuple[bytes, ...]) -> bool:
    return any(one in text for one in own)
