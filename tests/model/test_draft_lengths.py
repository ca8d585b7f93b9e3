import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.numbers import OutOfDomain
from specmodel.base.params import UnknownParameter
from specmodel.model.draft_lengths import (
    best_num_speculative_tokens,
    draft_lengths,
    marginal_gain_ms,
    speedup_map,
    sweep,
)
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario, rounds_to_emit
from tests.conftest import examples

scenarios = st.builds(
    Scenario,
    alpha=st.sampled_from([0, 0.5, 1]) | st.floats(0, 1),
    target_ms=st.floats(1, 100),
    draft_ms=st.just(0) | st.floats(0, 30),
    vocabulary_overlap=st.just(1) | st.floats(0, 1),
    output_tokens=st.integers(1, 300),
    verify_ms_per_token=st.just(0) | st.floats(0, 5),
    overhead_ms=st.just(0) | st.floats(0, 20),
)


def brute_force(scenario, most):
    """Expected time at every draft length, each from the whole exact distribution."""
    each = [scenario.replace(num_speculative_tokens=k) for k in range(most + 1)]
    return np.array([rounds_to_emit(one).total_ms.mean for one in each])


@examples(40)
@given(scenarios, st.integers(0, 24))
def test_the_best_draft_length_is_that_of_brute_force(scenario, most):
    total = brute_force(scenario, most)
    best = best_num_speculative_tokens(scenario, most)
    assert total[best] <= total.min() * (1 + 1e-9)
    assert np.all(total[:best] > total[best] * (1 - 1e-9))


@given(scenarios, st.integers(0, 64))
def test_both_ways_to_choose_agree(scenario, most):
    table, best = draft_lengths(scenario, most), best_num_speculative_tokens(scenario, most)
    assert table.total_ms[table.best] == pytest.approx(table.total_ms[best], rel=1e-11)
    assert table.best == best


def test_both_ways_agree_up_to_the_longest_draft():
    for alpha in (0, 0.3, 0.6, 0.9, 0.99, 1):
        scenario = Scenario(alpha=alpha)
        assert draft_lengths(scenario, 64).best == best_num_speculative_tokens(scenario)


@pytest.mark.parametrize(
    ("changes", "best"),
    [
        ({"alpha": 0.55}, 2),
        ({"alpha": 0}, 0),
        ({"draft_ms": 22}, 0),
        ({"overhead_ms": 500}, 0),
        ({"vocabulary_overlap": 0}, 0),
        ({"output_tokens": 1}, 0),  # every draft is late for the only token
        ({"draft_ms": 0, "alpha": 0.5, "output_tokens": 1}, 0),  # equal times go to the shorter draft
        ({"draft_ms": 0, "alpha": 1, "output_tokens": 10}, 9),  # one round is enough, longer drafts gain nothing
        ({"draft_ms": 0, "alpha": 1}, 64),  # 62 rounds; with 63 drafts it is 63
        ({"alpha": 1, "output_tokens": 4}, 3),
    ],
)
def test_best_draft_lengths_by_hand(changes, best):
    assert best_num_speculative_tokens(Scenario().replace(**changes)) == best


@given(scenarios, st.integers(0, 16))
def test_the_table_is_made_of_exact_means(scenario, k):
    table = draft_lengths(scenario)
    outcome = evaluate(scenario.replace(num_speculative_tokens=k))
    row = [table.mean_acceptance_length[k], table.num_rounds[k], table.total_ms[k], table.num_wasted_draft_tokens[k]]
    wanted = [outcome.mean_acceptance_length, outcome.num_rounds, outcome.total_ms, outcome.num_wasted_draft_tokens]
    assert row == pytest.approx(wanted, rel=1e-9, abs=1e-6)
    assert table.num_speculative_tokens.tolist() == list(range(17))


