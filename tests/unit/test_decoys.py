"""Texts that a payload matches when it is read as a pattern. That grep, sed and find agree is tested in integration."""

from __future__ import annotations

import pytest

from qfuzz.gen.decoys import Dialect, decoy


@pytest.mark.parametrize(
    ("payload", "dialect", "expected"),
    [
        (b"v1.2", Dialect.GREP, b"v1Q2"),
        (b"a[xy]b", Dialect.GREP, b"axb"),
        (b"a[^Q]b", Dialect.GREP, b"azb"),
        (b"ab*c", Dialect.GREP, b"abbc"),
        (b"*a.b", Dialect.GREP, b"*aQb"),
        (b"^a.b$", Dialect.GREP, b"aQb"),
        (rb"C:\dir", Dialect.GREP, b"C:dir"),
        (rb"C:\temp", Dialect.SED, b"C:\temp"),
        (rb"a\.b", Dialect.SED, b"a.b"),
        (b"a?b*", Dialect.GLOB, b"aQbQ"),
        (b"a[!Qxyz]", Dialect.GLOB, b"aV"),
        (b"a[!Q-z]", Dialect.GLOB, b"a0"),
        (rb"a\b", Dialect.GLOB, b"ab"),
        (b"a[b", Dialect.GLOB, None),
        (b"plain", Dialect.GREP, None),
        (b"a.b", Dialect.GLOB, None),
    ],
)
def test_decoy(payload: bytes, dialect: Dialect, expected: bytes | None) -> None:
    assert decoy(payload, dialect) == expected


@pytest.mark.parametrize(
    "payload", [rb"\(a.b\)", rb"a.\{2\}", rb"a.\|b", rb".\1", rb"\<a.b", b"a.[b", b"[[:alpha:]].", rb".\b", b"a.\\"]
)
def test_nothing_is_promised_for_what_is_not_certain(payload: bytes) -> None:
    assert decoy(payload, Dialect.GREP) is None
    assert decoy(payload, Dialect.SED) is None


def test_backwards_ranges_promise_nothing() -> None:
    assert decoy(b"a[z-a]", Dialect.GLOB) is None
