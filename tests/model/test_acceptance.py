import math
from itertools import accumulate
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.model.acceptance import Acceptance, mean_acceptance_lengths

probability = st.floats(0, 1)
draft_length = st.integers(0, 64)
conditionals = st.lists(probability, max_size=20)
histograms = st.lists(st.integers(0, 1000), min_size=1, max_size=20).filter(any)
acceptances = st.one_of(
    st.builds(Acceptance.iid, probability, draft_length),
    st.builds(Acceptance.from_conditional, conditionals),
    st.builds(Acceptance.from_histogram, histograms),
)


@given(acceptances)
def test_it_is_a_distribution(acceptance):
    assert acceptance.pmf.shape == (acceptance.num_speculative_tokens + 1,)
    assert acceptance.pmf.min() >= 0
    assert acceptance.pmf.sum() == pytest.approx(1, abs=1e-12)


@given(acceptances)
def test_moments_are_those_of_the_distribution(acceptance):
    kept = np.arange(acceptance.num_speculative_tokens + 1)
    mean = float(kept @ acceptance.pmf)
    assert acceptance.mean_acceptance_length == pytest.approx(1 + mean, abs=1e-9)
    assert acceptance.variance == pytest.approx(float((kept - mean) ** 2 @ acceptance.pmf), abs=1e-9)


@given(acceptances)
def test_a_round_emits_between_one_and_k_plus_one_tokens(acceptance):
    k, tau = acceptance.num_speculative_tokens, acceptance.mean_acceptance_length
    assert 1 <= tau <= k + 1 + 1e-12
    assert acceptance.draft_acceptance_rate == (pytest.approx((tau - 1) / k, abs=1e-12) if k else None)


@given(probability, draft_length)
def test_iid_is_a_geometric_sum(alpha, k):
    tau = Acceptance.iid(alpha, k).mean_acceptance_length
    assert tau == pytest.approx(math.fsum(alpha**j for j in range(k + 1)), rel=1e-12)
    if alpha < 0.999:
        assert tau == pytest.approx((1 - alpha ** (k + 1)) / (1 - alpha), rel=1e-9)  # Leviathan et al. 2023, eq. 1


@given(probability, probability, draft_length, draft_length)
def test_tau_rises_with_alpha_and_with_k(one_alpha, other_alpha, one_k, other_k):
    low, high = sorted((one_alpha, other_alpha))
    fewer, more = sorted((one_k, other_k))
    least = Acceptance.iid(low, fewer).mean_acceptance_length
    assert least <= Acceptance.iid(high, fewer).mean_acceptance_length
    assert least <= Acceptance.iid(low, more).mean_acceptance_length


def test_tau_rises_strictly_where_it_can():
    taus = [Acceptance.iid(alpha, 5).mean_acceptance_length for alpha in np.linspace(0, 1, 21)]
    assert np.all(np.diff(taus) > 0)
    assert np.all(np.diff([Acceptance.iid(0.6, k).mean_acceptance_length for k in range(65)]) > 0)


@given(probability, draft_length)
def test_iid_is_the_same_conditional_acceptance_at_every_position(alpha, k):
    assert Acceptance.iid(alpha, k) == Acceptance.from_conditional([alpha] * k)


@given(conditionals)
def test_conditional_and_per_position_agree(values):
    acceptance = Acceptance.from_conditional(values)
    assert acceptance.per_position_acceptance == pytest.approx(list(accumulate(values, mul)))
    assert Acceptance.from_per_position(acceptance.per_position_acceptance) == acceptance


@given(st.lists(st.floats(0.05, 1), max_size=20))
def test_conditional_acceptance_is_read_back(values):
    assert Acceptance.from_conditional(values).conditional_acceptance == pytest.approx(values)


def test_conditional_acceptance_is_unknown_behind_a_certain_rejection():
    first, second, third = Acceptance.from_conditional([0.5, 0, 0.9]).conditional_acceptance
    assert (first, second) == (0.5, 0) and math.isnan(third)


