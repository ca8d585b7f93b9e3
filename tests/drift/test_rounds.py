"""The common draws: independent of the longest draft, distributed as the model says, the same for every policy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.rounds import draw_rounds
from specmodel.model.acceptance import Acceptance
from tests.conftest import examples

SHAPE = (0.8, 1.2, 0.5)


def one_phase(**values):
    return Workload("w", "W", (Phase("A", **values),))


@examples(25)
@given(st.integers(1, 16), st.integers(1, 16), st.integers(0, 99), st.floats(0, 1), st.floats(0, 0.5))
def test_a_longer_draft_is_played_on_the_same_draws(one, other, seed, alpha, persistence):
    few, many = sorted((one, other))
    made = one_phase(alpha=alpha, persistence=persistence, requests=4, output_tokens=30, acceptance_shape=SHAPE)
    short, long = (draw_rounds(made, k, seed).longest for k in (few, many))
    assert (short == np.minimum(long, few)).all()


@pytest.mark.parametrize("shape", [(), SHAPE])
def test_rounds_have_the_distribution_of_the_acceptance(shape):
    made = one_phase(alpha=0.7, persistence=0, requests=40, output_tokens=500, acceptance_shape=shape)
    longest = draw_rounds(made, 4, seed=3).longest.reshape(40, 500)[:, ::5].ravel()  # 5 apart: no number in common
    expected = Acceptance.shaped(0.7, 4, shape).pmf
    counts = np.bincount(longest, minlength=5)
    assert (np.abs(counts - longest.size * expected) <= 4 * np.sqrt(longest.size * expected * (1 - expected))).all()


def test_survival_is_that_of_the_acceptance():
    drawn = draw_rounds(one_phase(alpha=0.7, persistence=0, requests=1, acceptance_shape=SHAPE), 5)
    assert drawn.survival[0] == pytest.approx(Acceptance.shaped(0.7, 5, SHAPE).per_position_acceptance)


def test_same_seed_same_draws_and_another_seed_others():
    made = one_phase(requests=3)
    again = Workload("w", "W", (Phase("A", requests=3),))
    assert (draw_rounds(made, 5, 1).longest == draw_rounds(again, 5, 1).longest).all()
    assert (draw_rounds(made, 5, 1).longest != draw_rounds(made, 5, 2).longest).any()


def test_more_requests_leave_the_first_ones_as_they_were():
    few, many = (draw_rounds(one_phase(requests=n, output_tokens=20), 5) for n in (3, 9))
    assert (many.longest[: few.num_tokens] == few.longest).all()
    assert (many.alpha[: few.num_tokens] == few.alpha).all()


def test_higher_acceptance_never_shortens_a_round():
    low, high = (draw_rounds(one_phase(alpha=a, requests=5), 8).longest for a in (0.5, 0.6))
    assert (low <= high).all()
    assert (low < high).any()


def test_tokens_are_numbered_through_the_workload():
    made = Workload("w", "W", (Phase("A", requests=2, output_tokens=3), Phase("B", requests=1, output_tokens=4)))
    drawn = draw_rounds(made, 2)
    assert drawn.starts.tolist() == [0, 3, 6, 10]
    assert drawn.phase.tolist() == [0, 0, 1]
    assert drawn.phase_starts.tolist() == [0, 6, 10]
    assert (drawn.num_requests, drawn.num_tokens, drawn.tokens.tolist()) == (3, 10, [3, 3, 4])


@pytest.mark.parametrize(
    ("k", "seed", "said"), [(0, 0, "max_k = 0"), (65, 0, "max_k = 65"), (2.5, 0, "max_k = 2.5"), (2, -1, "seed = -1")]
)
def test_impossible_draws_are_refused(k, seed, said):
    with pytest.raises(SpecmodelError, match=f"{said} is not a whole number from"):
        draw_rounds(one_phase(), k, seed)
