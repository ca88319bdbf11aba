"""Each estimate against another implementation or a closed form, and the published figures as arithmetic."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from qfuzz.stats.bootstrap import (
    FamilyBootstrap,
    difference_interval,
    percentiles,
    rate_interval,
    resampling_weights,
)
from qfuzz.stats.decompose import (
    TaskCounts,
    crossover,
    effects,
    mcnemar,
    mcnemar_p,
    points,
    share,
)
from qfuzz.stats.intervals import clopper_pearson, difference_of_independent, paired_bounds, upper_bound_of_none, wilson
from qfuzz.stats.ladder import movement, nearest, rungs
from qfuzz.stats.ranks import pair_signs, ranks, regret, tau_b
from qfuzz.stats.trials import all_pass, pass_hat, spread

COUNTS = [(0, 1), (1, 1), (0, 56), (3, 56), (18, 56), (56, 56), (123, 415), (7, 10)]


@pytest.mark.parametrize(("passed", "total"), COUNTS)
def test_intervals_of_a_share_are_those_of_scipy(passed: int, total: int) -> None:
    for ours, method in ((clopper_pearson, "exact"), (wilson, "wilson")):
        theirs = scipy.stats.binomtest(passed, total).proportion_ci(0.95, method)
        found = ours(passed, total)
        assert found is not None
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("total", [1, 14, 56, 415])
def test_the_bound_beside_none_leaves_a_chance_of_5_percent(total: int) -> None:
    bound = upper_bound_of_none(total)
    assert bound is not None
    assert (1 - bound) ** total == pytest.approx(0.05)


def test_paired_bounds_hold_what_was_seen_and_never_leave_the_scale() -> None:
    for losses, gains in itertools.product(range(5), range(5)):
        if losses + gains <= 4:
            bounds = paired_bounds(losses, gains, 4, whole=True)
            assert bounds is not None
            assert -1 <= bounds.low <= (gains - losses) / 4 <= bounds.high <= 1
            assert bounds.low < bounds.high


def test_paired_bounds_where_nothing_differs_are_the_exact_ones_at_half_the_risk() -> None:
    bounds = paired_bounds(0, 0, 56, whole=True)
    assert bounds is not None
    assert bounds.high == -bounds.low == pytest.approx(1 - 0.0125 ** (1 / 56))


def test_a_difference_of_independent_shares_is_that_of_newcombes_table() -> None:
    first, second = wilson(48, 80), wilson(56, 70)
    assert first is not None
    assert second is not None
    found = difference_of_independent(48 / 80, first, 56 / 70, second)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_the_published_decomposition() -> None:
    found = effects(Fraction(54, 56), Fraction(18, 56), Fraction(52, 56))
    assert [points(each) for each in (found.damage, found.compensation, found.matched_gap)] == [-64.3, 60.7, -3.6]


def test_the_published_retention_and_crossover() -> None:
    assert points(share(123, 415)) == 29.6
    # 53 of 56 and 10 of 56 are printed; the other two are those that the printed contrast leaves.
    found = crossover(Fraction(53, 56), Fraction(10, 56), Fraction(6, 56), Fraction(53, 56))
    assert points(found) == 80.4


@pytest.mark.parametrize(
    ("passed", "printed"), [(56, 100.0), (52, 92.9), (8, 14.3), (55, 98.2), (51, 91.1), (13, 23.2), (19, 33.9)]
)
def test_published_rates(passed: int, printed: float) -> None:
    assert points(Fraction(passed, 56)) == printed


@pytest.mark.parametrize(("tasks", "printed"), [(31, 55.4), (41, 73.2), (29, 51.8), (37, 66.1), (17, 30.4), (3, 5.4)])
def test_published_differences_in_tasks(tasks: int, printed: float) -> None:
    assert points(-Fraction(tasks, 56)) == -printed


def test_held_out_damage_as_published() -> None:
    assert points(Fraction(39, 42)) == 92.9
    assert [points(-Fraction(lost, 42)) for lost in (31, 32)] == [-73.8, -76.2]


def test_nothing_is_no_data_and_never_0() -> None:
    empty = TaskCounts(np.zeros(3, np.int64), np.zeros(3, np.int64))
    nothing = np.empty(0)
    assert empty.rate() is None
    assert points(None) is None
    assert share(0, 0) is None
    assert clopper_pearson(0, 0) is None
    assert wilson(0, 0) is None
    assert upper_bound_of_none(0) is None
    assert mcnemar(nothing, nothing) is None
    assert mcnemar(np.array([1.0, np.nan]), np.array([np.nan, 0.0])) is None
    assert pass_hat(empty, 1) is None
    assert spread(*(np.empty(0, np.int64),) * 3) is None
    assert regret([], []) is None
    assert difference_interval(math.nan, math.nan, nothing) is None
    assert rate_interval(math.nan, math.nan, 0.0, 0) is None
    one_sided = effects(Fraction(1), Fraction(1, 2), None)
    assert (one_sided.damage, one_sided.compensation, one_sided.matched_gap) == (Fraction(-1, 2), None, None)
    assert crossover(Fraction(1), Fraction(1), None, Fraction(1)) is None
    assert movement([None, Fraction(1)]) is None
    assert nearest({"rr": None}, {"low": {"rr": Fraction(1)}}) is None


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (1, 0), (36, 0), (5, 5), (3, 12), (40, 38)])
def test_mcnemar_is_the_binomial_test(lost: int, gained: int) -> None:
    theirs = scipy.stats.binomtest(lost, lost + gained, 0.5).pvalue if lost + gained else 1.0
    assert mcnemar_p(lost, gained) == pytest.approx(theirs, rel=1e-9)


def test_mcnemar_counts_tasks_and_not_trials() -> None:
    found = mcnemar(np.array([1.0, 1.0, 0.5, np.nan]), np.array([0.0, 0.5, 1.0, 1.0]))
    assert found is not None
    assert (found.lost, found.gained) == (2, 1)


def test_weights_are_draws_with_replacement() -> None:
    weights = resampling_weights(14, 10_000, 7)
    assert (weights.sum(axis=1) == 14).all()
    # A binomial of 14 throws: mean 1, variance 13/14.
    assert weights.mean() == 1
    assert weights.var() == pytest.approx(13 / 14, abs=0.01)
    assert (resampling_weights(14, 100, 7) != resampling_weights(14, 100, 8)).any()


def test_the_draws_of_a_seed_never_change() -> None:
    assert resampling_weights(4, 5, 1).astype(int).tolist() == [
        [1, 0, 1, 2],
        [0, 3, 0, 1],
        [1, 0, 2, 1],
        [0, 3, 0, 1],
        [2, 2, 0, 0],
    ]


def test_percentiles_are_those_of_numpy() -> None:
    drawn = np.random.default_rng(3).standard_normal((4, 1001))
    low, high = percentiles(drawn)
    assert low == pytest.approx(np.percentile(drawn, 2.5, axis=1))
    assert high == pytest.approx(np.percentile(drawn, 97.5, axis=1))


def test_the_bootstrap_is_a_plain_loop_over_resampled_families() -> None:
    stream = np.random.default_rng(5)
    families = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
    values = stream.integers(0, 3, len(families)) / 2
    drawn = []
    for row in resampling_weights(4, 500, 11).astype(int):
        members = [value for family, times in enumerate(row) for value in list(values[families == family]) * times]
        drawn.append(sum(members) / len(members))
    low, high = FamilyBootstrap(500, 11).means(values[None, :], families)
    assert (low[0], high[0]) == pytest.approx((np.percentile(drawn, 2.5), np.percentile(drawn, 97.5)))


def test_a_row_is_resampled_over_its_own_families_alone() -> None:
    families = np.repeat(np.arange(4), 3)
    values = np.random.default_rng(2).random((1, 12))
    part = np.where(families < 3, values, np.nan)
    both = FamilyBootstrap(400, 1).means(np.vstack([values, part]), families)
    alone = FamilyBootstrap(400, 1).means(values[:, families < 3], families[families < 3])
    assert (both[0][1], both[1][1]) == pytest.approx((alone[0][0], alone[1][0]))


def test_without_width_the_bootstrap_gives_way_to_bounds() -> None:
    families = np.repeat(np.arange(14), 4)
    low, high = FamilyBootstrap(500, 0).means(np.zeros((1, 56)), families)
    found = difference_interval(float(low[0]), float(high[0]), np.zeros(56))
    assert found is not None
    assert found.method == "exact"
    assert found.low == -found.high < 0
    rate = rate_interval(1.0, 1.0, 1.0, 56)
    assert rate is not None
    assert (rate.method, rate.high) == ("wilson", 1.0)
    assert rate.low == pytest.approx(0.936, abs=0.001)


def test_difference_of_two_sets_resamples_the_families_of_both_together() -> None:
    stream = np.random.default_rng(9)
    first, second = stream.random(8), stream.random(12)
    one, other = np.repeat(np.arange(4), 2), np.repeat(np.arange(4), 3)
    found = FamilyBootstrap(300, 4).difference_of_means(first, one, second, other)
    drawn = []
    for row in resampling_weights(4, 300, 4):
        drawn.append(np.average(second, weights=row[other]) - np.average(first, weights=row[one]))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((np.percentile(drawn, 2.5), np.percentile(drawn, 97.5)))
    assert FamilyBootstrap(300, 4).difference_of_means(first, one, second, other + 1) is None


def test_tau_b_is_that_of_scipy() -> None:
    stream = np.random.default_rng(1)
    for size in (2, 3, 8, 30):
        for _ in range(20):
            x, y = stream.integers(0, 5, (2, size))
            theirs = scipy.stats.kendalltau(x, y).statistic
            ours = tau_b(pair_signs(x[None, :].astype(float)), pair_signs(y[None, :].astype(float)))[0]
            assert ours == pytest.approx(theirs, nan_ok=True)


def test_ranks_by_hand() -> None:
    # Three configurations on four tasks: 4, 3, 2 by RR; 1, 2, 2 by NN.
    rr = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0]], float)
    nn = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]], float)
    found = ranks(rr, nn, 1, 2000, 0)
    assert (found.pairs, found.comparable) == (3, 2)
    assert found.tau == pytest.approx(-2 / math.sqrt(3 * 2))
    assert [(each.first, each.second, each.rr_margin, each.nn_margin) for each in found.reversals] == [
        (0, 1, 1, 1),
        (0, 2, 2, 1),
    ]
    assert all(each.single_task for each in found.reversals)
    # Task 4 tells 0 from 1 by RR, task 2 by NN: both have to be drawn, 1 - 2 (3/4)^4 + (2/4)^4.
    assert found.reversals[0].probability == pytest.approx(1 - 2 * 0.75**4 + 0.5**4, abs=0.03)
    assert found.interval is not None
    assert found.interval.low <= found.tau <= found.interval.high


def test_margins_are_in_tasks_whatever_the_number_of_trials() -> None:
    rr, nn = np.array([[2, 2, 1], [2, 0, 0]], float), np.array([[0, 0, 0], [2, 1, 0]], float)
    (found,) = ranks(rr, nn, 2, 100, 0).reversals
    assert (found.rr_margin, found.nn_margin, found.single_task) == (Fraction(3, 2), Fraction(3, 2), False)


def test_all_tied_is_no_tau() -> None:
    rr = np.ones((3, 4))
    assert ranks(rr, np.arange(12.0).reshape(3, 4), 1, 100, 0).tau is None


def test_regret_as_published_and_where_the_choice_is_a_tie() -> None:
    found = regret([Fraction(1), Fraction(55, 56)], [Fraction(50, 56), Fraction(51, 56)])
    assert found is not None
    assert (found.chosen, found.best) == ((0,), (1,))
    assert [points(each) for each in found.regret] == [1.8, 1.8]
    tied = regret([Fraction(1), Fraction(1)], [Fraction(50, 56), Fraction(51, 56)])
    assert tied is not None
    assert tied.regret == (0, Fraction(1, 56))


def test_pass_hat_counts_the_choices_of_trials() -> None:
    outcomes = [[1, 1, 1], [1, 0, 1], [0, 0, 0]]
    counts = TaskCounts(np.array([3, 2, 0]), np.array([3, 3, 3]))
    for k in (1, 2, 3):
        chosen = [[all(each) for each in itertools.combinations(task, k)] for task in outcomes]
        assert pass_hat(counts, k) == sum(Fraction(sum(each), len(each)) for each in chosen) / 3
    assert pass_hat(counts, 4) is None
    assert all_pass(counts) == (1, 3)


def test_spread_is_between_trials() -> None:
    tasks, trials = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = spread(tasks, trials, np.array([1, 0, 1, 1]))
    assert found is not None
    assert found.rates == (1.0, 0.5)
    assert found.deviation == pytest.approx(np.std([1.0, 0.5], ddof=1))
    assert found.unsteady == 1


def test_a_task_without_trials_has_no_part_in_a_rate() -> None:
    counts = TaskCounts(np.array([1, 0, 3]), np.array([2, 0, 3]))
    assert counts.rate() == Fraction(3, 4)
    assert np.isnan(counts.means()[1])


def test_rungs_and_the_place_of_the_unset_effort() -> None:
    assert rungs(["max", "low", "xhigh", "minimal", "high"]) == ["minimal", "low", "high", "xhigh", "max"]
    assert rungs(["2048", "512", "none"]) == ["512", "2048", "none"]
    ladder = {"low": {"rr": Fraction(1, 2), "nn": Fraction(0)}, "high": {"rr": Fraction(1), "nn": Fraction(1)}}
    found = nearest({"rr": Fraction(1), "nn": Fraction(3, 4)}, ladder)
    assert found == (("high",), Fraction(1, 8))
    assert movement([Fraction(1, 4), None, Fraction(3, 4)]) == Fraction(1, 2)
