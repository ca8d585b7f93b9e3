from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.model.independent_drafts import recursive_rejection_acceptance
from specmodel.model.vocabulary import alpha_ceiling, alpha_floor, effective_alpha
from specmodel.sampling.breaks import bf16, entropy, rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling.distributions import overlap, total_variation
from specmodel.sampling.draws import _picked, chi_square, counted, draw_step, play
from specmodel.sampling.temperature import policy, toy_logits
from specmodel.sampling.verify import (
    LOSSLESS,
    RULES,
    acceptance,
    acceptance_probabilities,
    output_distribution,
    residual,
    verify,
)

EXACT = 1e-12
BROKEN: Any = 1.5
TWO: Any = 2.0


def draw(target, draft, n, seed=0):
    """How often each token comes out of n rejection samplings."""
    return counted(play(verify(target, draft), n, seed), len(target))


def toy_pair(size, skill, sharpness=1.0, *, seed):
    """A target's and a drafter's distribution over made-up scores."""
    target, draft = (policy(sharpness * scores) for scores in toy_logits(size, skill, seed))
    return target, draft


def distributions(size):
    """Probabilities with zeros, ties, and weights many orders apart among them."""
    weights = st.lists(st.integers(0, 20) | st.floats(1e-9, 1e3), min_size=size, max_size=size)
    return weights.filter(lambda drawn: sum(drawn) > 0).map(lambda drawn: np.array(drawn) / sum(drawn))


sizes = st.integers(1, 8)
pairs = sizes.flatmap(lambda size: st.tuples(distributions(size), distributions(size)))
triples = sizes.flatmap(lambda size: st.tuples(*[distributions(size)] * 3))
masks = sizes.flatmap(
    lambda size: st.tuples(
        distributions(size), distributions(size), st.lists(st.booleans(), min_size=size, max_size=size)
    )
)
leniences = st.floats(0.01, 1) | st.just(1.0)


def played(draft, keep, recovered):
    """What comes out, by following every draft token through its test."""
    output = np.zeros(len(draft))
    for token, chance in enumerate(draft):
        output[token] += chance * keep(token)
        output += chance * (1 - keep(token)) * recovered
    return output


# What the rules promise


@given(masks)
def test_every_lossless_rule_emits_the_target(case):
    target, draft, shared = case
    for rule in LOSSLESS:
        if rule != "tli" or draft[shared].sum() > 0:
            assert output_distribution(target, draft, rule, shared=shared) == pytest.approx(target, abs=EXACT)


@given(pairs)
def test_rejection_accepts_the_overlap(pair):
    target, draft = pair
    accepted = acceptance(target, draft)
    assert accepted == pytest.approx(np.minimum(target, draft).sum(), abs=EXACT)
    assert accepted == pytest.approx(1 - total_variation(target, draft), abs=EXACT)
    assert accepted == overlap(target, draft) == overlap(draft, target)
    assert accepted == pytest.approx(draft @ acceptance_probabilities(target, draft), abs=EXACT)
    assert accepted == pytest.approx(recursive_rejection_acceptance(target, draft, 1), abs=EXACT)


@given(pairs)
def test_rejection_is_the_algorithm_followed_token_by_token(pair):
    target, draft = pair
    left = np.maximum(target - draft, 0)
    assume(left.sum() > 1e-9)
    output = played(draft, lambda token: min(1, target[token] / draft[token]) if draft[token] else 0, left / left.sum())
    assert output_distribution(target, draft) == pytest.approx(output, abs=1e-9)
    assert residual(target, draft) == pytest.approx(left / left.sum())


@given(pairs)
def test_exact_match_is_two_independent_draws_that_agree(pair):
    target, draft = pair
    assert acceptance(target, draft, rule="exact_match") == pytest.approx(target @ draft, abs=EXACT)
    assert acceptance(target, draft, rule="exact_match") <= acceptance(target, draft) + EXACT


@given(masks)
def test_union_and_shared_tokens_are_ordered_and_bounded(case):
    target, draft, shared = case
    mass = float(draft[shared].sum())
    assume(mass > 0)
    union, tli = (acceptance(target, draft, rule=rule, shared=shared) for rule in ("union", "tli"))
    assert union <= tli + EXACT
    assert tli <= min(target[shared].sum(), union / mass) + 1e-9
    assert union == pytest.approx(np.minimum(target, draft)[shared].sum(), abs=EXACT)
    alpha, known = overlap(target, draft), float(target[shared].sum())
    assert alpha_floor(alpha, known) - EXACT <= union <= alpha_ceiling(alpha, known) + EXACT
    assert union <= acceptance(target, draft) + EXACT


