"""Drafting that stops below a confidence: against rounds that are played token by token, and at its edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.model.confidence import GRID, Stopping, stopped_rounds, thresholds
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario

ROUNDS = 60_000


def played(scenario: Scenario, stopping: Stopping, seed: int) -> tuple[float, float, float]:
    """Mean drafts, drafter steps and accepted drafts of rounds, drawn one confidence and one verdict at a time."""
    random = np.random.default_rng(seed)
    means = scenario.acceptance.conditional_acceptance
    drafts = np.zeros(ROUNDS)
    steps = np.zeros(ROUNDS)
    accepted = np.zeros(ROUNDS)
    going, right = np.ones(ROUNDS, bool), np.ones(ROUNDS, bool)
    for mean in means:
        steps += going
        confidence = random.beta(mean * stopping.concentration, (1 - mean) * stopping.concentration, ROUNDS)
        going &= confidence >= stopping.p_min
        drafts += going
        right &= random.random(ROUNDS) < confidence
        accepted += going & right
    return drafts.mean(), steps.mean(), accepted.mean()


@pytest.mark.parametrize("p_min", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("concentration", [0.4, 2.0, 20.0])
@pytest.mark.parametrize("shape", [(), (0.9, 0.7)])
def test_rounds_that_are_played_have_these_means(p_min: float, concentration: float, shape: tuple[float, ...]) -> None:
    scenario = Scenario(alpha=0.7, num_speculative_tokens=6, acceptance_shape=shape)
    stopping = Stopping(p_min, concentration)
    exact = stopped_rounds(scenario, stopping)
    drafts, steps, accepted = played(scenario, stopping, 7)
    error = 6 / 2 / np.sqrt(ROUNDS) * 4  # four of the largest standard errors that 0 to 6 drafts can have
    assert drafts == pytest.approx(exact.drafts, abs=error)
    assert steps == pytest.approx(exact.steps, abs=error)
    assert accepted == pytest.approx(exact.acceptance.mean_acceptance_length - 1, abs=error)
    cost = exact.steps * scenario.draft_ms + scenario.target_ms
    assert exact.round_ms == pytest.approx(cost)


scenarios = st.builds(
    Scenario, alpha=st.floats(0, 1), num_speculative_tokens=st.integers(0, 20), draft_ms=st.floats(0, 50),
    verify_ms_per_token=st.floats(0, 5), overhead_ms=st.floats(0, 20), vocabulary_overlap=st.floats(0, 1),
)  # fmt: skip


@given(scenarios, st.floats(0.05, 100))
def test_without_a_threshold_it_is_the_scenario(scenario: Scenario, concentration: float) -> None:
    always, outcome = stopped_rounds(scenario, Stopping(0, concentration)), evaluate(scenario)
    assert always.speedup == pytest.approx(outcome.speedup, rel=1e-9)
    assert always.drafts == pytest.approx(scenario.num_speculative_tokens)
    assert always.wasted_drafts == pytest.approx(
        scenario.num_speculative_tokens + 1 - outcome.mean_acceptance_length, abs=1e-9
    )


@given(scenarios, st.floats(0.05, 100), st.floats(0, 0.98), st.floats(0, 0.2))
def test_a_higher_threshold_drafts_less_and_of_a_round_no_more_comes(
    scenario: Scenario, concentration: float, p_min: float, more: float
) -> None:
    low = stopped_rounds(scenario, Stopping(p_min, concentration))
    high = stopped_rounds(scenario, Stopping(min(p_min + more, 0.99), concentration))
    assert high.drafts <= low.drafts + 1e-9 and high.steps <= low.steps + 1e-9
    assert high.acceptance.mean_acceptance_length <= low.acceptance.mean_acceptance_length + 1e-9
    assert low.wasted_drafts + 1e-9 >= 0 and all(0 <= each <= 1 for each in low.acceptance_if_drafted)


@given(scenarios, st.floats(0.05, 100))
def test_the_best_threshold_is_the_best_of_its_grid(scenario: Scenario, concentration: float) -> None:
    found = thresholds(scenario, concentration)
    assert found.best.speedup == pytest.approx(max(each.speedup for each in found.rounds), rel=1e-9)
    slower = set(GRID.tolist()) - set(found.ties) - {found.best.p_min}
    for each in found.rounds:
        if each.p_min in slower:
            assert each.speedup < found.best.speedup / 1.02 * (1 + 1e-9)
