"""Many continuations fit the target's own probabilities, and a wrong sampler would not; the acceptance along a text."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from specmodel.base.messages import SpecmodelError
from specmodel.ngram import (
    KINDS,
    Drafter,
    LookupDrafter,
    ModelDrafter,
    Vocabulary,
    language_models,
    measure,
    speculate,
    train,
)
from specmodel.ngram.along import expected_acceptance
from specmodel.ngram.continuations import compare_continuations, likely_continuations
from specmodel.sampling.draws import chi_square

PAIR = language_models("english")
PROMPT = "Return the"
LETTERS = Vocabulary("(?s:.)", ("a", "b"))
SMALL = train(LETTERS, LETTERS.encode("aabababbabaab" * 3), 3)


@pytest.mark.parametrize("temperature", [0.5, 1, 1.5])
def test_likely_continuations_have_the_product_of_their_tokens(temperature: float) -> None:
    found = likely_continuations(PAIR.target, PROMPT, 2, temperature, 0.01)
    start = PAIR.vocabulary.encode(PROMPT)

    def powered(text: list[int]) -> np.ndarray:
        weights = PAIR.target.next_probs(text) ** (1 / temperature)
        return np.asarray(weights / weights.sum())

    for (one, two), chance in found.items():
        assert chance == pytest.approx(powered(start)[one] * powered([*start, one])[two])
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert all(chance >= 0.01 for chance in found.values())


def test_all_continuations_of_a_small_model_add_up_to_one() -> None:
    assert sum(likely_continuations(SMALL, "ab", 3, 1.0, 1e-15).values()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lookup", [False, True])
def test_both_ways_fit_the_target(kind: str, lookup: bool) -> None:
    pair = language_models(kind)
    drafter = LookupDrafter(pair.vocabulary) if lookup else ModelDrafter(pair.draft)
    found = compare_continuations(pair.target, drafter, pair.corpus.prompts[0], 400, 2, 4, 1.0, 3)
    assert sum(found.alone) == sum(found.speculative) == found.draws == 400
    assert sum(found.probs) == pytest.approx(1)
    assert found.fit_alone.p_value > 1e-4 and found.fit_speculative.p_value > 1e-4


def test_the_test_would_find_the_drafters_own_text() -> None:
    """Draws of the drafter alone, as a broken acceptance test would let them through, do not fit."""
    found = compare_continuations(PAIR.drafter(1), ModelDrafter(PAIR.drafter(1)), PROMPT, 400)
    likely = likely_continuations(PAIR.target, PROMPT, 1, 1.0, 0.02)
    target, draft = (model.next_probs(PAIR.vocabulary.encode(PROMPT)) for model in (PAIR.target, PAIR.drafter(1)))
    counts = np.array([400 * draft[token] for (token,) in likely])
    counts, probs = np.append(counts, 400 - counts.sum()), np.append(list(likely.values()), 1 - sum(likely.values()))
    assert chi_square(counts, probs).p_value < 1e-6 < found.fit_speculative.p_value
    assert target.argmax() != draft.argmax()


def test_at_temperature_0_all_draws_are_the_one_continuation() -> None:
    found = compare_continuations(PAIR.target, ModelDrafter(PAIR.draft), PROMPT, 60, 2, 4, 0)
    assert found.alone == found.speculative == (60, 0)
    assert found.probs == (1.0, 0.0) and found.fit_speculative.p_value == 1


def test_the_same_seed_gives_the_same_counts() -> None:
    one, two, other = (
        compare_continuations(PAIR.target, ModelDrafter(PAIR.draft), PROMPT, 200, 1, seed=seed) for seed in (1, 1, 2)
    )
    assert one == two != other


WRONG = [
    {"draws": 0},
    {"draws": 2.5},
    {"length": 0},
    {"length": 9},
    {"length": 1.5},
    {"num_speculative_tokens": 1.5},
    {"num_speculative_tokens": float("nan")},
    {"temperature": -1},
    {"seed": -1},
    {"seed": 0.5},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_numbers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecmodelError):
        compare_continuations(PAIR.target, ModelDrafter(PAIR.draft), PROMPT, **wrong)


def test_the_target_as_its_own_drafter_is_always_kept() -> None:
    found = expected_acceptance(PAIR.target, {"itself": ModelDrafter(PAIR.target)}, [PROMPT], 20, 0.7)
    assert found["itself"] == pytest.approx(1)


def test_acceptance_along_a_text_agrees_with_rounds_of_one_draft() -> None:
    drafters: dict[str, Drafter] = {"2": ModelDrafter(PAIR.draft), "lookup": LookupDrafter(PAIR.vocabulary)}
    prompts = PAIR.corpus.prompts
    along = expected_acceptance(PAIR.target, drafters, prompts, 80, 1.0, 5)
    for name, drafter in drafters.items():
        played = measure(speculate(PAIR.target, drafter, prompt, 80, 1, 1.0, 11) for prompt in prompts)
        reached = played.reached[0]
        assert along[name] == pytest.approx(played.alpha, abs=4 * np.sqrt(0.25 / reached) + 0.05)


def test_acceptance_rises_with_the_order_along_one_text() -> None:
    drafters = {str(order): ModelDrafter(PAIR.drafter(order)) for order in (1, 2, 3, 4)}
    values = list(expected_acceptance(PAIR.target, drafters, PAIR.corpus.prompts, 40).values())
    assert all(low is not None and high is not None and low <= high for low, high in pairwise(values))


def test_a_drafter_that_proposes_nothing_has_no_acceptance() -> None:
    found = expected_acceptance(SMALL, {"lookup": LookupDrafter(LETTERS, 8, 8)}, ["ab"], 3)
    assert found == {"lookup": None}


def test_drafters_of_another_vocabulary_are_refused() -> None:
    with pytest.raises(SpecmodelError, match="different tokens"):
        expected_acceptance(PAIR.target, {"other": ModelDrafter(SMALL)}, [PROMPT], 5)


@pytest.mark.parametrize("wrong", [{"max_tokens": 2.5}, {"max_tokens": 0}, {"seed": -1}, {"seed": 1.5}])
def test_wrong_numbers_along_a_text_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecmodelError, match="is not a whole number from"):
        expected_acceptance(PAIR.target, {"itself": ModelDrafter(PAIR.target)}, [PROMPT], **wrong)


def test_whole_floats_are_whole_numbers() -> None:
    drafters = {"2": ModelDrafter(PAIR.draft)}
    numbers: tuple[Any, Any] = (2, 2.0)
    one, two = (expected_acceptance(PAIR.target, drafters, [PROMPT], n, seed=n) for n in numbers)
    assert one == two
    first, second = (compare_continuations(PAIR.target, drafters["2"], PROMPT, n, n, n, seed=n) for n in numbers)
    assert first == second