@given(pairs)
def test_with_every_token_shared_both_are_rejection(pair):
    target, draft = pair
    for rule in ("union", "tli"):
        accepted = acceptance(target, draft, rule=rule, shared=np.ones(target.size, dtype=bool))
        assert accepted == pytest.approx(acceptance(target, draft), abs=EXACT)


def test_tli_draws_from_the_shared_tokens_only():
    step = verify([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], "tli", shared=[True, True, False])
    assert step.draft_probs.tolist() == [0.5, 0.5, 0]
    assert step.acceptance == pytest.approx(0.8)
    assert acceptance([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], "union", shared=[1, 1, 0]) == pytest.approx(0.4)


def test_the_articles_rule_is_neither_a_floor_nor_a_ceiling():
    target, alpha = [0.6, 0.3, 0.1], 0.9
    frequent, rare = ([True, True, False], [0.6, 0.2, 0.2]), ([False, False, True], [0.6, 0.2, 0.2])
    for (shared, draft), above in ((frequent, True), (rare, False)):
        assert overlap(target, draft) == pytest.approx(alpha)
        simplified = effective_alpha(alpha, float(np.mean(shared)))
        assert (acceptance(target, draft, rule="union", shared=shared) > simplified) is above


# Lenience: more is accepted, and the output is no longer the target's


@given(pairs, leniences)
def test_lenience_costs_in_distance_what_it_gains_in_acceptance(pair, lenience):
    target, draft = pair
    step, strict = verify(target, draft, "lenient", lenience=lenience), acceptance(target, draft)
    assert step.acceptance == pytest.approx(min(np.minimum(target / lenience, draft).sum(), 1), abs=EXACT)
    assert step.acceptance >= strict - EXACT
    assert step.output.sum() == pytest.approx(1)
    assert step.total_variation == pytest.approx(step.acceptance - strict, abs=1e-9)
    assert np.all(step.output <= target / lenience + 1e-9)


@given(triples, leniences)
def test_no_other_replacement_is_closer_to_the_target(triple, lenience):
    target, draft, other = triple
    step = verify(target, draft, "lenient", lenience=lenience)
    replaced = step.accepted + (1 - step.acceptance) * other
    assert step.total_variation <= total_variation(replaced, target) + 1e-9


@given(pairs)
def test_without_lenience_it_is_rejection(pair):
    target, draft = pair
    assert verify(target, draft, "lenient").output == pytest.approx(verify(target, draft).output)


def test_lenience_changes_what_comes_out():
    output = output_distribution([0.5, 0.5], [0.9, 0.1], rule="lenient", lenience=0.625)
    assert output == pytest.approx([0.8, 0.2])


# Typical acceptance and wrong draft distributions


@given(pairs, st.floats(0, 1), st.floats(0, 2))
def test_what_is_accepted_beyond_the_overlap_is_error(pair, threshold, factor):
    target, draft = pair
    step = typical_acceptance(target, draft, threshold, factor)
    assert step.output.sum() == pytest.approx(1)
    assert step.total_variation >= step.acceptance - overlap(target, draft) - EXACT
    bar = min(threshold, factor * np.exp(-entropy(target)))
    assert step.output == pytest.approx(played(draft, lambda token: float(target[token] > bar), target), abs=1e-9)


def test_typical_acceptance_lets_the_drafter_through():
    made = [toy_pair(20, 0.9, 3, seed=seed) for seed in range(50)]
    typical = [typical_acceptance(*pair) for pair in made]
    gains = [step.acceptance - acceptance(*pair) for step, pair in zip(typical, made, strict=True)]
    assert 0.03 < np.mean(gains) < np.mean([step.total_variation for step in typical])
    assert min(gains) < 0  # not on every pair
    sure = typical_acceptance([0.97, 0.03], [0.5, 0.5])
    assert sure.acceptance == pytest.approx(0.5)  # 0.03 is below 0.09 and below 0.3·exp(−H) = 0.26
    assert typical_acceptance([0.91, 0.09], [0.5, 0.5]).acceptance == pytest.approx(0.5)  # at the bar is not above it


