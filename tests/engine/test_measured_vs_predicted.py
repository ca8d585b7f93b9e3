# mypy: disable-error-code="arg-type, union-attr, operator, type-var"
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engine.measured_vs_predicted import Comparison, by_category
from specmodel.measured.bundled import bundled_run
from specmodel.measured.intervals import INTERVAL_METHODS
from specmodel.measured.rounds import MeasuredRounds, read_rounds
from specmodel.model.acceptance import Acceptance
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import trace


def drawn(scenario, seed=0, **times):
    """The rounds of one simulated run as if they had been measured."""
    accepted = trace(scenario, seed).accepted
    costs = {name: np.full(accepted.size, value) for name, value in times.items()}
    return MeasuredRounds(np.full(accepted.size, scenario.num_speculative_tokens), accepted, **costs)


one_round = st.integers(0, 20).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(st.lists(one_round, min_size=1, max_size=40).filter(lambda rows: any(proposed for proposed, _ in rows)))
def test_predictions_for_any_counts(rows):
    proposed, accepted = np.array(rows).T
    found = Comparison(MeasuredRounds(proposed, accepted))
    alpha, rate = float(found.alpha.value), accepted.sum() / proposed.sum()
    taus = [Acceptance.iid(alpha, k).mean_acceptance_length for k in proposed]
    assert found.predicted_length == pytest.approx(np.mean(taus))
    assert found.length.value == pytest.approx(1 + accepted.mean())
    assert found.mistaken_length <= found.predicted_length + 1e-12 and rate <= alpha + 1e-12
    assert found.speedup is None and found.predicted_speedup is None and found.scenario(Scenario()) is None


@pytest.mark.parametrize(("alpha", "k"), [(0.6, 5), (0.8, 8), (0.3, 2)])
def test_the_model_predicts_a_run_of_the_model(alpha, k):
    scenario = Scenario(alpha=alpha, num_speculative_tokens=k, output_tokens=50_000)
    found = Comparison(drawn(scenario))
    assert found.alpha.low < alpha < found.alpha.high
    assert found.predicted_length == pytest.approx(scenario.acceptance.mean_acceptance_length, rel=0.02)
    assert found.predicted_length == pytest.approx(found.length.value, rel=0.01)
    assert found.mistaken_length < 0.9 * found.length.value
    assert found.answer.acceptance.acceptance.pmf == pytest.approx(scenario.acceptance.pmf, abs=0.02)


def test_a_measured_run_becomes_a_scenario_with_its_own_costs():
    scenario = Scenario(alpha=0.7, output_tokens=20_000, verify_ms_per_token=0.4, overhead_ms=1.5)
    rounds = drawn(scenario, draft_ms=15.0, verify_ms=24.0, overhead_ms=1.5)
    found = Comparison(rounds, baseline_ms=22)
    back = found.scenario(Scenario(output_tokens=77, vocabulary_overlap=0.5))
    alpha = round(found.alpha.value, 4)
    assert back == Scenario(alpha=alpha, output_tokens=77, verify_ms_per_token=0.4, overhead_ms=1.5)
    assert back.round_cost.round_ms == pytest.approx(rounds.round_ms.mean())
    assert evaluate(back).speedup == pytest.approx(found.predicted_speedup, rel=1e-3)
    assert found.predicted_speedup == pytest.approx(found.speedup.value, rel=0.01)


def test_a_pass_faster_than_a_plain_step_counts_as_one():
    rounds = drawn(Scenario(output_tokens=100), draft_ms=15.0, verify_ms=20.0)
    assert Comparison(rounds, baseline_ms=22).scenario(Scenario()).verify_ms_per_token == 0


def test_the_plain_step_is_that_given_or_that_of_the_file():
    rounds = drawn(Scenario(output_tokens=100), draft_ms=15.0, verify_ms=22.0, baseline_ms=20.0)
    assert Comparison(rounds).answer.case.plain_ms == pytest.approx(20)
    assert Comparison(rounds, baseline_ms=30).answer.case.plain_ms == 30
    assert Comparison(rounds, 30).speedup.value == pytest.approx(1.5 * Comparison(rounds).speedup.value)
    assert Comparison(rounds, 30).predicted_speedup == pytest.approx(1.5 * Comparison(rounds).predicted_speedup)


