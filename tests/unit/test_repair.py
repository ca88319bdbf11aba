"""Repair sets and causes with planted faults: what comes out is exactly what was planted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.shrink.repair import Offsets, OutOfTrials, RepairForm, repair_form


class Planted:
    """A boundary that fails in the asked class if all of a fault is unprotected, and otherwise if half a pair is."""

    def __init__(
        self, faults: Iterable[Collection[int]], pairs: Iterable[tuple[int, int]] = (), most: int | None = None
    ) -> None:
        self.faults = [frozenset(fault) for fault in faults]
        self.pairs = [frozenset(pair) for pair in pairs]
        self.most = most
        self.asked: set[Offsets] = set()
        self.active: Offsets = frozenset()

    def restores(self, protected: Offsets) -> bool:
        self._count(protected)
        unprotected = self.active - protected
        halves = any(len(pair & unprotected) == 1 for pair in self.pairs)
        return not halves and not self._broken(unprotected)

    def fails_alike(self, protected: Offsets) -> bool:
        self._count(protected)
        unprotected = self.active - protected
        halves = any(len(pair & unprotected) == 1 for pair in self.pairs)
        return not halves and self._broken(unprotected)

    def _broken(self, unprotected: Offsets) -> bool:
        return any(fault <= unprotected for fault in self.faults)

    def _count(self, protected: Offsets) -> None:
        if self.most is not None and protected not in self.asked and len(self.asked) >= self.most:
            raise OutOfTrials
        self.asked.add(protected)

    def form(self, active: Iterable[int], pairs: Iterable[tuple[int, int]] = ()) -> RepairForm:
        self.active = frozenset(active)
        return repair_form(sorted(self.active), pairs, self)


def test_one_character_corrupts() -> None:
    form = Planted([{3}]).form(range(8))
    assert (form.repair_set, form.causes) == ((3,), ((3,),))


def test_two_characters_corrupt_only_together() -> None:
    form = Planted([{2, 6}]).form(range(8))
    assert form.causes == ((2, 6),)
    assert len(form.repair_set) == 1


def test_two_faults_are_two_causes() -> None:
    form = Planted([{1}, {4, 5}], pairs=[(4, 5)]).form([1, 4, 5], [(4, 5)])
    assert form.repair_set == (1, 4, 5)
    assert form.causes == ((1,), (4, 5))


def test_a_harmless_pair_of_quotes_is_in_no_repair_set() -> None:
    form = Planted([{9}], pairs=[(1, 2), (3, 4)]).form([1, 2, 3, 4, 9], [(1, 2), (3, 4)])
    assert (form.repair_set, form.causes) == ((9,), ((9,),))


def test_causes_that_share_a_character_are_one() -> None:
    form = Planted([{1, 2}, {2, 3}], pairs=[(1, 2)]).form([1, 2, 3], [(1, 2)])
    assert form.causes in (((1, 2),), ((2, 3),), ((1, 2, 3),))


def test_nothing_active_and_nothing_restorable() -> None:
    assert Planted([frozenset()]).form([]) == RepairForm(restorable=False)
    assert Planted([frozenset()]).form([1, 2]) == RepairForm(restorable=False)


def test_a_budget_that_ends_leaves_a_set_that_restores() -> None:
    planted = Planted([{number} for number in range(40)], most=10)
    form = planted.form(range(60))
    assert not form.finished
    assert set(form.repair_set) >= set(range(40))
    assert Planted([{1}], most=0).form(range(3)) == RepairForm(restorable=False, finished=False)


SETS = st.lists(st.frozensets(st.integers(0, 11), min_size=1, max_size=3), min_size=1, max_size=4)


@given(SETS)
def test_the_repair_set_restores_and_none_of_it_can_be_left_out(faults: list[Offsets]) -> None:
    planted = Planted(faults)
    form = planted.form(range(12))
    repair = frozenset(form.repair_set)
    assert planted.restores(repair)
    assert not any(planted.restores(repair - {offset}) for offset in repair)


@given(SETS)
def test_a_cause_alone_fails_and_no_part_of_it_does(faults: list[Offsets]) -> None:
    disjoint: list[Offsets] = []
    for fault in faults:
        if all(not fault & other for other in disjoint):
            disjoint.append(fault)
    planted = Planted(disjoint)
    form = planted.form(range(12))
    assert form.causes
    for cause in form.causes:
        assert frozenset(cause) in disjoint
    singles = [fault for fault in disjoint if len(fault) == 1]
    assert all(tuple(fault) in form.causes for fault in singles)


@given(SETS, st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_decides_nothing(faults: list[Offsets], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(range(12))
    random.shuffle(shuffled)
    assert Planted(faults).form(range(12)) == Planted(faults).form(shuffled)


@pytest.mark.parametrize("size", [1, 2, 5, 20])
def test_trials_grow_with_the_number_of_characters(size: int) -> None:
    planted = Planted([{number} for number in range(size)])
    planted.form(range(size))
    assert len(planted.asked) <= 2 * size + 4
