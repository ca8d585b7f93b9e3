from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.model.best_tree import expected_tokens
from specmodel.model.draft_tree import DraftTree
from specmodel.model.independent_drafts import lookahead_acceptance, recursive_rejection, recursive_rejection_acceptance


def distributions(size):
    weights = st.lists(st.integers(0, 50), min_size=size, max_size=size).filter(any)
    return weights.map(lambda drawn: np.array(drawn) / sum(drawn))


pairs = st.integers(1, 8).flatmap(lambda size: st.tuples(distributions(size), distributions(size)))


@given(pairs, st.integers(1, 8))
def test_independent_drafts_are_worth_less_than_independent_trials(pair, drafts):
    target, draft = pair
    single = np.minimum(target, draft).sum()
    acceptance = recursive_rejection_acceptance(target, draft, drafts)
    assert acceptance <= 1 - (1 - single) ** drafts + 1e-12
    assert acceptance >= single - 1e-12
    assert recursive_rejection_acceptance(target, draft, 1) == pytest.approx(single)


def seeded_pair():
    random = np.random.default_rng(4)
    return random.dirichlet(np.full(50, 0.6)), random.dirichlet(np.full(50, 0.6))


def test_four_drafts_lie_far_below_four_trials():
    target, draft = seeded_pair()
    single = np.minimum(target, draft).sum()
    got = np.array([recursive_rejection_acceptance(target, draft, drafts) for drafts in range(1, 5)])
    trials = 1 - (1 - single) ** np.arange(1, 5)
    assert got[0] == pytest.approx(trials[0])
    assert np.all(np.diff(got) > 0)
    assert trials[3] - got[3] > 0.15


# Four tokens, searched for so that K = 1 … 4 drafts of recursive rejection accept .582, .662, .727, .764.
TARGET = [0.279, 0.331, 0.365, 0.025]
DRAFT = [0.145, 0.047, 0.782, 0.026]


def test_a_pair_that_accepts_as_little_as_published():
    got = [recursive_rejection_acceptance(TARGET, DRAFT, drafts) for drafts in range(1, 5)]
    assert got == pytest.approx([0.582, 0.662, 0.727, 0.764], abs=0.001)
    trials = [1 - (1 - got[0]) ** drafts for drafts in range(1, 5)]
    assert trials == pytest.approx([0.582, 0.825, 0.927, 0.969], abs=0.0006)


def enumerated(target, draft, drafts):
    """Draft r accepted, and the emitted tokens, by playing every sequence of drafts as the algorithm is written."""
    by_draft, emitted = np.zeros(drafts), np.zeros(len(target))
    for sequence in product(range(len(draft)), repeat=drafts):
        weight, residual = float(np.prod(draft[list(sequence)])), target.copy()
        for index, token in enumerate(sequence):
            if weight == 0:
                break
            accept = min(1.0, residual[token] / draft[token])
            by_draft[index] += weight * accept
            emitted[token] += weight * accept
            weight *= 1 - accept
            left = np.maximum(residual - draft, 0)
            residual = left / left.sum() if left.sum() > 0 else residual
        emitted += weight * residual
    return by_draft, emitted


@given(st.integers(2, 4).flatmap(lambda size: st.tuples(distributions(size), distributions(size))), st.integers(1, 3))
def test_it_is_what_the_algorithm_does_on_every_sequence(pair, drafts):
    target, draft = pair
    by_draft, emitted = enumerated(target, draft, drafts)
    assert recursive_rejection(target, draft, drafts) == pytest.approx(by_draft, abs=1e-9)
    assert emitted == pytest.approx(target, abs=1e-9)  # lossless


def test_its_chances_by_draft_are_those_of_a_tree():
    target, draft = seeded_pair()
    by_rank = recursive_rejection(target, draft, 3)
    assert expected_tokens(DraftTree.full([3]), by_rank) == pytest.approx(1 + by_rank.sum())


@pytest.mark.parametrize("drafts", [1, 5])
def test_the_ends_of_the_range(drafts):
    same = [0.25] * 4
    assert recursive_rejection_acceptance(same, same, drafts) == pytest.approx(1)
    assert recursive_rejection_acceptance([1, 0], [0, 1], drafts) == 0


@given(st.floats(0, 1), st.integers(0, 10), st.integers(1, 20))
def test_lookahead_has_the_tokens_of_its_closed_form(alpha, k, chains):
    acceptance = lookahead_acceptance(alpha, k, chains)
    expected = (k + 1) - sum((1 - alpha**i) ** chains for i in range(1, k + 1))
    assert acceptance.mean_acceptance_length == pytest.approx(expected)
    fewer = lookahead_acceptance(alpha, k, max(chains - 1, 1))
    assert acceptance.mean_acceptance_length >= fewer.mean_acceptance_length - 1e-12


def test_lookahead_is_the_longest_of_played_chains():
    random, alpha, k, chains, rounds = np.random.default_rng(7), 0.6, 4, 3, 20_000
    accepted = random.random((rounds, chains, k)) < alpha
    longest = np.cumprod(accepted, axis=2).sum(axis=2).max(axis=1)
    expected = lookahead_acceptance(alpha, k, chains)
    error = 4 * np.sqrt(expected.variance / rounds)
    assert 1 + longest.mean() == pytest.approx(expected.mean_acceptance_length, abs=error)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: recursive_rejection([0.5, 0.5], [1.0], 2), "over the same tokens; got 2 and 1"),
        (lambda: recursive_rejection([0.5, 0.6], [0.5, 0.5], 2), "target_probs must add up to 1"),
        (
            lambda: recursive_rejection([0.5, 0.5], [1.5, -0.5], 2),
            "draft_probs[1] = -0.5 is not a number of at least 0",
        ),
        (lambda: recursive_rejection([0.5, float("nan")], [0.5, 0.5], 2), "target_probs[1] = nan is not a number"),
        (lambda: recursive_rejection([[1.0]], [1.0], 2), "target_probs must be a list with one probability"),
        (
            lambda: recursive_rejection([1.0], [1.0], 0),
            "Drafts at one position = 0 is not a whole number from 1 to 4,096",
        ),
        (lambda: lookahead_acceptance(0.5, 3, 0), "Chains of drafts = 0 is not a whole number"),
        (lambda: lookahead_acceptance(0.5, -1, 2), "Drafts in a chain = -1 is not a whole number from 0"),
        (lambda: lookahead_acceptance(1.5, 3, 2), "conditional_acceptance[0] = 1.5 is outside 0 to 1"),
    ],
)
def test_what_cannot_be_is_refused(ask, says):
    with pytest.raises(SpecmodelError) as refused:
        ask()
    assert says in str(refused.value)


def test_probabilities_of_a_model_may_be_a_little_off():
    assert recursive_rejection_acceptance(
        np.array([0.1, 0.2, 0.7], dtype=np.float32), [0.1, 0.2, 0.7], 1
    ) == pytest.approx(1)
    with pytest.raises(SpecmodelError):
        recursive_rejection([0.5, 0.49], [0.5, 0.5], 1)
