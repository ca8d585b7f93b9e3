import tracemalloc
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from specmodel.base.messages import SpecmodelError
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario, rounds_to_emit
from specmodel.model.simulate import MAX_RUNS, simulate, trace

# alpha, k, N: the article's case, both ends of each, and outputs shorter than a round
GRID = [
    (0.6, 5, 4000), (0.2, 5, 500), (0.8, 5, 128), (0.95, 5, 300), (0.55, 16, 1000), (0.9, 64, 700),
    (0.6, 5, 1), (0.6, 5, 2), (0.6, 5, 5), (0.6, 5, 6), (0.6, 5, 7), (0.999, 64, 50), (0.5, 1, 3), (0.01, 64, 100),
]  # fmt: skip
CERTAIN = [(0, 5, 100, 100), (1, 5, 100, 17), (1, 64, 1, 1), (0.6, 0, 50, 50), (0, 0, 1, 1), (1, 3, 4000, 1000)]
SOME = [(0.6, 5, 40), (0.9, 8, 20), (0.3, 2, 7), (1, 4, 33), (0, 4, 9), (0.7, 0, 5)]


def scenario_of(alpha, k, output_tokens) -> Scenario:
    return Scenario(alpha=alpha, num_speculative_tokens=k, output_tokens=output_tokens)


