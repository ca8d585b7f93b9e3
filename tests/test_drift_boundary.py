"""Where draft and verification cost what plain decoding does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.acceptance import Acceptance
from specmodel.drift.boundary import failure_boundary, phase_speedups
from specmodel.drift.phases import DriftError, Phase, Workload
from specmodel.drift.setting import round_ms_of
from specmodel.scenario import Scenario, break_even_alpha

SHAPE = (0.9, 0.6)


@given(st.floats(0.1, 20), st.integers(1, 8), st.floats(0, 10))
def test_it_is_the_break_even_of_a_scenario(draft_ms, k, overhead):
    scenario = Scenario(draft_ms=draft_ms, num_speculative_tokens=k, overhead_ms=overhead)
    found, expected = failure_boundary(round_ms_of(scenario, 8), k).alpha, break_even_alpha(scenario)
    assert found == expected if expected is None else found == pytest.approx(expected, abs=1e-9)


@given(st.floats(1.01, 3.5), st.sampled_from([(), SHAPE]))
def test_at_the_boundary_tau_is_rho(rho, shape):
    made = Workload("w", "W", (Phase("A", acceptance_shape=shape),))
    found = failure_boundary([10, 10, 10, 10 * rho], 3, made).phases[0].break_even_alpha
    most = Acceptance.shaped(1.0, 3, shape).mean_acceptance_length
    assert (found is None) == (rho > most)
    if found is not None:
        assert Acceptance.shaped(found, 3, shape).mean_acceptance_length == pytest.approx(rho)


@given(st.floats(0, 1), st.floats(0.5, 4))
def test_a_phase_loses_exactly_below_its_boundary(alpha, rho):
    made = Workload("w", "W", (Phase("A", alpha=alpha, persistence=0),))
    phase = failure_boundary([10, 12, 10 * rho], 2, made).phases[0]
    if phase.break_even_alpha is None:
        assert phase.loses
    elif abs(alpha - phase.break_even_alpha) > 1e-6:
        assert phase.loses == (alpha < phase.break_even_alpha)


def test_speedup_of_a_phase_is_tau_over_rho():
    scenario = Scenario(alpha=0.8)
    made = Workload("w", "W", (Phase("A", alpha=0.8, persistence=0, acceptance_shape=SHAPE),))
    costs = round_ms_of(scenario, 5)
    expected = [Acceptance.shaped(0.8, k, SHAPE).mean_acceptance_length * costs[0] / costs[k] for k in range(6)]
    assert phase_speedups(made, costs)[0] == pytest.approx(expected)


def test_off_is_one_in_every_phase_and_answers_that_differ_are_a_harmonic_mean():
    made = Workload("w", "W", (Phase("A", alpha=0.2, change=0.6, requests=2, persistence=0),))
    assert phase_speedups(made, [20, 20])[0] == pytest.approx([1, 2 / (1 / 1.2 + 1 / 1.8)])


def test_each_losing_phase_is_named_once():
    low, high = Phase("Low", alpha=0.1), Phase("High", alpha=0.9)
    boundary = failure_boundary([10, 13, 16], 2, Workload("w", "W", (low, high, low)))
    assert boundary.losing_phases == ("Low",)
    assert [phase.label for phase in boundary.phases] == ["Low", "High", "Low"]
    assert boundary.rho == 1.6


def test_no_boundary_where_even_certain_acceptance_does_not_pay_and_none_needed_where_drafting_is_free():
    assert failure_boundary([10, 25], 1).alpha is None
    assert failure_boundary([10, 20], 1).alpha == 1.0
    assert failure_boundary([10, 10], 1).alpha == 0.0


@pytest.mark.parametrize("k", [0, 3])
def test_a_length_without_a_cost_is_refused(k):
    with pytest.raises(DriftError, match=f"num_speculative_tokens = {k} has no boundary: expected 1 to 2"):
        failure_boundary([10, 13, 16], k)
