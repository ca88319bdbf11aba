"""Divergence: the decisive channels, and what a second pair says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qfuzz.model.observation import Capture, Ending, Entry, Kind, Status, Tree
from qfuzz.model.verdict import Channel
from qfuzz.oracle.compare import Comparison, Stability, compare, differing_channels
from qfuzz.oracle.describe import describe_difference
from tests.examples import observed

A = observed(0, b"a")
B = observed(0, b"b")
C = observed(1, b"c")
LATE = replace(A, status=Status(Ending.TIMEOUT, 0))


def test_stderr_and_time_decide_nothing() -> None:
    assert differing_channels(A, replace(A, stderr=Capture(b"x", True), seconds=9.0, arrived=b"z")) == ()


def test_a_signal_is_what_a_shell_reports_of_it() -> None:
    killed = replace(A, status=Status(Ending.SIGNAL, 9))
    assert differing_channels(killed, replace(A, status=Status(Ending.EXIT, 137))) == ()
    assert differing_channels(killed, replace(A, status=Status(Ending.EXIT, 9))) == (Channel.STATUS,)
    assert differing_channels(A, replace(A, status=Status(Ending.TIMEOUT, 0))) == (Channel.STATUS,)


def test_every_property_of_the_tree_counts() -> None:
    entry = Entry(Kind.FILE, 0o644, b"x")
    base = replace(A, tree=Tree({b"f": entry}))
    others = [
        Tree({}),
        Tree({b"f": entry, b"g": entry}),
        Tree({b"f": replace(entry, mode=0o755)}),
        Tree({b"f": replace(entry, content=b"y")}),
        Tree({b"f": replace(entry, kind=Kind.SYMLINK)}),
        Tree({b"f": entry}, truncated=True),
    ]
    for other in others:
        assert differing_channels(base, replace(base, tree=other)) == (Channel.TREE,)


@pytest.mark.parametrize(
    ("directs", "transported", "expected"),
    [
        ((A, A), (A,), Comparison(Stability.SAME)),
        ((A, A), (B, B), Comparison(Stability.DIVERGED, (Channel.STDOUT,))),
        ((A, A), (C, C), Comparison(Stability.DIVERGED, (Channel.STATUS, Channel.STDOUT))),
        ((A, A), (B, A), Comparison(Stability.NONDETERMINISTIC)),
        ((A, A), (B, C), Comparison(Stability.NONDETERMINISTIC)),
        ((A, B), (A,), Comparison(Stability.NONDETERMINISTIC)),
        ((A, B), (B, B), Comparison(Stability.NONDETERMINISTIC)),
        ((A, A), (LATE,), Comparison(Stability.DIVERGED, (Channel.STATUS,))),
        ((A, A), (LATE, A), Comparison(Stability.NONDETERMINISTIC)),
        ((A, B), (LATE,), Comparison(Stability.NONDETERMINISTIC)),
    ],
)
def test_second_pair_settles(directs: tuple, transported: tuple, expected: Comparison) -> None:  # type: ignore[type-arg]
    assert compare(directs, transported) == expected


def test_a_direct_run_without_end_is_compared_with_nothing() -> None:
    assert compare((LATE,), (A,)).stability is Stability.DIRECT_TIMEOUT


def test_a_difference_in_words() -> None:
    left = observed(0, b"hello", tree=Tree({b"a": Entry(Kind.FILE, 0o644, b"12"), b"b": Entry(Kind.DIR, 0o755)}))
    right = observed(2, b"", tree=Tree({b"a": Entry(Kind.FILE, 0o644, b"123"), b"c d": Entry(Kind.FIFO, 0o644)}))
    said = describe_difference(left, right, differing_channels(left, right))
    assert said == "status 0 -> 2; stdout 5 -> 0 bytes; a 2 -> 3 bytes, b missing, 1 more paths"
