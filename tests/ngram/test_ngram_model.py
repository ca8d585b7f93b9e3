"""Tokens and n-gram models: nothing is lost in tokenising, and the distributions are those of the formula."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.ngram import KINDS, NgramModel, Vocabulary, build_vocabulary, language_models, train

LETTERS = Vocabulary("(?s:.)", ("a", "b", "c", " "))
ANY_TEXT = st.text(st.characters(exclude_categories=()))
SMALL_TEXT = st.text("abc ", max_size=60)


@pytest.mark.parametrize("kind", KINDS)
@given(text=ANY_TEXT)
def test_any_text_comes_back_from_its_tokens(kind, text):
    vocabulary = language_models(kind).vocabulary
    assert vocabulary.decode(vocabulary.encode(text)) == text


@given(text=ANY_TEXT, other=ANY_TEXT, size=st.integers(400, 600))
def test_a_vocabulary_of_any_text_loses_nothing(text, other, size):
    vocabulary = build_vocabulary(text, KINDS["english"].pattern, size)
    assert len(vocabulary) <= size
    assert len(set(vocabulary.texts)) == len(vocabulary.texts)
    assert vocabulary.decode(vocabulary.encode(text + other)) == text + other


def test_frequent_words_are_one_token_and_rare_ones_are_cut():
    vocabulary = build_vocabulary("the walking, the walked, the talking, the end. " * 2, r" ?[a-z]+|(?s:.)", 380)
    assert vocabulary.label(vocabulary.encode(" the end")[0]) == " the"
    parts = [vocabulary.label(token) for token in vocabulary.encode("stalking")]
    assert "".join(parts) == "stalking" and 1 < len(parts) < 8


def test_an_unknown_character_is_its_bytes():
    assert LETTERS.encode("猫") == list("猫".encode())
    assert [LETTERS.label(token) for token in LETTERS.encode("猫")] == ["<0xE7>", "<0x8C>", "<0xAB>"]


def test_bytes_that_make_no_character_are_shown_as_such():
    assert LETTERS.decode([256, 0xE7, 257]) == "a\ufffdb"


def slow_probs(tokens: list[int], context: list[int], order: int) -> np.ndarray:
    """Witten and Bell's recursion as it is written, on plain dictionaries."""
    if order == 0:
        return LETTERS.base_probs
    history = context[len(context) - (order - 1) :] if order > 1 else []
    if len(history) < order - 1:
        return slow_probs(tokens, context, order - 1)
    places = range(order - 1, len(tokens))
    followers = Counter(tokens[i] for i in places if tokens[i - order + 1 : i] == history)
    shorter = slow_probs(tokens, context, order - 1)
    if not followers:
        return shorter
    counts = np.zeros(len(LETTERS))
    counts[list(followers)] = list(followers.values())
    probs: np.ndarray = (counts + len(followers) * shorter) / (counts.sum() + len(followers))
    return probs


@given(text=SMALL_TEXT, context=st.text("abcd ", max_size=6), order=st.integers(1, 5))
def test_the_model_is_witten_and_bells(text, context, order):
    tokens, history = LETTERS.encode(text), LETTERS.encode(context)
    probs = train(LETTERS, tokens, order).next_probs(history)
    assert probs == pytest.approx(slow_probs(tokens, history, order), abs=1e-14)


@given(text=SMALL_TEXT, context=st.text("abcd ", max_size=6), order=st.integers(1, 5), cut=st.integers(1, 5))
def test_a_shorter_order_is_what_training_it_gives(text, context, order, cut):
    tokens, history = LETTERS.encode(text), LETTERS.encode(context)
    model = train(LETTERS, tokens, order)
    short = model.of_order(min(cut, model.order))
    assert np.array_equal(short.next_probs(history), train(LETTERS, tokens, short.order).next_probs(history))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_every_token_is_possible_and_the_sum_is_one(kind, data):
    pair = language_models(kind)
    tokens = data.draw(st.lists(st.integers(0, len(pair.vocabulary) - 1), max_size=6))
    known = pair.vocabulary.encode(data.draw(st.sampled_from(pair.corpus.held_out)))
    for model in (pair.target, pair.draft, pair.drafter(1)):
        for context in (tokens, known, known + tokens):
            probs = model.next_probs(context)
            assert probs.shape == (len(pair.vocabulary),)
            assert probs.min() > 0
            assert probs.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_target_is_the_better_model_of_text_it_has_not_seen(kind):
    pair = language_models(kind)

    def bits(model: NgramModel) -> float:
        texts = [pair.vocabulary.encode(part) for part in pair.corpus.held_out]
        logs = [-np.log2(model.next_probs(text[:i])[text[i]]) for text in texts for i in range(1, min(len(text), 40))]
        return float(np.mean(logs))

    assert bits(pair.target) < bits(pair.draft) < bits(pair.drafter(1)) < np.log2(len(pair.vocabulary))


def test_models_are_read_only():
    model = language_models("code").target
    assert model.next_probs([300]) is not model.unigram
    arrays = [model.unigram, *(getattr(level, name) for level in model.contexts for name in level.__dict__)]
    assert len(arrays) == 1 + 5 * 4
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("order", [0, 9, 2.5])
def test_an_order_out_of_range_is_refused(order):
    with pytest.raises(SpecmodelError, match=f"order of the n-gram model = {order} is not a whole number from 1 to 8"):
        train(LETTERS, LETTERS.encode("abc"), order)
    with pytest.raises(SpecmodelError, match=f"order of the n-gram model = {order} is not a whole number from 1 to 5"):
        language_models("code").drafter(order)


@pytest.mark.parametrize("wrong", [-1, len(LETTERS), 0.5, float("nan"), float("inf")])
def test_tokens_of_no_vocabulary_are_not_learned(wrong):
    with pytest.raises(SpecmodelError, match=rf"tokens\[1\] = {float(wrong)} is not a whole number from 0 to 259"):
        train(LETTERS, [256, wrong, 257], 2)


def test_text_is_no_list_of_tokens():
    text: Any = "abc"
    with pytest.raises(SpecmodelError, match="tokens must be numbers; got 'abc'"):
        train(LETTERS, text, 2)


def test_a_whole_float_is_an_order():
    two: Any = 2.0
    model = train(LETTERS, LETTERS.encode("abcab"), two)
    assert model.order == model.of_order(two).order == 2