@given(triples)
def test_a_wrong_draft_distribution_is_followed_token_by_token(triple):
    target, true, used = triple
    left = np.maximum(target - used, 0)
    assume(left.sum() > 1e-9)
    step = wrong_draft_output(target, true, used)

    def keep(token):
        return min(1, target[token] / used[token]) if used[token] else float(target[token] > 0)

    assert step.output == pytest.approx(played(true, keep, left / left.sum()), abs=1e-9)
    assert step.acceptance == pytest.approx(sum(true[token] * keep(token) for token in range(true.size)), abs=1e-9)


@given(pairs)
def test_the_right_draft_distribution_is_rejection_sampling(pair):
    target, draft = pair
    step = wrong_draft_output(target, draft, draft)
    assert step.acceptance == pytest.approx(acceptance(target, draft), abs=EXACT)
    assert step.total_variation == pytest.approx(0, abs=EXACT)


def test_a_temperature_on_one_side_only_does_as_much_harm_as_a_real_bug():
    # transformers issue 47932: acceptance .7825 instead of .7276, total variation .0485 (median), .3065 (worst)
    right, wrong, error = [], [], []
    for seed in range(150):
        sharpness = np.random.default_rng(seed).uniform(1, 8)
        target, draft = (policy(sharpness * logits) for logits in toy_logits(50, 0.95, seed))
        hotter = policy(np.log(draft), temperature=1.75)
        step = wrong_draft_output(target, draft, hotter)
        right.append(acceptance(target, draft))
        wrong.append(step.acceptance)
        error.append(step.total_variation)
    assert 0.70 < np.mean(right) < 0.75
    assert 0.03 < np.mean(wrong) - np.mean(right) < 0.07
    assert 0.04 < np.median(error) < 0.12
    assert 0.25 < max(error) < 0.40


# bfloat16


@given(st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30))
def test_bf16_keeps_eight_bits(value):
    rounded = float(bf16([value])[0])
    assert abs(rounded - value) <= abs(value) / 256 * (1 + 1e-6)
    assert float(bf16([rounded])[0]) == rounded
    assert float(bf16([-value])[0]) == -rounded


def test_bf16_rounds_to_the_nearest_and_ties_to_even():
    step = 2.0**-7
    given_values = [1 + step / 2, 1 + 3 * step / 2, 1 + 0.51 * step, float("inf"), 3.4e38, 1e300, 0.0]
    expected = [1, 1 + 2 * step, 1 + step, float("inf"), float("inf"), float("inf"), 0]
    assert bf16(given_values).tolist() == expected
    assert np.isnan(bf16([float("nan")])[0])


def test_rounding_changes_tokens_only_where_the_best_two_are_close():
    case = rounding(seed=1)
    exact, plain, verified = case.tokens
    assert case.differing.tolist() == np.flatnonzero(plain != verified).tolist() != []
    step = 2.0 ** (np.floor(np.log2(np.abs(case.logits).max())) - 7)  # of bfloat16 at the largest score
    assert np.abs(case.plain - case.logits).max() < 4 * step
    assert np.all(case.margins[case.differing] < 12 * step)
    assert np.mean(exact == plain) > 0.95
    with pytest.raises(SpecmodelError, match="tokens = 1 is not a whole number from 2 to 100,000"):
        rounding(tokens=1)


def test_equal_scores_after_rounding_go_to_the_first_token():
    scores = np.array([20.01, 20.03])
    assert [int(scores.argmax()), int(bf16(scores).argmax())] == [1, 0]


# Draws


def drawn_from(rule):
    target, draft = toy_pair(12, 0.6, 1.5, seed=5)
    shared = np.arange(12) % 4 > 0
    return verify(target, draft, rule, shared=shared, lenience=0.6)


@pytest.mark.parametrize("rule", RULES)
def test_draws_agree_with_the_enumeration(rule):
    expected, n = drawn_from(rule), 40_000
    steps = play(expected, n, seed=11)
    assert chi_square(counted(steps, 12), expected.output).p_value > 0.01
    error = 4 * np.sqrt(expected.acceptance * (1 - expected.acceptance) / n)
    assert steps.acceptance == pytest.approx(expected.acceptance, abs=error)
    assert np.all(steps.tokens[steps.accepted] == steps.draft_tokens[steps.accepted])


@pytest.mark.parametrize(
    "expected",
    [
        drawn_from("lenient"),
        typical_acceptance(drawn_from("rejection").target_probs, drawn_from("rejection").draft_probs),
    ],
)
def test_the_test_sees_what_is_not_the_target(expected):
    counts = counted(play(expected, 40_000, seed=11), 12)
    assert chi_square(counts, expected.output).p_value > 0.01
    assert chi_square(counts, expected.target_probs).p_value < 1e-6