@given(scenarios)
def test_ties_are_the_other_lengths_inside_the_spread_of_the_best(scenario):
    table = draft_lengths(scenario)
    best = evaluate(scenario.replace(num_speculative_tokens=table.best))
    assert (table.best_low_ms, table.best_high_ms) == pytest.approx((best.total_ms_low, best.total_ms_high))
    assert table.best not in table.ties
    for k, total in enumerate(table.total_ms):
        if k != table.best:
            assert (k in table.ties) == (total <= max(table.best_high_ms, table.total_ms[table.best]))


def test_ties_of_the_article_s_case():
    table = draft_lengths(Scenario(alpha=0.55))
    assert (table.best, table.ties) == (2, (3,))
    assert set(draft_lengths(Scenario(output_tokens=100)).ties) > {2, 4}


@given(scenarios, st.integers(1, 24))
def test_marginal_gains_add_up(scenario, most):
    table = draft_lengths(scenario, most)
    gain = marginal_gain_ms(table)
    assert gain.shape == (most,)
    assert gain.sum() == pytest.approx(table.total_ms[0] - table.total_ms[-1], rel=1e-9, abs=1e-6)
    assert table.total_ms[0] - gain.cumsum() == pytest.approx(table.total_ms[1:], rel=1e-9, abs=1e-6)


@examples(30)
@given(scenarios, st.lists(st.floats(0, 1), min_size=1, max_size=4), st.integers(0, 24))
def test_the_map_holds_long_run_speedups(scenario, alphas, most):
    table = speedup_map(scenario, np.array(alphas), most)
    assert table.speedup.shape == (len(alphas), most + 1)
    assert table.best.shape == table.alpha.shape == (len(alphas),)
    for row, alpha, best in zip(table.speedup, alphas, table.best, strict=True):
        each = [scenario.replace(alpha=alpha, num_speculative_tokens=k) for k in range(most + 1)]
        assert row == pytest.approx([evaluate(one).speedup for one in each])
        assert row[best] >= row.max() * (1 - 1e-9)
        assert np.all(row[:best] < row.max())


def test_the_best_length_of_the_map_rises_with_acceptance():
    best = speedup_map(Scenario(), np.linspace(0, 1, 101)).best
    assert (best[0], best[-1]) == (0, 16)
    assert np.all(np.diff(best) >= 0)


def test_sweep_over_one_parameter():
    found = sweep(Scenario(), alpha=[0.8, 0.2])
    assert [scenario.alpha for scenario in found.scenarios] == [0.8, 0.2]
    assert found.outcomes == tuple(evaluate(scenario) for scenario in found.scenarios)
    assert found.column("alpha").tolist() == [0.8, 0.2]
    assert found.column("speedup").tolist() == [outcome.speedup for outcome in found.outcomes]


def test_sweep_over_a_product_keeps_the_order():
    found = sweep(Scenario(), alpha=(a for a in (0.2, 0.8)), num_speculative_tokens=range(3))
    pairs = [(scenario.alpha, scenario.num_speculative_tokens) for scenario in found.scenarios]
    assert pairs == [(0.2, 0), (0.2, 1), (0.2, 2), (0.8, 0), (0.8, 1), (0.8, 2)]
    assert found.column("num_rounds").shape == (6,)


def test_sweep_over_nothing_and_over_no_values():
    assert sweep(Scenario()).scenarios == (Scenario(),)
    assert sweep(Scenario(), alpha=[]).column("speedup").shape == (0,)


def test_an_unknown_result_becomes_nan():
    column = sweep(Scenario(), num_speculative_tokens=[0, 5]).column("break_even_alpha")
    assert np.isnan(column).tolist() == [True, False]


def test_mistakes_of_a_sweep_are_named():
    with pytest.raises(UnknownParameter, match="no parameter alhpa; did you mean alpha"):
        sweep(Scenario(), alhpa=[0.1])
    with pytest.raises(OutOfDomain, match=r"alpha = 1.5 is outside 0 to 1 \(Acceptance probability\)"):
        sweep(Scenario(), alpha=[0.5, 1.5])
    with pytest.raises(UnknownParameter, match="no parameter speedups; did you mean speedup"):
        sweep(Scenario(), alpha=[0.5]).column("speedups")
