"""The order in which programs are smaller, and the rule by which a reducer moves down in it.

**The order.** The shorter program is smaller; of two that are as long, the plainer one; of two as plain, the one that
comes first by bytes. No two programs are equal in it, and below any program there are finitely many others.

**The rule.** A reducer stands at one program. It moves to a candidate if, and only if, the candidate is smaller, its
guard admits it and it is interesting. Which candidates it proposes next depends on nothing but the program that it
stands at and the answers so far, so its path is determined by the predicate; it ends, for the order is well-founded;
and where it ends, each candidate of each pass has been refused, so that it would stay there.
"""

from __future__ import annotations

_KINDS = (
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"0123456789",
    b"_-./,:=+@%^",
    b" ",
    b"!\"#$&'()*;<>?[\\]`{|}~",
    b"\n",
)
"""Bytes from plain to odd: letters, digits, marks that no shell owns, the blank, active ones. Others come last."""


def _ranks() -> bytes:
    """For each byte how plain it is, as `bytes.translate` takes it."""
    ranks = bytearray([255] * 256)
    for rank, byte in enumerate(b"".join(_KINDS)):
        ranks[byte] = rank
    return bytes(ranks)


_RANKS = _ranks()


def shrink_key(program: bytes) -> tuple[int, bytes, bytes]:
    """The key of the order: length in bytes, how plain each byte is, the program itself."""
    return len(program), program.translate(_RANKS), program


def is_smaller(left: bytes, right: bytes) -> bool:
    """Whether `left` comes before `right`."""
    if len(left) != len(right):
        return len(left) < len(right)
    return shrink_key(left) < shrink_key(right)
