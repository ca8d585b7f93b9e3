"""Policies on the same rounds: paired draws, what adds up, and agreement with the exact theory."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.drift import choice, phase_speedups, round_costs, simulate_drift, workload
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.round_costs import RoundCosts
from specmodel.model.acceptance import Acceptance
from specmodel.model.rounds import rounds_distribution
from specmodel.model.scenario import Scenario
from specmodel.serving.passes import AffinePass
from specmodel.serving.served_model import Serving
from tests.conftest import examples

COSTS = round_costs(Scenario(), 8)
CHANGING = round_costs(Scenario(), 8, switching_ms=1.5, resume_ms=3)
ALL = ["off", "fixed", "heuristic", "threshold", "tiers", "goodput", "oracle"]


@pytest.fixture(scope="module")
def shift():
    return simulate_drift(workload("shift"), CHANGING, ALL, seed=4)


def test_equal_rounds_are_identical_whoever_asks(shift):
    seen: dict = {}
    for name in ALL:
        run = shift.run(name)
        for start, k, accepted in zip(run.start, run.num_speculative_tokens, run.accepted, strict=True):
            assert seen.setdefault((start, k), accepted) == accepted
    assert len(seen) < sum(run.num_rounds for run in shift.runs)  # some were asked for twice


def test_a_longer_round_at_the_same_token_accepts_the_same_first_drafts(shift):
    seen: dict = {}
    for name in ALL:
        run = shift.run(name)
        for start, k, accepted in zip(run.start, run.num_speculative_tokens, run.accepted, strict=True):
            for other, kept in seen.setdefault(start, []):
                assert min(k, other, kept) == min(k, other, accepted)
            seen[start].append((k, accepted))


def test_off_is_exactly_plain_decoding(shift):
    assert shift.speedup("off") == 1.0
    assert [phase.speedup for phase in shift.by_phase("off")] == [1.0] * 3
    assert shift.saved_ms("off") == pytest.approx(0, abs=1e-6)
    assert shift.run("off").num_wasted_draft_tokens == 0
    assert shift.losing_phases("off") == ()


@examples(20)
@given(st.floats(0.001, 1000), st.integers(0, 9))
def test_off_is_exactly_plain_at_any_cost(plain, seed):
    made = Workload("w", "W", (Phase("A", requests=3, output_tokens=7),))
    assert simulate_drift(made, RoundCosts([plain, 2 * plain], switching_ms=5), ["off"], seed).speedup("off") == 1.0


@pytest.mark.parametrize("name", ALL)
def test_everything_adds_up(shift, name):
    run, phases = shift.run(name), shift.by_phase(name)
    assert run.tokens.sum() == shift.rounds.num_tokens == sum(phase.num_tokens for phase in phases)
    assert run.num_rounds == sum(phase.num_rounds for phase in phases)
    assert run.ms.sum() == pytest.approx(run.total_ms())
    assert sum(phase.ms for phase in phases) == pytest.approx(run.total_ms())
    assert sum(phase.num_switches for phase in phases) == run.num_switches
    assert sum(phase.num_wasted_draft_tokens for phase in phases) == run.num_wasted_draft_tokens
    for phase in phases:
        assert phase.num_draft_tokens == phase.num_accepted_draft_tokens + phase.num_wasted_draft_tokens
        assert phase.num_tokens == phase.num_rounds + phase.num_accepted_draft_tokens
    assert (run.wasted >= 0).all()
    assert shift.saved_ms(name)[-1] == pytest.approx(shift.plain_ms - run.total_ms())
    assert shift.regret_ms(name)[-1] == pytest.approx(run.total_ms() - shift.oracle.total_ms())
    assert sum(phase.regret_ms for phase in phases) == pytest.approx(shift.regret_ms(name)[-1])
    assert run.start[0] == 0
    assert (np.diff(run.start) == run.tokens[:-1]).all()


def test_the_oracle_has_no_regret_and_is_played_even_where_nobody_asked(shift):
    assert not shift.regret_ms("oracle").any()
    alone = simulate_drift(workload("shift"), CHANGING, ["off"], seed=4)
    assert alone.oracle.total_ms() == shift.oracle.total_ms()
    assert alone.run("oracle") is alone.oracle


@pytest.mark.parametrize("name", ["fixed", "heuristic", "threshold", "tiers"])
def test_changes_cost_what_they_cost_to_policies_that_do_not_look_at_costs(shift, name):
    free = simulate_drift(workload("shift"), COSTS, [name], seed=4).run(name)
    run = shift.run(name)
    assert (free.num_speculative_tokens == run.num_speculative_tokens).all()
    k = run.num_speculative_tokens
    expected = 1.5 * np.count_nonzero(np.diff(k)) + 3 * np.count_nonzero((k[:-1] == 0) & (k[1:] > 0))
    assert run.total_ms() - free.total_ms() == pytest.approx(expected)


@pytest.mark.parametrize(("alpha", "k"), [(0.6, 1), (0.6, 5), (0.9, 8), (0.2, 3)])
def test_a_fixed_length_in_a_stationary_phase_is_tau_over_rho(alpha, k):
    made = Workload("w", "W", (Phase("A", alpha=alpha, persistence=0, requests=1, output_tokens=20_000),))
    run = simulate_drift(made, COSTS, [choice("fixed", num_speculative_tokens=k)], seed=11)
    acceptance = Acceptance.iid(alpha, k)
    tau = acceptance.mean_acceptance_length
    rounds = run.run("fixed").num_rounds
    error = np.sqrt(acceptance.variance / rounds)
    assert abs(run.rounds.num_tokens / rounds - tau) <= 4 * error + k / rounds
    assert run.speedup("fixed") == pytest.approx(tau / COSTS.rho[k], rel=4 * error / tau + 1e-3)


def test_answers_of_a_fixed_length_take_the_exact_number_of_rounds():
    """Short answers: the last round overshoots. The distribution of `specmodel.model.rounds` says by how much."""
    shape = (0.9, 0.7)
    made = Workload(
        "w", "W", (Phase("A", alpha=0.75, persistence=0, requests=900, output_tokens=20, acceptance_shape=shape),)
    )
    run = simulate_drift(made, COSTS, [choice("fixed", num_speculative_tokens=4)], seed=5).run("fixed")
    exact = rounds_distribution(Acceptance.shaped(0.75, 4, shape), 20)
    counts = np.bincount(run.request)
    assert abs(counts.mean() - exact.mean) <= 4 * exact.sd / np.sqrt(counts.size)
    for r, chance in zip(exact.support, exact.pmf, strict=True):
        share, error = np.mean(counts == r), np.sqrt(chance * (1 - chance) / counts.size)
        assert abs(share - chance) <= 4 * error + 1e-3


def test_phase_speedups_are_the_long_run_of_a_fixed_length():
    phases = (
        Phase("A", alpha=0.8, persistence=0.1, requests=160, output_tokens=120),
        Phase("B", alpha=0.3, change=0.3, persistence=0.05, requests=160, output_tokens=120, acceptance_shape=(0.9,)),
    )
    made = Workload("w", "W", phases)
    run = simulate_drift(made, COSTS, [choice("fixed", num_speculative_tokens=3)], seed=8)
    for outcome, speedup in zip(run.by_phase("fixed"), phase_speedups(made, COSTS)[:, 3], strict=True):
        assert outcome.speedup == pytest.approx(speedup, rel=0.03)


def test_a_policy_loses_where_draft_and_verification_cost_more():
    dear = RoundCosts([10.0, 14.0, 18.0, 22.0, 26.0, 30.0])
    run = simulate_drift(workload("shift"), dear, ["fixed", "goodput"], seed=1)
    assert run.losing_phases("fixed") == ("Role play",)
    code, play, again = run.by_phase("fixed")
    assert play.loses
    assert play.speedup < 1 < min(code.speedup, again.speedup)
    assert run.saved_ms("fixed")[39] < run.saved_ms("fixed")[19]


def test_series_by_answer_have_one_value_each(shift):
    run, count = shift.run("tiers"), shift.rounds.num_requests
    assert run.request_ms.shape == run.request_k.shape == (count,)
    assert shift.tokens_out[-1] == shift.rounds.num_tokens


def test_the_same_seed_gives_the_same_run(shift):
    again = simulate_drift(workload("shift"), CHANGING, ALL, seed=4)
    other = simulate_drift(workload("shift"), CHANGING, ALL, seed=5)
    assert [run.total_ms() for run in again.runs] == [run.total_ms() for run in shift.runs]
    assert again.run("fixed").total_ms() != other.run("fixed").total_ms()


def test_costs_of_serving_under_load_can_be_used():
    serving = Serving(AffinePass(10, 0.02, 0), 0.7)
    costs = RoundCosts(serving.round_ms(np.arange(6), 32, 1000))
    assert simulate_drift(workload("slow"), costs, ["fixed"]).speedup("fixed") > 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"round_ms": [22.0]}, r"shape \(1,\)"),
        ({"round_ms": [22.0] * 66}, r"shape \(66,\)"),
        ({"round_ms": [22.0, 0.0]}, r"round_ms\[1\] = 0.0 is outside 1e-06 to 1,000,000,000"),
        ({"round_ms": [22.0, float("nan")]}, r"round_ms\[1\] = nan is outside"),
        ({"round_ms": [1e308, 1e308]}, r"round_ms\[0\] = 1e\+308 is outside"),
        ({"round_ms": [1e-320, 1e-320]}, r"round_ms\[0\] = 1e-320 is outside"),
        ({"round_ms": ["fast", 22.0]}, r"round_ms must be numbers; got \['fast'"),
        ({"round_ms": [22.0, [25.0]]}, "round_ms must be numbers"),
        ({"round_ms": [22.0, 25 + 1j]}, "round_ms must be numbers"),
        ({"round_ms": np.array([22.0, 25 + 1j])}, "round_ms must be numbers"),
        ({"round_ms": [[22.0, 25.0]]}, r"shape \(1, 2\)"),
        ({"switching_ms": -1.0}, r"switching_ms = -1.0 is outside 0 to 1,000,000,000"),
        ({"switching_ms": 1e308}, r"switching_ms = 1e\+308 is outside"),
        ({"switching_ms": "long"}, "switching_ms = 'long' is outside"),
        ({"resume_ms": float("inf")}, "resume_ms = inf is outside"),
        ({"seed": 1.5}, "seed = 1.5 is not a whole number"),
        ({"policies": ["off", "off"]}, "two policies are named off"),
        ({"policies": ["fast"]}, "there is no policy fast"),
        ({"policies": [choice("fixed", "oracle")]}, "two policies are named oracle"),
        ({"policies": [choice("oracle", "best"), choice("off", "oracle")]}, "two policies are named oracle"),
    ],
)
def test_what_cannot_be_played_is_refused_by_name(change, said):
    costs = {name: change.pop(name) for name in ("round_ms", "switching_ms", "resume_ms") if name in change}
    case = {"policies": ["off"], "seed": 0} | change
    with pytest.raises(SpecmodelError, match=said):
        simulate_drift(workload("shift"), RoundCosts(**{"round_ms": COSTS.round_ms} | costs), **case)


def test_an_unknown_name_of_a_run_is_refused(shift):
    with pytest.raises(SpecmodelError, match="no policy named best was played; played were off"):
        shift.run("best")


def test_the_first_cost_is_a_plain_step():
    assert RoundCosts((20.0, 22.0)).plain_ms == 20


def test_the_oracle_is_found_whatever_its_name():
    run = simulate_drift(workload("shift"), COSTS, ["off", choice("oracle", "best")], seed=4)
    assert run.run("oracle") is run.run("best") is run.oracle
    assert not run.regret_ms("oracle").any()


def test_what_costs_exactly_as_much_does_not_lose():
    sure = Workload("w", "W", (Phase("Sure", alpha=1, requests=3, output_tokens=3),))
    tied = simulate_drift(sure, RoundCosts([0.1, 0.2, 0.1 * 3]), [choice("fixed", num_speculative_tokens=2)])
    (outcome,) = tied.by_phase("fixed")
    assert 1 - 1e-15 < outcome.speedup < 1  # by rounding
    assert not outcome.loses and tied.losing_phases("fixed") == ()


@pytest.mark.parametrize("max_k", [2.5, -1, 65, float("nan"), float("inf"), True])
def test_round_times_are_those_of_whole_drafts(max_k):
    two: Any = 2.0
    with pytest.raises(SpecmodelError, match=f"max_k = {max_k} is not a whole number from 1 to 64"):
        round_costs(Scenario(), max_k)
    assert round_costs(Scenario(), two) == round_costs(Scenario(), 2)