@given(histograms, st.floats(0.01, 100))
def test_a_histogram_gives_its_own_shares_whatever_its_scale(counts, factor):
    acceptance = Acceptance.from_histogram(counts)
    assert acceptance.pmf == pytest.approx(np.array(counts) / sum(counts), abs=1e-12)
    scaled = Acceptance.from_histogram([count * factor for count in counts])
    assert scaled.per_position_acceptance == pytest.approx(acceptance.per_position_acceptance, abs=1e-12)


@given(acceptances)
def test_a_distribution_taken_as_a_histogram_is_itself(acceptance):
    again = Acceptance.from_histogram(acceptance.pmf.tolist())
    assert again.per_position_acceptance == pytest.approx(acceptance.per_position_acceptance, abs=1e-12)


@given(acceptances, st.data())
def test_truncating_keeps_the_prefix(acceptance, data):
    shorter = data.draw(st.integers(0, acceptance.num_speculative_tokens))
    cut = acceptance.truncate(shorter)
    assert cut.per_position_acceptance == acceptance.per_position_acceptance[:shorter]
    assert cut.pmf[:shorter] == pytest.approx(acceptance.pmf[:shorter], abs=1e-12)
    assert cut.pmf[-1] == pytest.approx(acceptance.pmf[shorter:].sum(), abs=1e-12)


@given(st.lists(probability, min_size=1, max_size=5), draft_length)
def test_many_mean_lengths_at_once(alphas, longest):
    table = mean_acceptance_lengths(alphas, longest)
    assert table.shape == (len(alphas), longest + 1)
    for row, alpha in zip(table, alphas, strict=True):
        assert row == pytest.approx([Acceptance.iid(alpha, k).mean_acceptance_length for k in range(longest + 1)])


def test_equal_distributions_are_equal_and_can_be_keys():
    assert len({Acceptance.iid(0.5, 2), Acceptance.from_per_position([0.5, 0.25])}) == 1


def test_the_distribution_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Acceptance.iid(0.5, 2).pmf[0] = 1


def test_no_drafts():
    off = Acceptance.iid(0.6, 0)
    assert (off.pmf.tolist(), off.mean_acceptance_length, off.draft_acceptance_rate, off.variance) == ([1], 1, None, 0)
    assert off == Acceptance.from_conditional([]) == Acceptance.from_per_position([]) == Acceptance.from_histogram([7])


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: Acceptance.iid(1.5, 2), r"conditional_acceptance\[0\] = 1\.5 is outside 0 to 1"),
        (lambda: Acceptance.from_conditional([0.5, -0.1]), r"conditional_acceptance\[1\] = -0\.1 is outside"),
        (lambda: Acceptance.from_conditional([math.nan]), r"conditional_acceptance\[0\] = nan is outside"),
        (lambda: Acceptance.from_per_position([2.0]), r"per_position_acceptance\[0\] = 2\.0 is outside"),
        (lambda: Acceptance.from_per_position([0.5, 0.7]), r"may never rise; got \[0\.5, 0\.7\]"),
        (lambda: Acceptance.from_histogram([]), r"at least one round; got \[\]"),
        (lambda: Acceptance.from_histogram([0, 0]), r"at least one round; got \[0\.0, 0\.0\]"),
        (lambda: Acceptance.from_histogram([3, -1]), r"counts\[1\] = -1\.0 is not a number of at least 0"),
        (lambda: Acceptance.from_histogram([3, math.nan]), r"counts\[1\] = nan is not"),
        (lambda: Acceptance.from_histogram([3, math.inf]), r"counts\[1\] = inf is not"),
        (lambda: Acceptance.iid(0.5, 3).truncate(4), "cannot cut a round of 3 drafts to 4"),
        (lambda: Acceptance.iid(0.5, 3).truncate(-1), "cannot cut a round of 3 drafts to -1"),
    ],
)
def test_numbers_that_are_no_distribution_are_named(made, says):
    with pytest.raises(SpecmodelError, match=says):
        made()