TIMED = "proposed,accepted,draft_ms,verify_ms,baseline_ms\n"


@pytest.mark.parametrize(
    "line",
    ["0,0,0,20,18", "64,64,4,20,18", "2,1,0,0,18", "2,1,4,20,0", "2,1,4,20,1e-9", "2,1,1e7,20,18", "2,1,4,1e7,18"],
)
def test_any_file_that_can_be_read_gives_a_scenario_or_none(line):
    """Times outside the domain of the sliders are no reason to fail: the visitor did nothing wrong."""
    scenario = Comparison(read_rounds(TIMED + line)).scenario(Scenario())
    assert scenario is None or scenario.num_speculative_tokens <= 64


def test_rounds_without_any_draft_predict_one_token_a_round():
    rounds = MeasuredRounds(np.array([0, 0]), np.array([0, 0]))
    found = Comparison(rounds)
    assert (found.alpha.value, found.predicted_length, found.mistaken_length) == (None, None, None)
    assert (found.length.value, found.answer.acceptance) == (1, None)


def test_one_comparison_for_each_category():
    rounds = bundled_run("pair").load()
    found = by_category(rounds, 2.0)
    assert [name for name, _ in found] == list(rounds.options()["category"])
    assert sum(each.rounds.num_rounds for _, each in found) == rounds.num_rounds
    assert all(each.baseline_ms == 2.0 for _, each in found)


def test_without_categories_there_is_one_comparison():
    rounds = drawn(Scenario(output_tokens=50))
    assert [(name, each.rounds) for name, each in by_category(rounds)] == [("", rounds)]
    [(name, only)] = by_category(bundled_run("pair").load().select(category="code"))
    assert name == "code" and only.rounds.num_rounds > 0


# The bundled runs: what was found when they were measured


def test_lookup_speed_on_greedy_code():
    run = bundled_run("lookup_timed").load()
    measured = {k: Comparison(run.select("code", k, 0)).speedup for k in (1, 2, 4, 8)}
    assert [found.value for found in measured.values()] == pytest.approx([1.54, 2.09, 2.68, 2.64], abs=0.006)
    assert measured[4].low < 2.3 and measured[4].high > 3.4
    assert measured[4].method == INTERVAL_METHODS["timed"]


def test_the_pair_gains_little_at_its_best_and_loses_with_long_drafts():
    run = bundled_run("pair").load()
    for category in ("code", "prose", "repetitive"):
        for temperature in (0, 1):
            speed = {k: Comparison(run.select(category, k, temperature)).speedup.value for k in (1, 2, 3, 12)}
            assert 0.9 < max(speed[k] for k in (1, 2, 3)) < 1.3
            assert 0.44 < speed[12] < 0.75


def test_the_interval_of_a_speedup_holds_the_true_one_where_requests_differ_in_acceptance_and_pace():
    rng, requests, rounds, k = np.random.default_rng(7), 25, 20, 4
    alphas, pace = rng.beta(6, 4, 10_000), rng.gamma(30, 1 / 30, 10_000)
    emitted = 1 + sum(alphas**i for i in range(1, k + 1))
    true = 10 * (emitted * pace).mean() / (13 * pace.mean())  # plain steps of a slow request are slow too
    inside = 0
    for _ in range(120):
        mine = rng.integers(10_000, size=requests)
        accepted = np.cumprod(rng.random((requests, rounds, k)) < alphas[mine, None, None], axis=2).sum(axis=2).ravel()
        slow = np.repeat(pace[mine], rounds)
        table = MeasuredRounds(
            np.full(accepted.size, k), accepted, draft_ms=2 * slow, verify_ms=11 * slow, baseline_ms=10 * slow,
            request=np.repeat(np.arange(requests), rounds),
        )  # fmt: skip
        speedup = Comparison(table).speedup
        inside += speedup.low <= true <= speedup.high
    assert inside >= 0.88 * 120
