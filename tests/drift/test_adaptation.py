"""A draft that learns against one that does not: the curve, its limits, and what the training may cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.numbers import OutOfDomain
from specmodel.drift.adaptation import Adaptation, acceptance_over_tokens, compare_adaptation
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.published import workload
from specmodel.drift.round_costs import round_costs
from specmodel.drift.rounds import draw_rounds
from specmodel.model.scenario import Scenario
from tests.conftest import examples
from tests.domains import anything

COSTS = round_costs(Scenario(), 6)
NAMES = ["off", "fixed", "tiers", "goodput"]


@pytest.mark.parametrize("change", [{"learning_rate": 0}, {"gain": 0}])
def test_a_draft_that_does_not_learn_is_the_static_one(change):
    made = workload("shift")
    same, static = draw_rounds(made, 6, 3, Adaptation(**change)), draw_rounds(made, 6, 3)
    assert (same.longest == static.longest).all()
    outcome = compare_adaptation(made, round_costs(Scenario(), 6, 1), NAMES, Adaptation(**change), seed=3)
    for name in NAMES:
        assert outcome.adapted_ms(name) == outcome.static_ms(name)
        assert outcome.gain(name) == 1.0
        assert outcome.break_even_share(name) == outcome.break_even_ms(name) == 0.0


@given(anything(Adaptation), st.floats(0, 1), st.floats(0, 1e6))
def test_acceptance_stays_between_that_of_the_draft_and_the_ceiling(adaptation, alpha, seen):
    start, now, later = (adaptation.learned(np.array(alpha), np.array(each)) for each in (0.0, seen, 2 * seen))
    ceiling = adaptation.ceiling(np.array(alpha))
    assert start == alpha
    assert alpha <= now <= later + 1e-12 <= ceiling + 2e-12
    assert ceiling <= 1 + 1e-12


def test_the_ceiling_is_reached_in_every_phase_and_lost_at_the_next():
    made = Workload(
        "w", "W", tuple(Phase(name, alpha, 1, 5000) for name, alpha in (("A", 0.8), ("B", 0.4), ("C", 0.8)))
    )
    curve = acceptance_over_tokens(made, Adaptation(learning_rate=0.01, gain=0.5))
    assert curve.adapted[[0, 5000, 10_000]] == pytest.approx([0.8, 0.4, 0.8])
    assert curve.adapted[[4999, 9999, 14_999]] == pytest.approx([0.9, 0.7, 0.9])
    assert curve.ceiling[[0, 5000]] == pytest.approx([0.9, 0.7])
    assert (curve.static == np.repeat([0.8, 0.4, 0.8], 5000)).all()


def test_the_gap_closes_by_the_rate_with_each_token():
    curve = acceptance_over_tokens(workload("shift"), Adaptation(learning_rate=0.002, gain=0.4))
    gap = (curve.ceiling - curve.adapted)[:3000]
    assert gap[1:] / gap[:-1] == pytest.approx(np.exp(-0.002))
    assert gap[347] / gap[0] == pytest.approx(0.5, abs=1e-3)


@examples(25)
@given(anything(Adaptation), st.integers(0, 20))
def test_every_round_of_the_draft_that_learns_is_at_least_as_long(adaptation, seed):
    made = Workload("w", "W", (Phase("A", 0.7, 3, 40, 0.1, acceptance_shape=(0.8, 1.3)), Phase("B", 0.3, 3, 40)))
    assert (draw_rounds(made, 6, seed, adaptation).longest >= draw_rounds(made, 6, seed).longest).all()


def test_learning_raises_the_acceptance_of_the_rounds_to_the_ceiling():
    made = Workload("w", "W", (Phase("A", 0.5, 20, 1000, 0.0),))
    longest = draw_rounds(made, 1, 0, Adaptation(learning_rate=0.01, gain=0.6)).longest
    late = longest[10_000:]
    assert abs(late.mean() - 0.8) <= 4 * np.sqrt(0.8 * 0.2 / late.size)


@pytest.mark.parametrize("name", ["fixed", "tiers", "goodput"])
def test_training_at_break_even_leaves_the_time_as_it_was(name):
    free = compare_adaptation(workload("shift"), COSTS, [name], Adaptation(), seed=2)
    assert free.gain(name) > 1
    assert free.training_ms(name) == 0
    for values in ({"training_share": free.break_even_share(name)}, {"training_ms": free.break_even_ms(name)}):
        paid = compare_adaptation(workload("shift"), COSTS, [name], Adaptation(**values), seed=2)
        assert paid.adapted_ms(name) == pytest.approx(paid.static_ms(name))
        assert paid.gain(name) == pytest.approx(1)
        assert paid.speedup(name) == pytest.approx(paid.static.speedup(name))


def test_training_costs_are_added_up():
    outcome = compare_adaptation(
        workload("shift"), COSTS, ["fixed"], Adaptation(training_share=0.1, training_ms=2), seed=2
    )
    run = outcome.adapted.run("fixed")
    assert outcome.training_ms("fixed") == pytest.approx(0.1 * run.total_ms() + 2 * run.num_rounds)
    assert outcome.adapted_ms("fixed") == pytest.approx(1.1 * run.total_ms() + 2 * run.num_rounds)


def test_without_drafts_training_is_only_a_cost():
    outcome = compare_adaptation(workload("shift"), COSTS, ["off"], Adaptation(training_share=0.25), seed=2)
    assert outcome.gain("off") == pytest.approx(0.8)
    assert outcome.break_even_share("off") == 0


def test_the_curve_of_learning_moves_the_plan_of_the_oracle():
    outcome = compare_adaptation(workload("shift"), COSTS, ["oracle"], Adaptation(), seed=2)
    assert outcome.adapted.oracle.total_ms() < outcome.static.oracle.total_ms()
    assert outcome.adapted.oracle.num_speculative_tokens.mean() > outcome.static.oracle.num_speculative_tokens.mean()


def test_impossible_training_is_refused():
    for values in ({"learning_rate": -0.1}, {"gain": 1.5}, {"training_ms": float("nan")}):
        with pytest.raises(OutOfDomain):
            Adaptation(**values)