def test_one_by_one_is_the_same_as_at_once():
    target, draft = toy_pair(6, 0.4, seed=2)
    together, random = play(verify(target, draft), 200, seed=9), np.random.default_rng(9)
    one_by_one = [draw_step(verify(target, draft), seed=random) for _ in range(200)]
    assert [step.token for step in one_by_one] == together.tokens.tolist()
    assert [step.draft_token for step in one_by_one] == together.draft_tokens.tolist()
    for step in one_by_one:
        assert step.accepted == (step.uniform < step.keep)
        assert (step.recovered is None) == step.accepted
        assert step.token == (step.draft_token if step.accepted else step.recovered)


def test_impossible_tokens_are_never_drawn_and_the_seed_decides():
    counts = draw([0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], 10_000, seed=4)
    assert counts[[1, 3]].tolist() == [0, 0] and counts.sum() == 10_000
    assert draw([0.5, 0.5], [0.9, 0.1], 100, seed=4).tolist() == draw([0.5, 0.5], [0.9, 0.1], 100, seed=4).tolist()


def test_a_token_is_picked_by_its_share_of_the_unit_interval():
    uniform = np.array([0, 0.499, 0.5, 1 - 2**-53])
    assert _picked(np.array([0, 0.5, 0.5, 0]), uniform).tolist() == [1, 1, 2, 2]
    assert _picked(np.full(10, 0.1), np.array([1 - 2**-53])).tolist() == [9]


def test_chi_square_has_known_values():
    # 3.841 is the 5 % point of chi-square with one degree of freedom, 5.991 that with two
    counts = np.array([50 + np.sqrt(3.841459 * 25), 50 - np.sqrt(3.841459 * 25)])
    assert chi_square(counts, [0.5, 0.5]) == pytest.approx((3.841459, 1, 0.05), rel=1e-5)
    assert chi_square([20, 30, 50], [0.2, 0.3, 0.5]) == (0, 2, 1)


def test_chi_square_pools_small_cells():
    assert chi_square([90, 4, 3, 3], [0.9, 0.04, 0.03, 0.03]).degrees == 1
    assert chi_square([97, 1, 2], [0.97, 0.01, 0.02]) == (0, 0, 1)  # the pool of 3 joins the next smallest
    assert chi_square([50, 47, 3], [0.5, 0.47, 0.03]).degrees == 1
    assert chi_square([10, 0], [1, 0]) == (0, 0, 1)


def test_chi_square_rules_out_what_cannot_happen():
    assert chi_square([99, 1], [1, 0])[::2] == (float("inf"), 0)


def test_p_values_are_evenly_spread_when_the_counts_fit():
    target, draft = toy_pair(10, 0.5, seed=1)
    random = np.random.default_rng(6)
    p_values = [chi_square(draw(target, draft, 500, seed=random), target).p_value for _ in range(400)]
    assert np.mean(np.array(p_values) < 0.1) == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / 400))


# Edges and errors


def test_known_values():
    target, draft = [0.7, 0.2, 0.1], [0.5, 0.2, 0.3]
    assert acceptance(target, draft) == pytest.approx(0.8)
    assert acceptance(target, draft, rule="exact_match") == pytest.approx(0.42)
    assert acceptance_probabilities(target, draft) == pytest.approx([1, 1, 1 / 3])
    assert residual(target, draft).tolist() == [1, 0, 0]
    assert acceptance([1, 0], [0, 1]) == 0 and acceptance([0, 1], [0, 1]) == 1
    assert residual([0.5, 0.5], [0.5, 0.5]).tolist() == [0, 0]
    assert acceptance_probabilities([1, 0], [1, 0]).tolist() == [1, 0]


