"""Speculative sampling between the language models: the text is the target's, whatever drafts."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from specmodel.base.messages import SpecmodelError
from specmodel.ngram import (
    KINDS,
    LookupDrafter,
    Round,
    Trace,
    Vocabulary,
    decode,
    language_models,
    measure,
    measure_rounds,
    speculate,
    train,
)
from specmodel.ngram._draws import draw, tempered
from tests.conftest import examples, times

LETTERS = Vocabulary("(?s:.)", ("a", "b", "c"))
BROKEN: Any = 1.5
TWO: Any = 2.0
SAMPLE = LETTERS.encode("abacabcaabbcabacabccbaabcabcacbabbaaccabab")
DRAFTERS = {
    "order 1": lambda pair: pair.drafter(1),
    "order 2": lambda pair: pair.draft,
    "order 4": lambda pair: pair.drafter(4),
    "lookup": lambda pair: LookupDrafter(pair.vocabulary),
}


@pytest.mark.parametrize("drafter", DRAFTERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 3, 8])
def test_greedy_text_is_the_targets_own(kind, drafter, k):
    pair = language_models(kind)
    for prompt in (*pair.corpus.prompts, "", "zzz", "猫 🐈 é\n"):
        plain = decode(pair.target, prompt, 50, temperature=0)
        fast = speculate(pair.target, DRAFTERS[drafter](pair), prompt, 50, k, temperature=0)
        assert fast.tokens == plain.tokens and fast.text == plain.text
        assert fast.target_passes_saved >= plain.target_passes_saved == 0


@given(
    text=st.text("abc", min_size=1, max_size=40),
    prompt=st.text("abcd", max_size=10),
    order=st.integers(1, 4),
    k=st.integers(1, 6),
    seed=st.integers(0, 99),
)
def test_greedy_identity_for_any_small_model(text, prompt, order, k, seed):
    target = train(LETTERS, LETTERS.encode(text), 4)
    draft = train(LETTERS, SAMPLE, order)
    plain = decode(target, prompt, 20, temperature=0)
    assert speculate(target, draft, prompt, 20, k, 0, seed).tokens == plain.tokens
    assert speculate(target, LookupDrafter(LETTERS), prompt, 20, k, 0, seed).tokens == plain.tokens


def fits(counts: dict, expected: dict) -> float:
    """p-value of a chi-square test; cells with fewer than 5 expected draws are taken together."""
    total = sum(counts.values())
    large = [cell for cell, probability in expected.items() if probability * total >= 5]
    seen = [counts.get(cell, 0) for cell in large]
    wanted = [expected[cell] * total for cell in large]
    rest = total - sum(wanted)
    if rest > 1e-6 * total:
        seen, wanted = [*seen, total - sum(seen)], [*wanted, rest]
    return float(chisquare(seen, wanted, sum_check=False).pvalue)


def count(texts):
    return {cell: len(list(group)) for cell, group in itertools.groupby(sorted(texts))}


def enumerated(target, prompt, length, temperature, least=1e-9):
    """The exact probability of each continuation of the prompt by some tokens, where it is above `least`."""
    found: dict[tuple[int, ...], float] = {(): 1.0}
    start = target.vocabulary.encode(prompt)
    for _ in range(length):
        longer: dict[tuple[int, ...], float] = {}
        for tokens, before in found.items():
            probs = tempered(target.next_probs([*start, *tokens]), temperature)
            longer |= {(*tokens, int(i)): before * probs[i] for i in np.flatnonzero(before * probs > least)}
        found = longer
    return found


@pytest.mark.sized
@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.5])
@pytest.mark.parametrize("drafter", ["order 1", "order 2", "lookup"])
def test_the_distribution_of_the_text_is_the_targets(drafter, temperature):
    target = train(LETTERS, SAMPLE, 3)
    draft = (
        LookupDrafter(LETTERS) if drafter == "lookup" else train(LETTERS, LETTERS.encode("aaabbbca"), int(drafter[-1]))
    )
    rng = np.random.default_rng(5)
    drawn = count(speculate(target, draft, "abca", 3, 2, temperature, rng).tokens for _ in range(times(6000)))
    expected = enumerated(target, "abca", 3, temperature)
    assert len(drawn) > 10
    assert fits(drawn, expected) > 0.01


@pytest.mark.sized
def test_the_chi_square_would_see_another_distribution():
    target, draft = train(LETTERS, SAMPLE, 3), train(LETTERS, LETTERS.encode("aaabbbca"), 2)
    rng = np.random.default_rng(5)
    drawn = count(decode(draft, "abca", 3, 1, rng).tokens for _ in range(times(6000)))
    assert fits(drawn, enumerated(target, "abca", 3, 1)) < 1e-6


@pytest.mark.sized
@pytest.mark.parametrize("drafter", ["order 2", "lookup"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_distribution_of_real_text_is_the_targets(kind, drafter):
    pair = language_models(kind)
    prompt = pair.corpus.prompts[0] * 2  # so that the lookup finds something
    expected = enumerated(pair.target, prompt, 2, 1.0, least=1e-5)
    rng = np.random.default_rng(11)
    draft = DRAFTERS[drafter](pair)
    drawn = count(speculate(pair.target, draft, prompt, 2, 3, 1.0, rng).tokens for _ in range(times(3000)))
    assert fits(drawn, expected) > 1e-4
    plain = count(decode(pair.target, prompt, 2, 1.0, rng).tokens for _ in range(times(3000)))
    assert fits(plain, expected) > 1e-4


@pytest.mark.parametrize("temperature", [0.7, 1.0])
@pytest.mark.parametrize("drafter", DRAFTERS)
@pytest.mark.parametrize("kind", KINDS)
def test_acceptance_agrees_with_the_overlap_of_the_distributions(kind, drafter, temperature):
    pair = language_models(kind)
    draft = DRAFTERS[drafter](pair)
    traces = [
        speculate(pair.target, draft, text, 200, 4, temperature, seed) for seed, text in enumerate(pair.corpus.prompts)
    ]
    overlaps = np.array([value for trace in traces for each in trace.rounds for value in each.overlaps])
    counted = measure(traces)
    error = np.sqrt((overlaps * (1 - overlaps)).sum())
    assert abs(counted.num_accepted_draft_tokens - overlaps.sum()) <= 4 * error
    assert overlaps.size == sum(counted.reached) and overlaps.sum() == pytest.approx(sum(counted.overlap))
    assert overlaps.min() > 0 and overlaps.max() <= 1 + 1e-9


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 2])
def test_a_draft_that_is_the_target_is_always_accepted(temperature):
    pair = language_models("english")
    trace = speculate(pair.target, pair.target, "The", 100, 4, temperature, 2)
    assert all(each.num_accepted == 4 and not each.recovered for each in trace.rounds)
    assert measure([trace]).acceptance.mean_acceptance_length == 5
    assert trace.target_passes_saved == 80


@given(k=st.integers(1, 6), tokens=st.integers(1, 60), seed=st.integers(0, 999), lookup=st.booleans())
@examples(40)
def test_a_trace_adds_up(k, tokens, seed, lookup):
    pair = language_models("japanese")
    draft = LookupDrafter(pair.vocabulary) if lookup else pair.draft
    trace = speculate(pair.target, draft, "受理確率、受理", tokens, k, 1, seed)
    assert len(trace.tokens) == tokens
    assert tuple(event.token for event in trace.events if event.in_text) == trace.tokens
    assert trace.text == pair.vocabulary.decode(trace.tokens)
    for each in trace.rounds:
        looked_at = min(each.num_accepted + 1, len(each.drafted))
        assert len(each.overlaps) == len(each.target_probs) == len(each.draft_probs) == looked_at
        assert len(each.drafted) <= k and (lookup or len(each.drafted) == k)
        assert each.bonus_token == each.emitted[-1]
    counted = measure([trace])
    assert counted.num_rounds + trace.target_passes_saved == tokens
    assert counted.num_draft_tokens == sum(len(each.drafted) for each in trace.rounds)
    assert counted.num_wasted_draft_tokens == counted.num_draft_tokens - counted.num_accepted_draft_tokens >= 0
    emitted = sum(len(each.emitted) for each in trace.rounds)
    assert counted.acceptance.mean_acceptance_length * counted.num_rounds == pytest.approx(emitted)


def test_events_say_what_became_of_each_token():
    rounds = (
        Round((1, 2, 3), 1, 4, (0.5, 0.1), (0.5, 0.5), (0.6, 0.4)),
        Round((5, 6), 2, 7, (0.5, 0.5), (0.5, 0.5), (0.6, 0.4)),
        Round((), 0, 8, (), (), ()),
        Round((9,), 1, 10, (0.5,), (0.5,), (0.6,)),
    )
    events = Trace(LETTERS, (), rounds, 7, 3).events
    assert [(event.token, event.fate) for event in events] == [
        (1, "accepted"),
        (2, "rejected"),
        (3, "unread"),
        (4, "recovered"),
        (5, "accepted"),
        (6, "accepted"),
        (7, "bonus"),
        (8, "bonus"),
        (9, "accepted"),
    ]
    assert [(event.round, event.position) for event in events[2:5]] == [(0, 2), (0, 3), (1, 0)]
    counted = measure_rounds(rounds, 3, 7)
    assert (counted.histogram, counted.drafted, counted.reached) == ((1, 2, 1, 0), (3, 2, 1), (3, 2, 0))
    assert counted.conditional_acceptance == (1.0, 0.5, None)
    assert counted.expected_acceptance == pytest.approx((0.6, 0.4, None))
    assert (counted.alpha, counted.target_passes_saved, counted.num_wasted_draft_tokens) == (0.8, 3, 2)


@pytest.mark.parametrize(("most", "tokens"), [(1, [1]), (2, [1, 2, 4]), (3, [1, 2, 3, 4, 5])])
def test_no_event_lies_beyond_the_end_of_the_text(most, tokens):
    rounds = (Round((1, 2, 3), 1, 4, (0.5, 0.1), (0.5, 0.5), (0.6, 0.4)), Round((), 0, 5, (), (), ()))
    trace = Trace(LETTERS, (), rounds, most, 3)
    assert [event.token for event in trace.events] == tokens
    assert tuple(event.token for event in trace.events if event.in_text) == trace.tokens


@pytest.mark.parametrize("each", [Round((1, 2), 0, 3, (), (), ()), Round((), 2, 3, (), (), ())])
def test_rounds_longer_than_k_are_not_counted(each):
    with pytest.raises(SpecmodelError, match="rounds of 1 and of 2 drafts do not add up"):
        measure_rounds([each], 1)
    with pytest.raises(SpecmodelError, match=r"drafts a round = 1.5 is not a whole number from 0 to 64"):
        measure_rounds([each], BROKEN)
    assert measure_rounds([each], TWO).num_rounds == 1


def test_lookup_proposes_what_followed_the_latest_longest_match():
    lookup = LookupDrafter(LETTERS, longest=2, shortest=1)
    rng = np.random.default_rng(0)

    def proposed(text, k):
        return LETTERS.decode(each.token for each in lookup.propose(LETTERS.encode(text), k, 1, rng))

    assert proposed("abcaabbab", 3) == "bab"  # after the later "ab"
    assert proposed("caaaba", 2) == "ba"  # "ba" is new, so the latest "a" before
    assert proposed("abc", 4) == proposed("", 4) == proposed("a", 4) == ""
    assert proposed("aa", 4) == "a"  # no more text to copy than this
    assert lookup.propose(LETTERS.encode("abab"), 1, 1, rng)[0].draft_probs.tolist() == [0.0] * 256 + [1.0, 0.0, 0.0]


def test_the_seed_decides_the_text():
    pair = language_models("english")
    one, again, other = (speculate(pair.target, pair.draft, "The", 60, 4, 1, seed) for seed in (1, 1, 2))
    assert one.rounds == again.rounds != other.rounds
    assert decode(pair.target, "The", 60, 1, 1).tokens == decode(pair.target, "The", 60, 1, 1).tokens
    rng = np.random.default_rng(1)
    assert speculate(pair.target, pair.draft, "The", 60, 4, 1, rng).rounds == one.rounds
    assert speculate(pair.target, pair.draft, "The", 60, 4, 1, rng).rounds != one.rounds


def test_more_context_in_the_draft_is_accepted_more_often():
    for kind in KINDS:
        pair = language_models(kind)
        one, two, three = (
            measure([speculate(pair.target, pair.drafter(n), text, 200, 4, 1, 0) for text in pair.corpus.prompts])
            for n in (1, 2, 3)
        )
        assert one.alpha and two.alpha and three.alpha
        assert one.alpha + 0.1 < two.alpha < three.alpha - 0.1


def test_kinds_of_text_are_counted_apart_and_add_up():
    pairs = {kind: language_models(kind) for kind in KINDS}
    traces = {kind: [speculate(pair.target, pair.draft, "a", 30, 2, 1, 0)] for kind, pair in pairs.items()}
    by_kind = {kind: measure(each) for kind, each in traces.items()}
    together = measure(trace for each in traces.values() for trace in each)
    assert together == by_kind["english"] + by_kind["japanese"] + by_kind["code"]
    assert together.num_tokens == 90
    with pytest.raises(SpecmodelError, match="rounds of 2 and of 3 drafts do not add up"):
        together + measure([speculate(pairs["code"].target, pairs["code"].draft, "a", 30, 3)])
    with pytest.raises(SpecmodelError, match="no trace"):
        measure([])


@given(weights=st.lists(st.floats(0, 10), min_size=1, max_size=6).filter(any), seed=st.integers(0, 99))
def test_a_draw_never_has_weight_zero(weights, seed):
    assert weights[draw(np.array(weights), np.random.default_rng(seed))] > 0


@pytest.mark.parametrize(("uniform", "token"), [(0.0, 1), (1.0, 2)])
def test_a_draw_at_either_edge_is_a_possible_token(uniform, token):
    class Edge(np.random.Generator):
        def random(self, *args, **kwargs):
            return uniform

    assert draw(np.array([0.0, 1.0, 2.0, 0.0]), Edge(np.random.PCG64(0))) == token


@given(probs=st.lists(st.floats(1e-6, 1), min_size=2, max_size=8), temperature=st.floats(0, 5))
def test_temperature_keeps_a_distribution_and_its_order(probs, temperature):
    given_probs = np.array(probs) / sum(probs)
    hot = tempered(given_probs, temperature)
    assert hot.sum() == pytest.approx(1) and hot.min() >= 0
    assert hot[int(given_probs.argmax())] == hot.max()
    if temperature > 0.1:
        ratio = (given_probs[0] / given_probs[1]) ** (1 / temperature)
        assert hot[0] == pytest.approx(hot[1] * ratio, rel=1e-9)


def test_greedy_ties_go_to_the_first():
    assert tempered(np.array([0.1, 0.45, 0.45]), 0).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"temperature": -0.1}, "temperature = -0.1 is outside 0 to 5"),
        ({"temperature": float("nan")}, "temperature = nan is outside 0 to 5"),
        ({"max_tokens": 0}, "tokens to generate = 0 is not a whole number from 1 to 4,000"),
        ({"max_tokens": 2.5}, "tokens to generate = 2.5 is not a whole number"),
        ({"num_speculative_tokens": 0}, "drafts a round = 0 is not a whole number from 1 to 32"),
        ({"num_speculative_tokens": 33}, "drafts a round = 33 is not a whole number from 1 to 32"),
        ({"num_speculative_tokens": 1.5}, "drafts a round = 1.5 is not a whole number"),
        ({"seed": -1}, "seed = -1 is not a whole number from 0 to"),
        ({"seed": 0.5}, "seed = 0.5 is not a whole number"),
    ],
)
def test_what_cannot_be_used_is_named(changes, sentence):
    pair = language_models("code")
    with pytest.raises(SpecmodelError, match=sentence):
        speculate(pair.target, pair.draft, "def", **changes)
    if "num_speculative_tokens" not in changes:
        with pytest.raises(SpecmodelError, match=sentence):
            decode(pair.target, "def", **changes)


def test_whole_floats_are_whole_numbers():
    pair = language_models("code")
    one, other = (speculate(pair.target, pair.draft, "def", n, n, seed=n).rounds for n in (2, TWO))
    assert one == other
    one, other = (speculate(pair.target, LookupDrafter(pair.vocabulary, n, n), "def def", 12).rounds for n in (2, TWO))
    assert one == other


def test_models_over_different_tokens_do_not_meet():
    with pytest.raises(SpecmodelError, match="different tokens"):
        speculate(language_models("code").target, language_models("english").draft, "def")
    with pytest.raises(SpecmodelError, match="longest match of the lookup = 1 is not a whole number from 2 to 8"):
        LookupDrafter(LETTERS, longest=1, shortest=2)
    with pytest.raises(SpecmodelError, match=r"longest match of the lookup = 1.5 is not a whole number"):
        LookupDrafter(LETTERS, BROKEN)
