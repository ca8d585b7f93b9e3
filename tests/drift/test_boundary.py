"""Where draft and verification cost what plain decoding does."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.drift.boundary import failure_boundary, phase_speedups
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.published import workload
from specmodel.drift.round_costs import RoundCosts, round_costs
from specmodel.drift.workload_inputs import with_spread
from specmodel.model.acceptance import Acceptance, mean_acceptance_lengths
from specmodel.model.break_even import break_even_alpha
from specmodel.model.scenario import Scenario

SHAPE = (0.9, 0.6)


@given(st.floats(0.1, 20), st.integers(1, 8), st.floats(0, 10))
def test_it_is_the_break_even_of_a_scenario(draft_ms, k, overhead):
    scenario = Scenario(draft_ms=draft_ms, num_speculative_tokens=k, overhead_ms=overhead)
    found, expected = failure_boundary(round_costs(scenario, 8), k).alpha, break_even_alpha(scenario)
    assert found == expected if expected is None else found == pytest.approx(expected, abs=1e-9)


@given(st.floats(1.01, 3.5), st.sampled_from([(), SHAPE]))
def test_at_the_boundary_tau_is_rho(rho, shape):
    made = Workload("w", "W", (Phase("A", acceptance_shape=shape, persistence=0),))
    found = failure_boundary(RoundCosts([10, 10, 10, 10 * rho]), 3, made).phases[0].break_even_alpha
    most = Acceptance.shaped(1.0, 3, shape).mean_acceptance_length
    assert (found is None) == (rho > most)
    if found is not None:
        assert Acceptance.shaped(found, 3, shape).mean_acceptance_length == pytest.approx(rho)


@st.composite
def any_phase(draw):
    """A phase whose requests and positions may differ, and whose acceptance may drift."""
    alpha = draw(st.floats(0, 1))
    return Phase(
        "A",
        alpha=alpha,
        change=draw(st.sampled_from([0.0, 1.0])) * draw(st.floats(-alpha, 1 - alpha)),
        requests=draw(st.integers(1, 5)),
        persistence=draw(st.sampled_from([0.0, 0.1, 0.5])),
        acceptance_shape=draw(st.sampled_from([(), SHAPE])),
    )


@given(any_phase(), st.floats(0.5, 4))
def test_a_phase_loses_exactly_below_its_boundary(phase, rho):
    found = failure_boundary(RoundCosts([10, 12, 10 * rho]), 2, Workload("w", "W", (phase,))).phases[0]
    if found.break_even_alpha is None:
        assert found.loses
    elif abs(found.alpha - found.break_even_alpha) > 1e-6:
        assert found.loses == (found.alpha < found.break_even_alpha)


@given(any_phase(), st.floats(1.05, 2.95))
def test_at_its_boundary_a_phase_is_as_fast_as_plain_decoding(phase, rho):
    costs = RoundCosts([10, 12, 10 * rho])
    found = failure_boundary(costs, 2, Workload("w", "W", (phase,))).phases[0]
    if found.break_even_alpha is not None and not phase.change:
        there = replace(phase, alpha=found.break_even_alpha)
        assert phase_speedups(Workload("w", "W", (there,)), costs)[0, 2] == pytest.approx(1, abs=1e-9)


@given(st.floats(0.05, 0.95), st.floats(1.05, 2.95), st.integers(1, 8))
def test_requests_that_differ_take_more_acceptance(alpha, rho, k):
    costs = RoundCosts([10.0] * k + [10 * min(rho, 0.9 * k + 1)])
    phases = [Phase(f"{each}", alpha=alpha, persistence=each) for each in (0.0, 0.1, 0.5)]
    needed = [each.break_even_alpha for each in failure_boundary(costs, k, Workload("w", "W", tuple(phases))).phases]
    alphas = [each for each in needed if each is not None]
    assert len(alphas) == 3 and alphas == sorted(alphas)


def test_a_phase_above_the_boundary_of_equal_requests_may_lose_where_its_own_differ():
    made = with_spread(workload("shift"), 0.3)
    found = failure_boundary(round_costs(Scenario(draft_ms=4.5), 16), 5, made)
    play = found.phases[1]
    assert found.alpha is not None and play.break_even_alpha is not None
    assert found.alpha < play.alpha < play.break_even_alpha
    assert found.losing_phases == ("Role play",)


def test_a_long_drift_is_thinned_and_gives_the_mean_of_all_its_requests():
    long = Phase("A", alpha=0.2, change=0.6, requests=1000, output_tokens=5)
    every = mean_acceptance_lengths(long.typical_alphas().ravel(), 2)[:, 2]
    thinned = phase_speedups(Workload("w", "W", (long,)), RoundCosts([20, 23, 26]))[0, 2]
    assert thinned == pytest.approx(20 / 26 / (1 / every).mean(), rel=1e-3)


def test_speedup_of_a_phase_is_tau_over_rho():
    scenario = Scenario(alpha=0.8)
    made = Workload("w", "W", (Phase("A", alpha=0.8, persistence=0, acceptance_shape=SHAPE),))
    costs = round_costs(scenario, 5)
    expected = [Acceptance.shaped(0.8, k, SHAPE).mean_acceptance_length / costs.rho[k] for k in range(6)]
    assert phase_speedups(made, costs)[0] == pytest.approx(expected)


def test_off_is_one_in_every_phase_and_answers_that_differ_are_a_harmonic_mean():
    made = Workload("w", "W", (Phase("A", alpha=0.2, change=0.6, requests=2, persistence=0),))
    assert phase_speedups(made, RoundCosts([20, 20]))[0] == pytest.approx([1, 2 / (1 / 1.2 + 1 / 1.8)])


def test_each_losing_phase_is_named_once():
    low, high = Phase("Low", alpha=0.1), Phase("High", alpha=0.9)
    boundary = failure_boundary(RoundCosts([10, 13, 16]), 2, Workload("w", "W", (low, high, low)))
    assert boundary.losing_phases == ("Low",)
    assert [phase.label for phase in boundary.phases] == ["Low", "High", "Low"]
    assert boundary.rho == 1.6


def test_no_boundary_where_even_certain_acceptance_does_not_pay_and_none_needed_where_drafting_is_free():
    assert failure_boundary(RoundCosts([10, 25]), 1).alpha is None
    assert failure_boundary(RoundCosts([10, 20]), 1).alpha == 1.0
    assert failure_boundary(RoundCosts([10, 10]), 1).alpha == 0.0


@pytest.mark.parametrize("k", [0, 3, 1.5, float("nan")])
def test_a_length_without_a_cost_is_refused(k):
    with pytest.raises(SpecmodelError, match=f"num_speculative_tokens = {k} is not a whole number from 1 to 2"):
        failure_boundary(RoundCosts([10, 13, 16]), k)