def test_probabilities_in_single_precision_are_taken():
    single = np.array([0.1, 0.2, 0.7], dtype=np.float32)
    assert output_distribution(single, [0.5, 0.25, 0.25]) == pytest.approx(single)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: acceptance([0.5, 0.4], [1, 0]), "target_probs must add up to 1; its 2 entries add up to 0.9"),
        (lambda: acceptance([1, 0], [2, -1]), "draft_probs[1] = -1.0 is not a number of at least 0"),
        (lambda: acceptance([1, float("nan")], [1, 0]), "target_probs[1] = nan is not a number of at least 0"),
        (lambda: acceptance([float("inf"), 0], [1, 0]), "target_probs[0] = inf is not a number of at least 0"),
        (lambda: acceptance([[1.0]], [1.0]), "got an array of shape (1, 1)"),
        (lambda: acceptance([], []), "got an array of shape (0,)"),
        (lambda: acceptance(["a"], [1.0]), "target_probs must be numbers; got ['a']"),
        (lambda: acceptance([1.0], [0.5, 0.5]), "over the same tokens; got 1 and 2"),
        (
            lambda: acceptance([1.0], [1.0], rule="magic"),
            "no rule of verification magic: expected one of rejection, exact_match",
        ),
        (lambda: acceptance([1.0], [1.0], rule="tli"), "the rule tli needs shared"),
        (lambda: acceptance([1.0], [1.0], rule="union"), "the rule union needs shared"),
        (lambda: acceptance([1, 0], [1, 0], rule="tli", shared=[True]), "for each of the 2 tokens; got [True]"),
        (lambda: acceptance([1, 0], [1, 0], rule="tli", shared=[0, 2]), "for each of the 2 tokens; got [0, 2]"),
        (lambda: acceptance([1, 0], [1, 0], rule="tli", shared=[False, True]), "nothing can be drafted"),
        (lambda: acceptance([1.0], [1.0], rule="lenient", lenience=0), "lenience = 0 is outside 0 to 1"),
        (lambda: acceptance([1.0], [1.0], rule="lenient", lenience=1.5), "lenience = 1.5 is outside 0 to 1"),
        (lambda: acceptance([1.0], [1.0], rule="lenient", lenience=float("nan")), "lenience = nan is outside"),
        (lambda: total_variation([1.0], [0.5]), "draft_probs must add up to 1"),
        (lambda: typical_acceptance([1.0], [1.0], threshold=-1), "threshold = -1 is not a number of at least 0"),
        (lambda: draw([1.0], [1.0], 0), "draws = 0 is not a whole number from 1 to 10,000,000"),
        (lambda: draw([1.0], [1.0], BROKEN), "draws = 1.5 is not a whole number"),
        (lambda: draw([1.0], [1.0], 2, seed=-1), "seed = -1 is not a whole number from 0 to"),
        (lambda: draw_step(verify([1.0], [1.0]), seed=BROKEN), "seed = 1.5 is not a whole number"),
        (lambda: rounding(2, 5, BROKEN), "width = 1.5 is not a whole number"),
        (lambda: rounding(seed=-1), "seed = -1 is not a whole number"),
        (lambda: acceptance([1 + 0j], [1.0]), "target_probs must be numbers; got [(1+0j)]"),
        (lambda: acceptance(np.array([1 + 2j]), [1.0]), "target_probs must be numbers"),
        (lambda: acceptance([10**400], [1.0]), "target_probs must be numbers; got [1000"),
        (lambda: acceptance([1e308, 1e308], [1.0, 0]), "target_probs must add up to 1; its 2 entries add up to inf"),
        (lambda: chi_square([1e308, 1e308], [0.5, 0.5]), "sum(counts) = inf is outside 0 to 1e+15"),
        (lambda: chi_square([1e160, 0], [0.5, 0.5]), "sum(counts) = 1e+160 is outside 0 to 1e+15"),
        (lambda: chi_square([1, 2], [1.0]), "got 2 and 1"),
        (lambda: chi_square([0, 0], [0.5, 0.5]), "counts must be a list, not all 0"),
        (lambda: chi_square([-1, 2], [0.5, 0.5]), "counts[0] = -1.0 is not a number of at least 0"),
    ],
)
def test_what_cannot_be_is_refused(ask, says):
    with pytest.raises(SpecmodelError) as refused:
        ask()
    assert says in str(refused.value)
    assert isinstance(refused.value, SpecmodelError)


def test_every_rule_has_a_label_and_is_lossless_or_not():
    target, draft = toy_pair(5, 0.3, seed=8)
    for rule in RULES:
        error = verify(target, draft, rule, shared=[1, 1, 1, 1, 0], lenience=0.5).total_variation
        assert (error < EXACT) is (rule in LOSSLESS)


def test_whole_floats_are_whole_numbers():
    assert draw([0.5, 0.5], [1, 0], TWO, seed=TWO).tolist() == draw([0.5, 0.5], [1, 0], 2, seed=2).tolist()
    assert np.array_equal(rounding(TWO, 5, 4).plain, rounding(2, 5, 4).plain)


def test_as_many_counts_as_can_be_tested():
    assert chi_square([1e15, 0], [0.5, 0.5]) == (1e15, 1, 0.0)
