# mypy: disable-error-code="arg-type, index"
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.measured.definitions import DEFINITIONS, RateError, one_alpha, readings, translate_rate
from specmodel.model.acceptance import Acceptance, factors, mean_acceptance_lengths

SINGLE = [key for key, each in DEFINITIONS.items() if not each.list_of_values and key != "v0_rate"]
LISTS = [key for key, each in DEFINITIONS.items() if each.list_of_values]
SHARES = st.lists(st.floats(0.01, 1), min_size=1, max_size=12)


def rounds_of(conditional, count, seed):
    """Accepted drafts of each round, drawn one position after the other."""
    rng = np.random.default_rng(seed)
    tried = rng.random((count, len(conditional))) < np.array(conditional)
    return np.cumprod(tried, axis=1).sum(axis=1)


def counted(accepted, k):
    """What an engine that saw these rounds would print under each definition, each by its own words."""
    rounds, emitted = len(accepted), int(np.sum(accepted + 1))
    kept = [int(np.sum(accepted >= i)) for i in range(k + 1)]
    return {
        "accepted_per_drafted": (emitted - rounds) / (rounds * k),
        "length_with_bonus": emitted / rounds,
        "length_without_bonus": (emitted - rounds) / rounds,
        "per_position": tuple(kept[i] / rounds for i in range(1, k + 1)),
        "conditional": tuple(kept[i] / kept[i - 1] for i in range(1, k + 1)),
        "sglang_old_rate": emitted / (rounds * (k + 1)),
        "v0_efficiency": emitted / (rounds * (k + 1)),
    }


@pytest.mark.parametrize("key", SINGLE + LISTS)
@pytest.mark.parametrize("conditional", [(0.8,), (0.9, 0.7, 0.5), (0.6,) * 7])
def test_every_definition_translates_to_what_counting_the_rounds_gives(key, conditional):
    k = len(conditional)
    printed = counted(rounds_of(conditional, 3000, seed=k), k)
    found = translate_rate(key, printed[key], k)
    assert set(found.values) == set(printed)
    assert found.num_speculative_tokens == k
    assert found.by_position_assumed == (key in SINGLE)
    for other, value in printed.items():
        if key in LISTS or other in SINGLE:
            assert found.values[other] == pytest.approx(value), other


@given(st.sampled_from(SINGLE), st.sampled_from(SINGLE), st.floats(0, 1), st.integers(1, 64))
def test_there_and_back_from_one_number_to_another(key, other, share, k):
    first = translate_rate("accepted_per_drafted", share, k)
    there = translate_rate(key, first.values[key], k)
    back = translate_rate(other, there.values[other], k)
    assert back.values["accepted_per_drafted"] == pytest.approx(share, abs=1e-9)
    assert back.alpha == pytest.approx(first.alpha, abs=1e-6)


@given(SHARES)
def test_there_and_back_by_position(conditional):
    there = translate_rate("conditional", conditional)
    back = translate_rate("per_position", there.values["per_position"])
    assert back.values["conditional"] == pytest.approx(tuple(conditional))
    assert not back.by_position_assumed


@given(SHARES)
def test_one_alpha_gives_the_same_tokens_a_round(conditional):
    found = translate_rate("conditional", conditional)
    tau = found.values["length_with_bonus"]
    assert sum(found.alpha**j for j in range(len(conditional) + 1)) == pytest.approx(tau, abs=1e-7)
    assert min(conditional) - 1e-9 <= found.alpha <= max(conditional) + 1e-9


@given(st.floats(0, 1), st.integers(1, 200))
def test_alpha_is_found_again(alpha, k):
    tau = math.fsum(alpha**j for j in range(k + 1))
    assert one_alpha(min(tau, k + 1), k) == pytest.approx(alpha, abs=1e-6)


@given(st.sampled_from(SINGLE), st.floats(-3, 12), st.integers(1, 9))
def test_what_cannot_be_is_refused_and_nothing_else(key, value, k):
    least, most = {
        "accepted_per_drafted": (0, 1),
        "length_with_bonus": (1, k + 1),
        "length_without_bonus": (0, k),
        "sglang_old_rate": (1 / (k + 1), 1),
        "v0_efficiency": (1 / (k + 1), 1),
    }[key]
    if least <= value <= most:
        assert translate_rate(key, value, k).values[key] == pytest.approx(value, abs=1e-9)
    elif value < least - 1e-6 or value > most + 1e-6:
        with pytest.raises(RateError, match=f"cannot be with {k} drafts"):
            translate_rate(key, value, k)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("key", SINGLE)
def test_no_number_at_all_is_refused(key, value):
    with pytest.raises(RateError):
        translate_rate(key, value, 3)


@pytest.mark.parametrize(
    ("key", "value", "k", "message"),
    [
        ("accepted_per_drafted", 0.6, None, r"needs the draft tokens per round \(k\)"),
        ("length_with_bonus", 2.8, 0, r"needs the draft tokens per round \(k\)"),
        ("v0_rate", 0.6, 3, "matches behind a rejection"),
        ("per_position", [], None, "no acceptance was given"),
        ("per_position", [0.5, 0.6], None, "may never rise"),
        ("per_position", [1.2], None, "0 to 1"),
        ("conditional", [0.5, -0.1], None, "0 to 1"),
        ("conditional", [0.5, math.nan], None, "0 to 1"),
    ],
)
def test_refusals_say_why(key, value, k, message):
    with pytest.raises((RateError, SpecmodelError), match=message):
        translate_rate(key, value, k)


