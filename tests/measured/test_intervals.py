# mypy: disable-error-code="operator, misc"
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.measured.intervals import (
    INTERVAL_METHODS,
    NO_TRIALS,
    BadCounts,
    clustered_share,
    estimate,
    proportion,
)

counts = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_wilson_contains_the_share_and_stays_inside_0_to_1(counted):
    share = proportion(*counted)
    assert 0 <= share.low <= share.value <= share.high <= 1
    assert share.low < share.high


@given(counts, st.integers(2, 50))
def test_wilson_shrinks_with_more_trials_of_the_same_share(counted, times):
    successes, trials = counted
    assert proportion(successes * times, trials * times).half_width < proportion(successes, trials).half_width


@given(counts)
def test_wilson_treats_success_and_failure_alike(counted):
    successes, trials = counted
    one, other = proportion(successes, trials), proportion(trials - successes, trials)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)


@given(counts)
def test_wilson_widens_with_the_level(counted):
    assert proportion(*counted, level=0.99).half_width > proportion(*counted, level=0.9).half_width


def test_wilson_bounds_solve_their_defining_equation():
    """At a bound b, the share lies z standard errors of b away: (s - b)² = z²·b·(1 - b)/n."""
    share, z = proportion(37, 120), 1.959963984540054
    for bound in (share.low, share.high):
        assert (share.value - bound) ** 2 == pytest.approx(z**2 * bound * (1 - bound) / 120)


def test_wilson_at_the_edges():
    assert proportion(0, 20).low == 0
    assert proportion(20, 20).high == 1
    assert proportion(0, 20).high == pytest.approx(1.959964**2 / (20 + 1.959964**2))
    unknown = proportion(0, 0)
    assert (unknown.value, unknown.low, unknown.high, unknown.method) == (None, None, None, NO_TRIALS)
    assert unknown.half_width is None


@pytest.mark.parametrize("arguments", [(3, 2), (-1, 2), (1, -2), (float("nan"), 2), (1, 2, 0), (1, 2, 1)])
def test_counts_that_cannot_be_are_refused(arguments):
    with pytest.raises(BadCounts, match="is not a share"):
        proportion(*arguments)


def test_wilson_covers_the_truth_about_as_often_as_it_says():
    successes = np.random.default_rng(1).binomial(60, 0.9, size=2000)
    covered = [share.low <= 0.9 <= share.high for share in (proportion(int(s), 60) for s in successes)]
    assert 0.93 < np.mean(covered) < 0.98


rows = st.lists(st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=60)


@given(rows, st.sampled_from(["rounds", "windows", "requests"]), st.integers(0, 5))
def test_a_clustered_share_lies_inside_its_interval_and_repeats_itself(pairs, kind, seed):
    above, below = map(np.array, zip(*pairs, strict=True))
    share = clustered_share(above, below, kind, seed=seed, resamples=200)
    assert share.value == pytest.approx(above.sum() / below.sum())
    assert 0 <= share.low <= share.value <= share.high <= 1 and share.low < share.high
    assert share == clustered_share(above, below, kind, seed=seed, resamples=200)


def test_independent_rounds_give_the_textbook_standard_error():
    kept = np.random.default_rng(2).binomial(16, 0.3, size=1250)
    share = clustered_share(kept, np.full(kept.size, 16), "rounds", resamples=4000)
    assert share.half_width == pytest.approx(1.96 * np.sqrt(0.3 * 0.7 / (16 * kept.size)), rel=0.12)
    assert share.method == INTERVAL_METHODS["rounds"]


def test_rounds_alike_within_a_request_widen_the_interval():
    kept = 50 * np.random.default_rng(3).binomial(1, 0.5, size=100)
    share = clustered_share(kept, np.full(100, 50), "requests")
    assert share.half_width > 4 * proportion(int(kept.sum()), 5000).half_width


def test_few_requests_are_said_and_one_has_to_pass_for_independent():
    few = clustered_share(np.array([1.0, 9, 5]), np.full(3, 10.0), "requests")
    one = clustered_share(np.array([15.0]), np.array([30.0]), "requests")
    assert (few.method, one.method) == (INTERVAL_METHODS["few"], INTERVAL_METHODS["independent"])
    assert few.half_width > one.half_width


def test_few_requests_count_only_where_they_had_a_trial():
    share = clustered_share(np.array([0.0] * 20 + [3, 0]), np.array([0.0] * 20 + [3, 3]), "requests")
    assert share.method == INTERVAL_METHODS["few"]


def test_where_every_trial_went_one_way_the_interval_is_not_empty():
    every = clustered_share(np.full(20, 3.0), np.full(20, 3.0), "requests")
    assert every.low < every.value == every.high == 1 and every.method == INTERVAL_METHODS["independent"]


def test_nothing_to_divide_by_is_unknown():
    assert clustered_share(np.zeros(0), np.zeros(0), "rounds").value is None
    assert clustered_share(np.zeros(2), np.zeros(2), "requests").method == NO_TRIALS


def test_an_estimate_that_is_scaled_keeps_its_method():
    scaled = estimate(0.5, np.linspace(0.2, 0.8, 101), "requests").scaled(1.5, most=1)
    assert (scaled.value, scaled.high, scaled.method) == (0.75, 1, INTERVAL_METHODS["requests"])
    assert estimate(2.0, None, "none").scaled(3).low is None
