# mypy: disable-error-code="arg-type, operator, union-attr"
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import Message
from specmodel.measured.sampling_units import MAX_UNITS, Units
from specmodel.measured.spec_stats import COUNTERS, MEANS, SHARED, SpecStats, StatsError, total

# A window: (k, accepted drafts of each round, time of each round in ms)
WINDOWS = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.tuples(st.integers(0, k), st.floats(1, 50)), min_size=1, max_size=12).map(lambda r: (k, r))
)


def seen(k, rounds) -> SpecStats:
    """The counters of rounds that all draft k."""
    accepted = [kept for kept, _ in rounds]
    positions = tuple(float(sum(kept >= i for kept in accepted)) for i in range(1, k + 1))
    return SpecStats(
        "an engine",
        "log",
        num_speculative_tokens=k,
        num_rounds=float(len(rounds)),
        num_draft_tokens=float(k * len(rounds)),
        num_accepted_draft_tokens=float(sum(accepted)),
        accepted_per_position=positions,
        generated_tokens=float(sum(accepted) + len(rounds) + 1),
        num_steps=float(len(rounds)),
        num_requests=1.0,
        step_ms=sum(ms for _, ms in rounds) / len(rounds),
        units=Units.of("rounds", [(1, k, kept, tuple(float(kept >= i) for i in range(1, k + 1))) for kept in accepted]),
    )


@given(st.lists(WINDOWS, min_size=1, max_size=5))
def test_a_total_is_what_all_rounds_together_give(windows):
    whole, rounds = total([seen(*each) for each in windows]), [each for _, listed in windows for each in listed]
    accepted, most = [kept for kept, _ in rounds], max(k for k, _ in windows)
    drafted = [k for k, listed in windows for _ in listed]
    assert whole.num_rounds == len(rounds)
    assert whole.num_draft_tokens == sum(drafted)
    assert whole.mean_acceptance_length == pytest.approx(1 + np.mean(accepted))
    assert whole.draft_acceptance_rate == pytest.approx(sum(accepted) / sum(drafted))
    assert whole.tokens_per_step == pytest.approx(1 + np.mean(accepted))
    assert whole.mean_draft_length == pytest.approx(np.mean(drafted))
    assert whole.step_ms == pytest.approx(np.mean([ms for _, ms in rounds]))
    expected = [float(np.mean([kept >= i for kept in accepted])) for i in range(1, most + 1)]
    assert whole.per_position_acceptance == pytest.approx(tuple(expected))
    assert whole.acceptance().mean_acceptance_length == pytest.approx(1 + np.mean(accepted))
    same = len({k for k, _ in windows}) == 1
    assert whole.num_speculative_tokens == (most if same else None)
    reached = tuple(float(sum(k >= i for k in drafted)) for i in range(1, most + 1))
    assert whole.drafted_per_position == (None if same else reached)
    assert whole.units.counts[:, :3].sum(axis=0).tolist() == [len(rounds), sum(drafted), sum(accepted)]


@given(st.lists(WINDOWS, min_size=3, max_size=3))
def test_adding_up_may_be_done_in_any_order(windows):
    a, b, c = (seen(*each) for each in windows)
    found = [(a + b) + c, a + (b + c), total([a, b, c]), total([c, b, a])]
    for other in found[1:]:
        for name in (*COUNTERS, *MEANS):
            assert getattr(other, name) == pytest.approx(getattr(found[0], name)), name
        for name in ("num_speculative_tokens", "accepted_per_position", "drafted_per_position"):
            assert getattr(other, name) == getattr(found[0], name), name


@pytest.mark.parametrize("name", COUNTERS)
def test_an_unknown_counter_makes_the_sum_unknown(name):
    known = SpecStats("a", "b").replace(**dict.fromkeys(COUNTERS, 2.0))
    found = known + known.replace(**{name: None})
    assert {each: getattr(found, each) for each in COUNTERS} == dict.fromkeys(COUNTERS, 4.0) | {name: None}


@pytest.mark.parametrize("name", MEANS)
def test_a_mean_is_weighted_by_the_best_counter_that_all_have(name):
    for counter in MEANS[name]:
        small = SpecStats("a", "b").replace(**{name: 10.0, counter: 1.0})
        large = SpecStats("a", "b").replace(**{name: 20.0, counter: 3.0})
        assert getattr(small + large, name) == pytest.approx(17.5)
        assert getattr(small + large.replace(**{name: None}), name) is None
        assert getattr(small + large.replace(**{counter: None}), name) is None
        assert getattr(small + small.replace(**{counter: None}), name) == 10.0


def test_a_mean_by_steps_falls_back_to_rounds_where_one_has_no_steps():
    a = SpecStats("a", "b", step_ms=10.0, num_steps=100.0, num_rounds=1.0)
    assert (a + SpecStats("a", "b", step_ms=20.0, num_rounds=1.0)).step_ms == 15.0


@pytest.mark.parametrize("name", SHARED)
def test_what_is_not_the_same_everywhere_is_unknown(name):
    one = SpecStats("a", "b").replace(**{name: 3})
    assert getattr(one + one, name) == 3
    assert getattr(one + one.replace(**{name: 4}), name) is None
    assert getattr(one + one.replace(**{name: None}), name) is None


def test_ratios_of_windows_are_never_averaged():
    few, many = seen(3, [(3, 1.0)]), seen(3, [(0, 1.0)] * 9)
    assert (few + many).draft_acceptance_rate == 0.1
    assert (few + many).mean_acceptance_length == 1.3


