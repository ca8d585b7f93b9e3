from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.sampling.temperature import acceptance_by_temperature, greedy, policy, policy_of_probs, toy_logits
from specmodel.sampling.verify import acceptance, output_distribution

BROKEN: Any = 1.5
NAN: Any = np.nan
INFINITE: Any = np.inf

finite = st.floats(-50, 50) | st.integers(-3, 3).map(float)
scores = st.lists(finite | st.just(-np.inf), min_size=1, max_size=10).filter(lambda drawn: max(drawn) > -np.inf)
temperatures = st.floats(0, 5) | st.just(0.0)
cuts = {"top_k": st.none() | st.integers(1, 12), "top_p": st.none() | st.floats(0.01, 1)}


@given(scores, temperatures, cuts["top_k"], cuts["top_p"])
def test_a_policy_is_a_distribution_on_the_likeliest_tokens(logits, temperature, top_k, top_p):
    probs = policy(logits, temperature, top_k, top_p)
    assert probs.sum() == pytest.approx(1)
    assert np.all(probs >= 0)
    assert probs[np.argmax(logits)] == probs.max()
    assert np.count_nonzero(probs) <= min(top_k or len(logits), len(logits))
    dropped, kept = np.array(logits)[probs == 0], np.array(logits)[probs > 0]
    assert dropped.max(initial=-np.inf) <= kept.min()


@given(scores, st.floats(0.05, 1))
def test_top_p_is_the_smallest_set_that_reaches_it(logits, top_p):
    full, cut = policy(logits), policy(logits, top_p=top_p)
    kept = full[cut > 0]
    assert kept.sum() >= top_p - 1e-9
    assert kept.size == 1 or kept.sum() - kept.min() < top_p
    assert cut[cut > 0] == pytest.approx(kept / kept.sum())


@given(scores)
def test_greedy_is_the_limit_of_everything(logits):
    best = greedy(logits)
    assert best[int(np.argmax(logits))] == best.sum() == 1
    assert policy(logits, 0).tolist() == policy(logits, top_k=1).tolist() == best.tolist()
    assert policy(logits, top_p=1e-9).tolist() == best.tolist()
    assert policy(logits, 0, top_k=3, top_p=0.9).tolist() == best.tolist()


def test_known_values():
    assert policy([2.0, 2.0, 1.0], 0).tolist() == [1, 0, 0]
    assert policy(np.log([0.5, 0.3, 0.2]), top_k=2) == pytest.approx([0.625, 0.375, 0])
    assert policy(np.log([0.5, 0.3, 0.2]), top_p=0.8) == pytest.approx([0.625, 0.375, 0])
    assert policy(np.log([0.5, 0.3, 0.2]), top_p=0.81) == pytest.approx([0.5, 0.3, 0.2])
    assert policy(np.log([0.4, 0.3, 0.3]), top_k=2, top_p=0.5) == pytest.approx([1, 0, 0])  # 0.4 ÷ 0.7 is above 0.5
    assert policy([1.0, 1.0, 1.0], top_k=2).tolist() == [0.5, 0.5, 0]
    assert policy([0.0, 1.0], 1e-300).tolist() == [0, 1]
    assert policy_of_probs([0.5, 0, 0.5], temperature=2).tolist() == [0.5, 0, 0.5]
    assert policy([1000.0, 999.0]) == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.e)])


@given(st.integers(2, 6), st.floats(0, 1), st.floats(0.1, 3), cuts["top_k"], cuts["top_p"])
def test_rejection_sampling_is_exact_for_the_policy_of_the_target(size, skill, temperature, top_k, top_p):
    target_logits, draft_logits = toy_logits(size, skill, seed=size)
    target, draft = policy(target_logits, temperature, top_k, top_p), policy(draft_logits, temperature)
    assert output_distribution(target, draft) == pytest.approx(target, abs=1e-12)
    assert output_distribution(target, greedy(draft)) == pytest.approx(target, abs=1e-12)


@given(st.integers(2, 8), st.floats(0, 1), st.floats(0.1, 3))
def test_a_greedy_draft_makes_rejection_and_exact_match_the_same(size, skill, temperature):
    logits = toy_logits(size, skill, seed=3)
    curves = [acceptance_by_temperature(*logits, [temperature], rule, True) for rule in ("rejection", "exact_match")]
    target = policy(logits[0], temperature)
    assert curves[0] == pytest.approx(curves[1])
    assert curves[0] == pytest.approx([target[np.argmax(logits[1])]])


def test_the_curve_has_the_acceptance_of_each_temperature():
    target, draft = toy_logits(8, 0.7, seed=2)
    grid = [0, 0.5, 1, 2]
    for rule in ("rejection", "exact_match"):
        curve = acceptance_by_temperature(target, draft, grid, rule)
        assert curve.tolist() == [acceptance(policy(target, t), policy(draft, t), rule) for t in grid]
    cut = acceptance_by_temperature(target, draft, [1.0], top_k=2, top_p=0.9)
    assert cut[0] == acceptance(policy(target, 1, 2, 0.9), policy(draft, 1, 2, 0.9))