def test_conditional_rates_may_rise_by_position_and_a_dead_end_stays_unknown():
    assert translate_rate("conditional", [0.5, 0.8]).values["per_position"] == (0.5, 0.4)
    after = translate_rate("per_position", [0.5, 0, 0]).values["conditional"]
    assert after[:2] == (0.5, 0.0)
    assert math.isnan(after[2])


@given(st.floats(0, 8), st.integers(1, 8))
def test_readings_are_the_definitions_that_the_number_fits(value, k):
    found = readings(value, k)
    assert "v0_rate" not in found
    for key in SINGLE:
        try:
            same = translate_rate(key, value, k)
        except RateError:
            assert key not in found
        else:
            assert found[key] == same


def test_a_rate_alone_is_ambiguous_by_more_than_a_factor_of_two():
    lengths = {key: each.values["length_with_bonus"] for key, each in readings(0.54, 3).items()}
    assert lengths["accepted_per_drafted"] == pytest.approx(2.62)
    assert lengths["sglang_old_rate"] == pytest.approx(2.16)
    assert lengths["length_without_bonus"] == pytest.approx(1.54)


# sgl-project/sglang #11948: "accept rate" and "accept len" of SGLang 0.5.3.post3 with 3 steps, topk 1
@pytest.mark.parametrize(("rate", "length"), [(0.54, 2.17), (0.49, 1.95), (0.45, 1.80)])
def test_sglang_11948_printed_the_old_rate(rate, length):
    found = translate_rate("sglang_old_rate", rate, 3)
    assert found.values["length_with_bonus"] == pytest.approx(length, abs=0.005 * 4)
    assert translate_rate("accepted_per_drafted", rate, 3).values["length_with_bonus"] > length + 0.4


# accepted, drafted, draft length, acceptance by position, acceptance length as printed
PRINTED = {
    "llama.cpp #24536": (167, 259, 3, (0.805, 0.632, 0.483), 2.92),
    "vllm-ascend #13640": (44, 161, 7, (0.739, 0.478, 0.261, 0.174, 0.130, 0.087, 0.043), 2.91),
    "intel-arc-pro-b70-inference-cookbook #14": (464, 828, 4, (0.763, 0.623, 0.459, 0.396), 3.24),
    "vllm #48892": (38611, 88344, 8, (0.7617, 0.6158, 0.5125, 0.4243, 0.3640, 0.3094, 0.2722, 0.2365), 4.5),
}


@pytest.mark.parametrize("case", PRINTED)
def test_numbers_that_engines_printed_together_are_one_acceptance(case):
    accepted, drafted, k, by_position, length = PRINTED[case]
    found = translate_rate("per_position", by_position)
    assert found.num_speculative_tokens == k
    assert found.values["length_with_bonus"] == pytest.approx(length, abs=0.006)
    assert found.values["accepted_per_drafted"] == pytest.approx(accepted / drafted, abs=0.007)
    assert translate_rate("length_with_bonus", length, k).alpha == pytest.approx(found.alpha, abs=0.003)


# Acceptance from one number, and with a shape


@given(st.floats(0, 1), st.integers(0, 40))
def test_from_mean_acceptance_length_hits_it(share, k):
    tau = 1 + share * k
    found = Acceptance.from_mean_acceptance_length(tau, k)
    assert found.mean_acceptance_length == pytest.approx(tau, abs=1e-9)
    survival = (1.0, *found.per_position_acceptance)
    assert all(b == pytest.approx(a * found.per_position_acceptance[0]) for a, b in itertools.pairwise(survival))


@pytest.mark.parametrize(("tau", "k"), [(0.99, 3), (4.01, 3), (math.nan, 3), (1.5, 0)])
def test_from_mean_acceptance_length_refuses_what_k_drafts_cannot_give(tau, k):
    with pytest.raises(SpecmodelError, match=f"cannot come from {k} drafts"):
        Acceptance.from_mean_acceptance_length(tau, k)


SHAPES = st.lists(st.floats(0, 3), max_size=6)


@given(st.floats(0, 1), st.integers(0, 10), SHAPES)
def test_shaped_multiplies_alpha_position_by_position(alpha, k, shape):
    survival, expected = 1.0, []
    for position in range(k):
        factor = 1.0 if position == 0 or not shape else shape[min(position - 1, len(shape) - 1)]
        survival *= min(alpha * factor, 1.0)
        expected.append(survival)
    found = Acceptance.shaped(alpha, k, shape)
    assert found.per_position_acceptance == pytest.approx(tuple(expected))
    assert factors(shape, k).size == k


@given(st.lists(st.floats(0, 1), min_size=1, max_size=4), st.integers(0, 9), SHAPES)
def test_mean_acceptance_lengths_are_those_of_each_alpha_and_k(alphas, most, shape):
    found = mean_acceptance_lengths(alphas, most, shape)
    assert found.shape == (len(alphas), most + 1)
    for row, alpha in zip(found, alphas, strict=True):
        expected = [Acceptance.shaped(alpha, k, shape).mean_acceptance_length for k in range(most + 1)]
        assert row.tolist() == pytest.approx(expected)