def test_notes_are_kept_once_and_flags_stay():
    a = SpecStats("a", "b", label="x", notes=(Message("one"),), estimated=True, speculation=False)
    b = SpecStats("a", "b", label="y", notes=(Message("one"), Message("two")))
    found = a + b
    assert [str(note) for note in found.notes] == ["one", "two"]
    assert (found.label, found.estimated, found.speculation) == ("", True, True)
    assert (a + a).label == "x" and not (a + a).speculation
    with pytest.raises(StatsError, match="nothing to add up"):
        total([])


def test_one_window_is_its_own_total():
    one = seen(2, [(1, 1.0)])
    assert total([one]) is one


def test_replace_knows_its_fields():
    with pytest.raises(TypeError, match="has no rouns"):
        SpecStats("a", "b").replace(rouns=3)


# What follows from the counters


def test_unknown_stays_none():
    nothing = SpecStats("a", "b")
    known = ("mean_acceptance_length", "draft_acceptance_rate", "per_position_acceptance", "tokens_per_step")
    assert [getattr(nothing, name) for name in (*known, "mean_draft_length")] == [None] * 5
    with pytest.raises(StatsError, match="neither tokens per round"):
        nothing.acceptance()
    with pytest.raises(StatsError, match=r"draft tokens per round \(k\) are not in the file"):
        SpecStats("a", "b", printed_length=2.0).acceptance()


def test_no_rounds_say_nothing_and_raise_nothing():
    idle = SpecStats("a", "b", num_rounds=0.0, num_draft_tokens=0.0, num_accepted_draft_tokens=0.0, num_steps=0.0,
                     accepted_per_position=(0.0, 0.0), generated_tokens=0.0)  # fmt: skip
    assert (idle.mean_acceptance_length, idle.draft_acceptance_rate, idle.per_position_acceptance) == (None,) * 3
    assert (idle.tokens_per_step, idle.mean_draft_length) == (None, None)


def test_counters_are_preferred_to_what_was_printed():
    stats = SpecStats("a", "b", num_rounds=10.0, num_accepted_draft_tokens=10.0, printed_length=3.0)
    assert stats.mean_acceptance_length == 2.0
    assert stats.replace(num_rounds=None).mean_acceptance_length == 3.0
    assert SpecStats("a", "b", printed_length=2.5, num_speculative_tokens=3).draft_acceptance_rate == 0.5


def lookup_engine(requests, hit, k, alpha, seed):
    """An engine that drafts only where its lookup finds something; the first token of a request is from its prompt."""
    rng = np.random.default_rng(seed)
    steps = rounds = accepted = tokens = 0
    for _ in range(requests):
        tokens += 1
        for _ in range(rng.integers(5, 60)):
            steps, tokens = steps + 1, tokens + 1
            if rng.random() < hit:
                kept = int(np.cumprod(rng.random(k) < alpha).sum())
                rounds, accepted, tokens = rounds + 1, accepted + kept, tokens + kept
    return steps, rounds, accepted, tokens


@pytest.mark.parametrize("hit", [0.1, 0.5, 1.0])
def test_tokens_per_step_counts_the_steps_without_a_draft(hit):
    steps, rounds, accepted, tokens = lookup_engine(20, hit, 4, 0.7, seed=1)
    stats = SpecStats("a", "b", num_speculative_tokens=4, num_rounds=rounds, num_draft_tokens=4 * rounds,
                      num_accepted_draft_tokens=accepted, num_steps=steps)  # fmt: skip
    direct = (tokens - 20) / steps
    assert stats.replace(generated_tokens=tokens, num_requests=20).tokens_per_step == pytest.approx(direct)
    assert stats.tokens_per_step == pytest.approx(direct)
    share = rounds / steps
    assert direct == pytest.approx(1 + share * (stats.mean_acceptance_length - 1))
    assert stats.mean_acceptance_length >= direct


def test_tokens_per_step_from_two_latencies_of_vllm_only():
    # vllm-project/vllm #51742: mean ITL 8.23 ms, mean TPOT 2.38 ms; ITL is per chunk in vLLM, per token in SGLang
    assert SpecStats("vLLM", "bench", itl_ms=8.23, tpot_ms=2.38).tokens_per_step == pytest.approx(3.458, abs=1e-3)
    assert SpecStats("SGLang", "bench", itl_ms=2.4, tpot_ms=2.38).tokens_per_step is None


# Units


@given(st.integers(0, 3 * MAX_UNITS), st.booleans())
def test_however_many_units_their_sums_stay(size, known):
    rows = [(1, 2, i % 3, (float(i % 3 > 0), float(i % 3 > 1)) if known else None) for i in range(size)]
    counts = Units.of("rounds", rows).counts
    assert len(counts) <= MAX_UNITS
    expected = [size, 2 * size, sum(row[2] for row in rows)]
    expected += [sum(i % 3 >= p for i in range(size)) for p in (1, 2)] if known and size else []
    assert counts.sum(axis=0).tolist() == expected


def test_units_with_unknown_positions_keep_none():
    assert Units.of("requests", [(1, 2, 1, (1, 0)), (1, 2, 1, None)]).counts.shape == (2, 3)
    positions = Units.of("requests", [(1, 2, 1, (1, 0))])
    assert Units.joined([positions, Units.of("requests", [(1, 2, 1, None)])]).counts.shape == (2, 3)


def test_joined_units_are_of_the_most_dependent_kind():
    # single rounds must not pass for requests: their interval would be that of independent rounds
    kinds = ("rounds", "windows", "requests")
    for first, second in itertools.product(kinds, kinds):
        joined = Units.joined([Units.of(kind, [(1, 2, 1, None)]) for kind in (first, second)])
        assert joined.kind == min(first, second, key=kinds.index)


def test_units_are_dropped_where_a_window_has_none_and_cannot_be_changed():
    one = seen(2, [(1, 1.0)])
    assert (one + one.replace(units=None)).units is None
    with pytest.raises(ValueError, match="read-only"):
        one.units.counts[0] = 1
