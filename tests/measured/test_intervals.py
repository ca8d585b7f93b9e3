# mypy: disable-error-code="operator, misc"
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.measured.intervals import (
    BOOTSTRAP_BLOCKS,
    BOOTSTRAP_FEW,
    BOOTSTRAP_REQUESTS,
    MAX_GROUPS,
    NO_INTERVAL,
    NO_TRIALS,
    WIDER,
    BadCounts,
    block_bootstrap_ratio,
    clustered_proportion,
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


rows = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=2, max_size=60)


@given(rows, st.integers(0, 5))
def test_the_bootstrap_contains_the_ratio_and_repeats_itself(pairs, seed):
    above, below = zip(*pairs, strict=True)
    ratio = block_bootstrap_ratio(above, below, seed=seed, resamples=200)
    assert ratio.value == pytest.approx(sum(above) / sum(below))
    assert ratio == block_bootstrap_ratio(above, below, seed=seed, resamples=200)
    if ratio.low is not None:
        assert ratio.low <= ratio.value <= ratio.high


def test_independent_rounds_give_the_textbook_standard_error():
    values = np.random.default_rng(2).integers(1, 6, size=20_000)
    ratio = block_bootstrap_ratio(values, np.ones(values.size), resamples=4000)
    assert ratio.half_width == pytest.approx(1.96 * values.std() / np.sqrt(values.size), rel=0.1)
    assert ratio.method == BOOTSTRAP_BLOCKS


def test_rounds_alike_within_a_request_widen_the_interval():
    values = np.repeat(np.random.default_rng(3).integers(1, 6, size=100), 50)
    clusters = np.repeat(np.arange(100), 50)
    alike = block_bootstrap_ratio(values, np.ones(values.size), clusters=clusters)
    mixed = block_bootstrap_ratio(np.random.default_rng(3).permutation(values), np.ones(values.size), clusters=clusters)
    assert alike.method == BOOTSTRAP_REQUESTS
    assert alike.half_width > 4 * mixed.half_width


def test_the_order_of_rows_does_not_matter_when_requests_are_known():
    rng = np.random.default_rng(4)
    values, clusters = rng.integers(1, 6, size=300), rng.integers(0, 20, size=300)
    order = rng.permutation(300)
    one = block_bootstrap_ratio(values, np.ones(300), clusters=clusters)
    other = block_bootstrap_ratio(values[order], np.ones(300), clusters=clusters[order])
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_few_requests_are_said_and_one_gives_no_interval():
    assert block_bootstrap_ratio([1, 2, 3], [1, 1, 1], clusters=["a", "b", "c"]).method == BOOTSTRAP_FEW
    one = block_bootstrap_ratio([1, 2, 3], [1, 1, 1], clusters=[7, 7, 7])
    assert (one.value, one.low, one.method) == (2.0, None, NO_INTERVAL)


def test_nothing_to_divide_by_is_unknown():
    assert block_bootstrap_ratio([], []).value is None
    assert block_bootstrap_ratio([0, 0], [0, 0]).value is None


def test_many_requests_are_joined_and_keep_their_spread():
    values = np.random.default_rng(5).integers(1, 6, size=40 * MAX_GROUPS)
    ratio = block_bootstrap_ratio(values, np.ones(values.size), clusters=np.arange(values.size), resamples=4000)
    assert ratio.half_width == pytest.approx(1.96 * values.std() / np.sqrt(values.size), rel=0.1)


def test_a_clustered_share_is_never_narrower_than_wilson():
    every = clustered_proportion([3] * 10, [3] * 10, clusters=range(10))
    assert (every.low, every.high) == (proportion(30, 30).low, 1)
    assert every.method == WIDER
    assert clustered_proportion([0], [0]).method == NO_TRIALS
    assert clustered_proportion([2], [3]) == proportion(2, 3)
