import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.params import declarations
from specmodel.model.vocabulary import (
    _PAIRING_TEXTS,
    ARTICLE_PAIRINGS,
    TokenizerPair,
    alpha_ceiling,
    alpha_floor,
    effective_alpha,
    tokenizer_pair,
    tokenizer_pairs,
)
from specmodel.sampling import acceptance


def acceptance_on_shared(target, draft, shared):
    return acceptance(target, draft, "union", shared=shared)


weights = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), min_size=1, max_size=12
).filter(lambda rows: sum(r[0] for r in rows) > 1e-3 and sum(r[1] for r in rows) > 1e-3)  # fmt: skip


def _distributions(rows):
    target, draft, shared = (np.array(column) for column in zip(*rows, strict=True))
    return target / target.sum(), draft / draft.sum(), shared


@given(weights)
def test_the_exact_acceptance_lies_between_floor_and_ceiling(rows):
    target, draft, shared = _distributions(rows)
    alpha = acceptance_on_shared(target, draft, np.ones(target.size, dtype=bool))
    mass = float(target[shared].sum())
    exact = acceptance_on_shared(target, draft, shared)
    assert alpha_floor(alpha, mass) - 1e-9 <= exact <= alpha_ceiling(alpha, mass) + 1e-9


@given(weights)
def test_a_drafter_renormalised_over_the_shared_tokens_stays_under_the_mass(rows):
    target, draft, shared = _distributions(rows)
    if draft[shared].sum() > 1e-9:
        renormalised = np.where(shared, draft, 0) / draft[shared].sum()
        assert acceptance_on_shared(target, renormalised, shared) <= alpha_ceiling(1, target[shared].sum()) + 1e-9


@given(st.floats(0, 1), st.floats(0, 1))
def test_bounds_are_ordered_and_meet_when_every_token_is_shared(alpha, mass):
    assert 0 <= alpha_floor(alpha, mass) <= alpha_ceiling(alpha, mass) + 1e-12 <= 1 + 1e-12
    assert alpha_floor(alpha, 1) == alpha_ceiling(alpha, 1) == effective_alpha(alpha, 1) == alpha


def test_both_bounds_are_reached():
    everything, first = [True, True], [True, False]
    worst = ([0.8, 0.2], [0.4, 0.6])
    assert acceptance_on_shared(*worst, first) == pytest.approx(
        alpha_floor(acceptance_on_shared(*worst, everything), 0.8)
    )
    best = ([0.8, 0.2], [1.0, 0.0])
    assert acceptance_on_shared(*best, first) == pytest.approx(
        alpha_ceiling(acceptance_on_shared(*best, everything), 0.8)
    )


def test_the_articles_pairings_follow_its_rule_and_can_be_translated():
    assert [row.effective_alpha for row in ARTICLE_PAIRINGS] == [0.6, 0.432, 0.24]
    for row in ARTICLE_PAIRINGS:
        assert effective_alpha(row.base_alpha, row.vocabulary_overlap) == pytest.approx(row.effective_alpha)
        assert {row.pairing, row.usable} <= set(_PAIRING_TEXTS)
    assert {text for row in ARTICLE_PAIRINGS for text in (row.pairing, row.usable)} == set(_PAIRING_TEXTS)


@pytest.mark.parametrize(
    ("target", "draft", "count", "code", "prose", "japanese"),
    [
        ("llama3", "qwen3", 0.856, 0.980, 0.995, 0.930),
        ("qwen3", "llama3", 0.722, 1.000, 1.000, 0.915),
        ("llama3", "llama3_1", 1.0, 1.0, 1.0, 1.0),
    ],
)
def test_known_pairs(target, draft, count, code, prose, japanese):
    pair = tokenizer_pair(target, draft)
    measured = (pair.overlap_of_target, pair.freq_overlap_code, pair.freq_overlap_prose_en, pair.freq_overlap_japanese)
    assert measured == pytest.approx((count, code, prose, japanese), abs=5e-4)


def test_equal_strings_need_not_have_equal_ids():
    pair = tokenizer_pair("llama3", "qwen3")
    assert (pair.shared_tokens, pair.shared_same_id) == (109_566, 410)


def test_the_table_holds_every_ordered_pair_and_both_directions_agree():
    pairs = {(pair.target, pair.draft): pair for pair in tokenizer_pairs()}
    names = {pair.target for pair in tokenizer_pairs()}
    assert len(names) == 15 and len(pairs) == 15 * 14
    for (target, draft), pair in pairs.items():
        back = pairs[draft, target]
        assert (pair.shared_tokens, pair.target_vocab) == (back.shared_tokens, back.draft_vocab)
        assert (pair.overlap_of_target, pair.jaccard) == (back.overlap_of_draft, back.jaccard)


def test_shares_are_shares():
    for pair in tokenizer_pairs():
        assert 0 <= pair.shared_same_id <= pair.shared_tokens <= min(pair.target_vocab, pair.draft_vocab)
        for name, declared in declarations(TokenizerPair).items():
            if declared.format == ".1%":
                assert 0 <= getattr(pair, name) <= 1, (pair.target, pair.draft, name)


def test_every_column_of_the_table_is_declared_and_can_be_shown():
    columns = declarations(TokenizerPair)
    assert list(columns) == list(vars(tokenizer_pairs()[0]))
    shown = [columns[name].show(value) for name, value in vars(tokenizer_pair("llama3", "qwen3")).items()]
    assert shown[:6] == ["llama3", "qwen3", "128,256 tokens", "151,669 tokens", "109,566 tokens", "410 tokens"]
    assert shown[6] == "85.6%"


def test_an_unknown_pair_names_the_tokenizers():
    with pytest.raises(SpecmodelError, match="smollm2"):
        tokenizer_pair("llama3", "nobody")
