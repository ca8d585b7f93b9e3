"""Rounds by draft length: drafts in a row as the sliders have them, and the listed ones of a whole way of drafting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.by_batch import by_batch, load_map
from specmodel.serving.passes import AffinePass
from specmodel.serving.proposal import Proposal
from specmodel.serving.rounds_by_length import NOTHING_DRAFTED, ChainRounds, ListedRounds
from specmodel.serving.schedule import short_schedule
from specmodel.serving.served_model import Serving
from tests.conftest import examples

TREE = Proposal(Acceptance((0.8, 0.5)), 6, 7, DraftCost(ratio=0.1, ms=0.2), 2)
costs = st.builds(
    DraftCost, st.sampled_from(["sequential", "parallel", "lookup", "heads"]), st.floats(0, 1), st.floats(0, 5)
)


def chain(alpha, k, cost):
    steps = k if cost.shape == "sequential" else min(k, 1)
    return Proposal(Acceptance.iid(alpha, k), k, k + 1, cost, steps)


@given(st.floats(0, 1), costs, st.integers(1, 12), st.integers(1, 300), st.floats(0, 3))
@examples(60)
def test_a_listed_chain_is_the_chain(alpha, cost, longest, batch, overhead):
    """Tokens, tokens checked, drafting, round, waste and speedup, by either way of saying it."""
    listed = ListedRounds((NOTHING_DRAFTED, *(chain(alpha, k, cost) for k in range(1, longest + 1))))
    by_sliders = Serving(AffinePass(), alpha, cost, overhead_ms=overhead)
    led = Serving(AffinePass(), 0.123, DraftCost(ratio=9), overhead_ms=overhead, rounds=listed)
    lengths, here = np.arange(longest + 1), (batch, 512)
    assert led.most_drafts == longest and led.lengths.tolist() == lengths.tolist()
    assert led.tau(lengths) == pytest.approx(by_sliders.tau(lengths))
    for name in ("draft_ms", "verify_ms", "round_ms", "tpot_ms", "speedup", "wasted_ms"):
        ours, theirs = (getattr(each, name)(lengths, *here) for each in (led, by_sliders))
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12), name
    table, same = (by_batch(each, [1, batch + 1], 512, longest) for each in (led, by_sliders))
    assert table.speedup == pytest.approx(same.speedup)
    assert all(led.acceptance(k) == Acceptance.iid(alpha, k) for k in range(1, longest + 1))


def test_a_tree_is_checked_whole_and_pays_for_every_node():
    serving = Serving(
        lambda q, b, s: 10.0 + 1.0 * q * b, 0.5, rounds=ListedRounds((NOTHING_DRAFTED, *[None] * 5, TREE))
    )
    assert float(serving.verify_ms(6, 2, 0)) == 10 + 7 * 2
    assert float(serving.draft_ms(6, 2, 0)) == pytest.approx(2 * (0.1 * 12 + 0.2))
    assert float(serving.tau(6)) == pytest.approx(2.3)
    rejected = (6 + 1 - 2.3) / 6
    assert float(serving.wasted_ms(6, 2, 0)) == pytest.approx(rejected * (2.8 + 24 - 12))


def test_lengths_that_are_not_offered_are_never_chosen_and_refused_by_name():
    serving = Serving(lambda q, b, s: 20.0, 0.5, rounds=ListedRounds((NOTHING_DRAFTED, *[None] * 5, TREE)))
    table = by_batch(serving, range(1, 9), 0)
    assert set(table.best.tolist()) == {6} and np.isnan(table.speedup[:, 1:6]).all() and not table.known[:, 1:6].any()
    assert [tier.num_speculative_tokens for tier in short_schedule(table)] == [6]
    assert set(load_map(serving, [1, 8], [0, 9]).best.ravel().tolist()) == {6}
    for k in (1, 5, [0, 3]):
        with pytest.raises(OutOfDomain, match="is no draft length of this way of drafting"):
            serving.tau(k)
    with pytest.raises(OutOfDomain, match="num_speculative_tokens"):
        serving.tau(7)


def test_a_pass_that_was_not_measured_counts_the_nodes_of_the_tree():
    serving = Serving(AffinePass(), 0.5, rounds=ListedRounds((NOTHING_DRAFTED, TREE)), largest_tokens=20)
    assert serving.known([0, 1], 2).tolist() == [True, True] and serving.known([0, 1], 3).tolist() == [True, False]


def test_a_drafter_whose_time_depends_on_the_batch():
    host = Proposal(
        Acceptance((0.5,)), 0.5, 1.5, DraftCost("lookup", step_ms=lambda batch: 0.25 * np.asarray(batch)), 1
    )
    serving = Serving(lambda q, b, s: 10.0, 0.5, rounds=ListedRounds((NOTHING_DRAFTED, host)))
    assert serving.draft_ms([0, 1], 8, 0).tolist() == [0, 2]


@pytest.mark.parametrize("first", [None, TREE])
def test_the_first_of_them_drafts_nothing(first):
    with pytest.raises(SpecmodelError, match="draft length 0 drafts nothing"):
        ListedRounds((first, TREE))
    with pytest.raises(SpecmodelError):
        ListedRounds(())


def test_a_chain_of_the_sliders_has_every_length():
    rounds = ChainRounds(0.5, DraftCost(ratio=0.1), (0.5,))
    assert rounds.offered.all() and rounds.most == 64
    assert rounds.verified.tolist() == (rounds.drafts + 1).tolist()
    assert rounds.acceptance(2).per_position_acceptance == (0.5, 0.125)
