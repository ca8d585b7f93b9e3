"""The cost of a step: fixed and per draft, from one round, from several, and from a step with the drafter off."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.model.step_cost import StepCost, fit_step_cost, one_round


@given(st.integers(1, 16), st.floats(0.2, 8), st.floats(0, 1))
def test_one_round_gives_itself_back_whatever_share_is_fixed(k, rho, share):
    cost = one_round(k, rho, share)
    assert cost.at([0, k]).tolist() == pytest.approx([1, rho])
    ends = sorted(float(one_round(k, rho, end).at(1)) for end in (0.0, 1.0))
    assert ends[0] - 1e-9 <= float(cost.at(1)) <= ends[1] + 1e-9


@given(st.floats(0, 0.5), st.floats(0.01, 0.3), st.lists(st.integers(1, 12), min_size=2, max_size=6, unique=True))
def test_a_fit_finds_what_made_the_rounds(fixed, per_draft, drafts):
    rho = StepCost(fixed, per_draft).at(drafts)
    found = fit_step_cost(drafts, rho.tolist())
    assert (found.fixed, found.per_draft) == pytest.approx((fixed, per_draft), abs=1e-6)
    assert np.all(found.sd_at(drafts) >= 0)


def test_the_band_of_a_fit_holds_what_made_the_rounds():
    rng, held = np.random.default_rng(2), 0
    for _ in range(400):
        drafts = np.array([1, 2, 3, 5, 7])
        true = StepCost(0.15, 0.06)
        found = fit_step_cost(drafts.tolist(), (true.at(drafts) * rng.lognormal(0, 0.03, 5)).tolist(), 0.03)
        held += abs(float(found.at(4)) - float(true.at(4))) <= 1.96 * float(found.sd_at(4))
    assert 0.92 <= held / 400 <= 0.99


def test_off_with_the_drafter_loaded_tells_the_fixed_cost():
    found = fit_step_cost([4], [1.5], loaded_off=1.2)
    assert (found.fixed, found.per_draft) == pytest.approx((0.2, 0.075), abs=1e-3)


@pytest.mark.parametrize(
    ("drafts", "rho", "expected"), [([1, 4], [1.3, 1.2], (0.25, 0.0)), ([1, 4], [1.02, 1.4], (0.0, 0.098))]
)
def test_no_part_of_a_cost_is_below_nothing(drafts, rho, expected):
    found = fit_step_cost(drafts, rho)
    assert (found.fixed, found.per_draft) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("drafts", "rho"), [([3], [1.4]), ([3, 3], [1.4, 1.5]), ([0, 3], [1.0, 1.4]), ([1, 2], [1.1, float("nan")])]
)
def test_what_does_not_tell_both_is_refused(drafts, rho):
    with pytest.raises(SpecmodelError):
        fit_step_cost(drafts, rho)
    with pytest.raises(SpecmodelError):
        one_round(0, 1.5)