def test_exact_match_falls_with_temperature_and_rejection_rises_again():
    contexts = [toy_logits(30, 0.8, seed) for seed in range(40)]
    targets, drafts = (4 * np.array(each) for each in zip(*contexts, strict=True))
    grid = [0, 1, 10]
    rejection = acceptance_by_temperature(targets, drafts, grid)
    match = acceptance_by_temperature(targets, drafts, grid, "exact_match")
    assert match[0] == rejection[0] == pytest.approx(np.mean(targets.argmax(axis=1) == drafts.argmax(axis=1)))
    assert match[0] > match[1] > match[2]
    assert rejection[2] > 0.85 > rejection[1] > match[1]
    one_by_one = [acceptance_by_temperature(*pair, grid) for pair in zip(targets, drafts, strict=True)]
    assert rejection == pytest.approx(np.mean(one_by_one, axis=0))


def test_sampling_the_drafts_may_be_better_or_worse_than_greedy_drafts():
    skilled, unlike = np.log([0.6, 0.4]), np.log([0.99, 0.01])
    sampled, best = (acceptance_by_temperature(skilled, skilled, [1.0], greedy_draft=each)[0] for each in (False, True))
    assert (sampled, best) == pytest.approx((1, 0.6))
    sampled, best = (acceptance_by_temperature(unlike, skilled, [1.0], greedy_draft=each)[0] for each in (False, True))
    assert (sampled, best) == pytest.approx((0.61, 0.99))


def test_skill_is_what_the_drafter_knows_of_the_target():
    target, draft = toy_logits(10, 1.0, seed=4)
    assert target.tolist() == draft.tolist()
    correlation = [np.corrcoef(*toy_logits(20_000, skill))[0, 1] for skill in (0, 0.5, 0.9)]
    assert correlation == pytest.approx([0, 0.5, 0.9], abs=0.03)

    def kept(skill: float, seed: int) -> float:
        target, draft = toy_logits(20, skill, seed)
        return acceptance(policy(2 * target), policy(2 * draft))

    means = [np.mean([kept(skill, seed) for seed in range(50)]) for skill in (0, 0.5, 0.9)]
    assert means[0] < means[1] < means[2]
    assert toy_logits(5, 0.3, seed=1)[0].tolist() == toy_logits(5, 0.9, seed=1)[0].tolist()  # skill moves the draft


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: policy([1.0], -1), "temperature = -1 is not a number of at least 0"),
        (lambda: policy([1.0], float("nan")), "temperature = nan is not a number of at least 0"),
        (lambda: policy([1.0], 1, 0), "top_k = 0 is not a whole number from 1"),
        (lambda: policy([1.0], 1, BROKEN), "top_k = 1.5 is not a whole number"),
        (lambda: policy([1.0], 1, NAN), "top_k = nan is not a whole number"),
        (lambda: policy([1.0], 1, INFINITE), "top_k = inf is not a whole number"),
        (lambda: policy([1.0], 1, None, 0), "top_p = 0 is outside 0 to 1"),
        (lambda: policy([1.0], 1, None, 1.1), "top_p = 1.1 is outside 0 to 1"),
        (lambda: policy([]), "logits must be a list with one number"),
        (lambda: policy([float("nan"), 1]), "logits must be a list with one number"),
        (lambda: policy([-np.inf, -np.inf]), "logits must be a list with one number"),
        (lambda: policy([np.inf, 1]), "logits must be a list with one number"),
        (lambda: policy_of_probs([0.5, 0.6]), "probs must add up to 1"),
        (lambda: acceptance_by_temperature([1, 2], [1], [1]), "got shapes (1, 2) and (1, 1)"),
        (lambda: acceptance_by_temperature([], [], [1]), "target_logits must have one row"),
        (lambda: toy_logits(0, 0.5), "size = 0 is not a whole number from 1 to 10,000,000"),
        (lambda: toy_logits(BROKEN, 0.5), "size = 1.5 is not a whole number"),
        (lambda: toy_logits(3, 0.5, (1, -1)), "seed = -1 is not a whole number"),
        (lambda: toy_logits(3, 0.5, seed=BROKEN), "seed = 1.5 is not a whole number"),
        (lambda: toy_logits(3, 1.5), "skill = 1.5 is outside 0 to 1"),
    ],
)
def test_what_cannot_be_is_refused(ask, says):
    with pytest.raises(SpecmodelError) as refused:
        ask()
    assert says in str(refused.value)


@pytest.mark.parametrize("two", [2.0, np.float64(2), np.int64(2)])
def test_whole_floats_are_whole_numbers(two):
    assert policy([3.0, 2, 1], top_k=two).tolist() == policy([3.0, 2, 1], top_k=2).tolist()
    assert np.array_equal(toy_logits(two, 0.5, two), toy_logits(2, 0.5, 2))