def plain_loop(scenario, runs, seed):
    """The obvious Python loop: token by token, round by round, run by run; rounds and tokens of each run."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        rounds = tokens = 0
        while tokens < scenario.output_tokens:
            accepted = 0
            while accepted < scenario.num_speculative_tokens and random.random() < scenario.effective_alpha:
                accepted += 1
            rounds += 1
            tokens += accepted + 1
        found.append((rounds, tokens))
    return np.array(found).T


def assert_within_4_standard_errors(values, exact):
    runs, centred = values.size, exact.support - exact.mean
    fourth = float(centred**4 @ exact.pmf)
    assert abs(values.mean() - exact.mean) <= 4 * exact.sd / runs**0.5 + 1e-9
    error_of_variance = (max(fourth - exact.sd**4, 0) / runs) ** 0.5
    assert abs(values.var() - exact.sd**2) <= 4 * error_of_variance + 4 * exact.sd**2 / runs + 1e-9


@pytest.mark.parametrize(("alpha", "k", "output_tokens"), GRID)
def test_exact_and_simulated_agree(alpha, k, output_tokens):
    scenario = scenario_of(alpha, k, output_tokens)
    exact, found = rounds_to_emit(scenario), simulate(scenario, runs=20_000, seed=1)
    assert_within_4_standard_errors(found.rounds, exact)
    assert_within_4_standard_errors(found.wasted_draft_tokens, exact.wasted_draft_tokens)
    accepted_error = 4 * found.accepted_draft_tokens.std() / 20_000**0.5 + 1e-9
    assert abs(found.accepted_draft_tokens.mean() - evaluate(scenario).num_accepted_draft_tokens) <= accepted_error


@pytest.mark.parametrize(("alpha", "k", "output_tokens"), [(0.6, 5, 4000), (0.8, 5, 40), (0.9, 16, 300)])
def test_the_whole_distribution_agrees(alpha, k, output_tokens):
    """Chi-square of the simulated rounds against the exact distribution, in ten classes of about equal chance."""
    scenario = scenario_of(alpha, k, output_tokens)
    exact, runs = rounds_to_emit(scenario), 50_000
    edges = np.unique(exact.quantile(np.arange(1, 10) / 10))
    chance = np.diff(np.concatenate(([0], [exact.pmf[exact.support <= edge].sum() for edge in edges], [1])))
    counts = np.bincount(np.searchsorted(edges, simulate(scenario, runs, seed=2).rounds), minlength=chance.size)
    assert stats.chisquare(counts, chance * runs).pvalue > 1e-4


@pytest.mark.parametrize("by_one", [1, 5, 10**9])
@pytest.mark.parametrize(("alpha", "k", "output_tokens"), [(0.6, 5, 400), (0.8, 5, 90), (0.9, 16, 300), (1, 4, 33)])
def test_how_many_rounds_are_drawn_at_once_changes_nothing(monkeypatch, by_one, alpha, k, output_tokens):
    """With no round kept for the end, half of the runs are complete too soon and have to be put into an order."""
    scenario = scenario_of(alpha, k, output_tokens)
    monkeypatch.setattr(
        import_module("specmodel.model.simulate"), "_rounds_by_one", lambda *_: min(by_one, output_tokens)
    )
    exact, found = rounds_to_emit(scenario), simulate(scenario, runs=20_000, seed=9)
    assert np.all((found.tokens >= output_tokens) & (found.tokens <= output_tokens + k))
    assert_within_4_standard_errors(found.rounds, exact)
    assert_within_4_standard_errors(found.wasted_draft_tokens, exact.wasted_draft_tokens)


@pytest.mark.parametrize(("alpha", "k", "output_tokens", "rounds"), CERTAIN)
def test_what_is_certain_is_certain(alpha, k, output_tokens, rounds):
    scenario = scenario_of(alpha, k, output_tokens)
    assert set(simulate(scenario, runs=50).rounds.tolist()) == {rounds}
    assert trace(scenario).accepted.tolist() == [k if alpha == 1 else 0] * rounds


@pytest.mark.parametrize(("alpha", "k", "output_tokens"), GRID)
def test_identities_of_every_run(alpha, k, output_tokens):
    scenario = scenario_of(alpha, k, output_tokens)
    found = simulate(scenario, runs=2000, seed=3)
    assert np.all((found.tokens >= output_tokens) & (found.tokens <= output_tokens + k))
    assert np.all((found.rounds >= -(-output_tokens // (k + 1))) & (found.rounds <= output_tokens))
    assert np.all(found.draft_tokens == k * found.rounds)
    assert np.all(found.accepted_draft_tokens + found.rounds == found.tokens)
    assert np.all(found.accepted_draft_tokens + found.wasted_draft_tokens == found.draft_tokens)
    assert np.all((found.accepted_draft_tokens >= 0) & (found.wasted_draft_tokens >= 0))
    assert found.total_ms == pytest.approx(found.rounds * float(scenario.round_cost.round_ms))


@pytest.mark.parametrize(("alpha", "k", "output_tokens"), SOME)
def test_it_agrees_with_the_plain_loop(alpha, k, output_tokens):
    """Two samples, of the loop and of `simulate`: the same rounds and tokens, jointly, by chi-square."""
    scenario = scenario_of(alpha, k, output_tokens)
    loop, found = plain_loop(scenario, 3000, seed=4), simulate(scenario, 3000, seed=5)
    both = [rounds * 100 + tokens for rounds, tokens in (loop, (found.rounds, found.tokens))]
    values = np.unique(np.concatenate(both))
    counts = np.array([[np.sum(each == value) for value in values] for each in both])
    often = counts.sum(axis=0) >= 20
    table = np.column_stack((counts[:, often], counts[:, ~often].sum(axis=1)))
    table = table[:, table.sum(axis=0) > 0]
    assert table.shape[1] == 1 or stats.chi2_contingency(table).pvalue > 1e-4


def test_the_overlap_lowers_the_acceptance():
    scenario = Scenario(alpha=0.8, vocabulary_overlap=0.5, output_tokens=200)
    same = simulate(scenario.replace(alpha=0.4, vocabulary_overlap=1), runs=20, seed=1)
    assert simulate(scenario, runs=20, seed=1).rounds.tolist() == same.rounds.tolist()


def test_the_same_seed_gives_the_same_runs():
    first, again, other = (simulate(Scenario(), runs=50, seed=seed) for seed in (7, 7, 8))
    assert np.array_equal(first.rounds, again.rounds) and np.array_equal(first.tokens, again.tokens)
    assert not np.array_equal(first.rounds, other.rounds)
    assert trace(Scenario(), seed=7).accepted.tolist() == trace(Scenario(), seed=7).accepted.tolist()
    assert trace(Scenario(), seed=7).accepted.tolist() != trace(Scenario(), seed=8).accepted.tolist()


def test_a_generator_is_used_and_moved_on():
    random = np.random.default_rng(7)
    first, second = simulate(Scenario(), runs=50, seed=random), simulate(Scenario(), runs=50, seed=random)
    assert np.array_equal(first.rounds, simulate(Scenario(), runs=50, seed=7).rounds)
    assert not np.array_equal(first.rounds, second.rounds)
    assert np.array_equal(trace(Scenario(), np.random.default_rng(7)).accepted, trace(Scenario(), 7).accepted)


def test_global_randomness_is_not_touched():
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    simulate(Scenario(), runs=5)
    trace(Scenario())
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


@pytest.mark.parametrize("runs", [0, -1, MAX_RUNS + 1])
def test_runs_out_of_range_are_named(runs):
    with pytest.raises(SpecmodelError, match=rf"^runs = {runs} is not a whole number from 1 to {MAX_RUNS:,}"):
        simulate(Scenario(), runs=runs)


@pytest.mark.parametrize("runs", [1, 3, 1000])
def test_totals_have_one_entry_a_run(runs):
    found = simulate(Scenario(num_speculative_tokens=64), runs=runs)
    assert (
        found.rounds.shape == found.tokens.shape == found.total_ms.shape == found.wasted_draft_tokens.shape == (runs,)
    )


@pytest.mark.parametrize(("k", "output_tokens", "runs"), [(5, 4000, 50_000), (64, 1_000_000, 300), (64, 10, 100_000)])
def test_memory_is_bounded(k, output_tokens, runs):
    tracemalloc.start()
    simulate(Scenario(num_speculative_tokens=k, output_tokens=output_tokens), runs=runs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


# One run round by round


@pytest.mark.parametrize(("alpha", "k", "output_tokens"), [*GRID, *SOME, (0.001, 1, 3000)])
def test_a_trace_stops_with_the_round_that_completes_the_output(alpha, k, output_tokens):
    scenario = scenario_of(alpha, k, output_tokens)
    for seed in range(5):
        run = trace(scenario, seed)
        assert run.emitted.sum() >= output_tokens > run.emitted[:-1].sum()
        assert np.all((run.accepted >= 0) & (run.accepted <= k))
        assert np.all(run.accepted + run.wasted == k) and np.all(run.emitted == run.accepted + 1)
        assert run.start_ms == pytest.approx(np.arange(run.accepted.size) * float(scenario.round_cost.round_ms))


@pytest.mark.parametrize(("alpha", "k"), [(0.6, 5), (0.2, 3), (0.9, 16)])
def test_rounds_of_a_trace_follow_the_acceptance(alpha, k):
    scenario = scenario_of(alpha, k, 200_000)
    run = trace(scenario, seed=6)
    counts = np.bincount(run.accepted, minlength=k + 1)
    assert stats.chisquare(counts, scenario.acceptance.pmf * counts.sum()).pvalue > 1e-4
    repeated = np.corrcoef(run.accepted[:-1], run.accepted[1:])[0, 1]
    assert abs(repeated) < 4 / run.accepted.size**0.5


def test_rounds_of_many_traces_are_those_of_the_exact_distribution():
    scenario = scenario_of(0.8, 5, 60)
    rounds = np.array([trace(scenario, seed).accepted.size for seed in range(3000)])
    assert_within_4_standard_errors(rounds, rounds_to_emit(scenario))
