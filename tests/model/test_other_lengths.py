"""Tokens per round at lengths that were not measured: the public sweeps that the rules were found wanting on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.model.acceptance import Acceptance
from specmodel.model.other_lengths import (
    carried_length,
    falling_survival,
    length_bands,
    one_alpha_length,
    prefix_length,
    raised_to,
    replayed_length,
)

chances = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(chances)
def test_at_its_own_length_every_rule_gives_what_was_measured(conditional):
    survival = np.cumprod(conditional)
    tau, k = 1 + survival.sum(), survival.size
    for rule in (prefix_length, replayed_length, carried_length):
        assert float(rule(survival, k)) == pytest.approx(tau)
    bands = length_bands(survival, [0, k])
    assert bands.low.tolist() == bands.high.tolist() == pytest.approx([1, tau])


@given(st.floats(0, 1), st.integers(1, 4), st.integers(1, 4))
def test_replay_is_the_prefix_where_rounds_are_independent_and_fit_into_one_another(alpha, shorter, times):
    k = (shorter + 1) * times - 1
    survival = Acceptance.iid(alpha, k).per_position_acceptance
    assert float(replayed_length(survival, shorter)) == pytest.approx(float(prefix_length(survival, shorter)))


def test_replay_counts_the_rounds_of_every_run():
    """Six rounds of k = 3, drafted anew with k = 1, by hand: j + 1 tokens in ⌈(j + 1)/2⌉ rounds, a whole one in 2."""
    kept = np.array([0, 1, 2, 3, 3, 1])
    survival = [(kept >= i).mean() for i in (1, 2, 3)]
    rounds = 1 + 1 + 2 + 2 + 2 + 1
    assert float(replayed_length(survival, 1)) == pytest.approx((kept.sum() + 6) / rounds)


@given(chances, st.integers(1, 12), st.booleans())
def test_a_band_holds_its_value_and_stays_within_what_a_round_can_emit(conditional, asked, by_position):
    survival = np.cumprod(conditional)
    if not by_position:
        tau = 1 + survival.sum()
        survival = np.array(Acceptance.from_mean_acceptance_length(tau, survival.size).per_position_acceptance)
    bands = length_bands(survival, [asked], by_position=by_position)
    assert 1 <= bands.low[0] <= bands.value[0] + 1e-9 and bands.value[0] <= bands.high[0] + 1e-9
    assert bands.high[0] <= asked + 1 + 1e-9


def test_many_curves_at_once_are_each_of_them():
    curves = np.cumprod(np.random.default_rng(1).random((5, 4)), axis=1)
    together = length_bands(curves, [1, 3, 6])
    for row, curve in enumerate(curves):
        alone = length_bands(curve, [1, 3, 6])
        for name in ("value", "low", "high"):
            assert getattr(together, name)[row] == pytest.approx(getattr(alone, name))


@pytest.mark.parametrize("ratio", [0.5, 0.75, 1.0])
@pytest.mark.parametrize("tau", [1.2, 2.5, 3.6])
def test_falling_acceptance_gives_the_tokens_that_were_asked(ratio, tau):
    survival = falling_survival(tau, 4, ratio)
    assert 1 + survival.sum() == pytest.approx(tau, abs=2e-3)
    assert np.all(np.diff(survival) <= 1e-12)


@given(st.floats(1.0, 5.0))
def test_one_alpha_is_solved_closely_enough(tau):
    exact = Acceptance.from_mean_acceptance_length(min(tau, 5.0), 4).per_position_acceptance[0]
    assert float(one_alpha_length(tau, 4, 6)) == pytest.approx(sum(exact**i for i in range(7)), rel=1e-3)


def test_raised_survival_has_the_asked_tokens():
    found = raised_to(np.array([0.8, 0.5, 0.2]), np.array([1.3, 2.5, 3.4]))
    assert 1 + found.sum(axis=1) == pytest.approx([1.3, 2.5, 3.4], abs=2e-3)


# One rate typed at k = 4, and the same pair measured at k = 1 to 4 (a public report)
@pytest.mark.parametrize(("k", "measured"), [(1, 1.86), (2, 2.52), (3, 2.84), (4, 3.04)])
def test_one_rate_has_a_band_that_holds_the_shorter_lengths(k, measured):
    survival = Acceptance.from_mean_acceptance_length(3.04, 4).per_position_acceptance
    bands = length_bands(survival, [k], by_position=False)
    assert bands.low[0] - 1e-9 <= measured <= bands.high[0] + 1e-9
