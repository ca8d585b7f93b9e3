# mypy: disable-error-code="arg-type, union-attr"
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engine.group_symptoms import group_symptoms
from specmodel.engine.symptoms import symptoms
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats


def engine(alpha, k, rounds, seed=0, kind="requests", **more):
    """An engine with one alpha, or one for each request; its requests are its units."""
    rng = np.random.default_rng(seed)
    kept = np.cumprod(rng.random((len(alpha), rounds, k)) < np.asarray(alpha)[:, None, None], axis=2).sum(axis=1)
    rows = [(rounds, rounds * k, row.sum(), tuple(row)) for row in kept]
    return SpecStats(
        "an engine",
        "simulation",
        num_speculative_tokens=k,
        num_rounds=float(len(alpha) * rounds),
        num_draft_tokens=float(len(alpha) * rounds * k),
        num_accepted_draft_tokens=float(kept.sum()),
        accepted_per_position=tuple(kept.sum(axis=0).astype(float).tolist()),
        num_steps=float(len(alpha) * rounds),
        units=Units.of(kind, rows),
        **more,
    )


def keys(stats, groups=()):
    return [each.key for each in (*symptoms(stats), *group_symptoms(groups))]


@given(st.floats(0.5, 0.85), st.integers(1, 8), st.integers(1, 30), st.integers(1, 60), st.integers(0, 10**6))
def test_an_ordinary_engine_shows_no_lead(alpha, k, requests, rounds, seed):
    stats = engine([alpha] * requests, k, rounds, seed)
    if (stats.draft_acceptance_rate or 0) < 0.97:  # a handful of rounds can all be accepted
        assert keys(stats) == []


@pytest.mark.parametrize("kind", ["requests", "windows"])
def test_requests_that_differ_by_chance_are_no_fall_with_time(kind):
    """Each request has an alpha of its own, in no order: what one sees on any mixed traffic."""
    rng = np.random.default_rng(1)
    wrong = sum(
        keys(engine(rng.beta(7, 4, requests), 4, 50, seed, kind)) != []
        for seed in range(40)
        for requests in (6, 12, 20, 30, 60, 200)
    )
    assert wrong <= 2  # of 240


def test_groups_that_differ_by_chance_are_no_lead():
    for seed in range(60):
        cold, warm = (engine([0.7] * 3, 4, 8, seed + 100 * t, temperature=float(t)) for t in (0, 1))
        assert keys(cold, [cold.replace(label="16 bits"), warm.replace(label="fp8 cache")]) == []


# Each pattern where it should be


def counted(*survival, rounds=1000.0, **more):
    k = len(survival)
    return SpecStats("a", "b", num_speculative_tokens=k, num_rounds=rounds, num_draft_tokens=k * rounds,
                     num_accepted_draft_tokens=sum(survival) * rounds,
                     accepted_per_position=tuple(share * rounds for share in survival), **more)  # fmt: skip


PATTERNS = {
    # vllm-project/vllm #41834: a draft length above the block collapses all positions; the block length does not
    "vLLM #41834, k = 7": (counted(0.181, 0.067, 0.039, 0.014, 0.009, 0, 0), ["collapsed"]),
    "vLLM #41834, k = 5": (counted(0.579, 0.447, 0.316, 0.237, 0.158), []),
    "vllm-ascend #13640": (counted(0.739, 0.478, 0.261, 0.174, 0.130, 0.087, 0.043), []),
    "llama.cpp #24536": (counted(0.805, 0.632, 0.483, rounds=87.0), []),
    "vLLM #41789, 0.2 % of all drafts": (counted(0.006, 0.002, 0, 0), ["collapsed"]),
    "spark-vllm-docker #350, first drafter": (counted(0.576, 0.378, 0.266, 0.2, 0.15, 0.111, 0.081), []),
    "a hidden state that is not carried on": (counted(0.8, 0.08, 0.01), ["first_only"]),
    "a weak drafter": (counted(0.4, 0.16, 0.06), []),
    "too few rounds to speak of": (counted(0.1, 0.0, rounds=40.0), []),
    "a repetition loop": (counted(1.0, 0.99, 0.985), ["too_good"]),
    "one draft that is always right": (counted(1.0), []),
    "drafts without rounds": (counted(0.7, 0.5).replace(num_draft_tokens=3000.0), ["more_than_k"]),
    "a draft less than k, cut by the end": (counted(0.7, 0.5).replace(num_draft_tokens=1990.0), []),
    "nothing drafted": (SpecStats("a", "b", num_draft_tokens=0.0), ["nothing_drafted"]),
    "a baseline": (SpecStats("a", "b", num_draft_tokens=0.0, speculation=False), []),
    # vllm-project/vllm #51742 and #36029: peak below mean
    "vLLM #51742": (SpecStats("a", "b", peak_tokens_per_s=122.0, output_tokens_per_s=371.88), ["peak_below_mean"]),
    "vLLM #36029": (SpecStats("a", "b", peak_tokens_per_s=1757.0, output_tokens_per_s=2541.0), ["peak_below_mean"]),
    "a peak above the mean": (SpecStats("a", "b", peak_tokens_per_s=400.0, output_tokens_per_s=371.88), []),
    "a lookup": (counted(0.7, 0.5).replace(num_steps=8000.0), ["seldom_drafts"]),
    "a lookup that mostly hits": (counted(0.7, 0.5).replace(num_steps=1900.0), []),
}  # fmt: skip


@pytest.mark.parametrize("name", PATTERNS)
def test_each_pattern_appears_where_it_should_and_alone(name):
    stats, expected = PATTERNS[name]
    assert keys(stats) == expected


@pytest.mark.parametrize("kind", ["requests", "windows"])
def test_acceptance_that_falls_with_time(kind):
    falling = engine(np.linspace(0.85, 0.5, 30), 4, 100, kind=kind)
    found = symptoms(falling)
    assert [each.key for each in found] == ["falls_with_time"]
    third = falling.units.counts[:10].sum(axis=0)
    assert f"from {third[2] / third[1]:.0%} in the first" in str(found[0].evidence)
    assert keys(engine(np.linspace(0.5, 0.85, 30), 4, 100, kind=kind)) == []
    assert keys(engine(np.linspace(0.85, 0.5, 5), 4, 100, kind=kind)) == []


@pytest.mark.parametrize(("name", "values"), [("temperature", (0, 0.7, 1)), ("context_tokens", (100, 34_000, 86_000))])
def test_acceptance_that_falls_with_a_setting(name, values):
    # llama.cpp on a Radeon 780M in vLLM #47602: .85 at 100 tokens of context, .53 at 34,000, .475 at 86,000
    groups = [
        SpecStats("a", "b", num_draft_tokens=4000.0, num_accepted_draft_tokens=4000.0 * rate).replace(**{name: value})
        for value, rate in zip(values, (0.85, 0.53, 0.475), strict=True)
    ]
    assert keys(groups[0], groups[::-1]) == [f"falls_with_{name}"]
    assert "85%" in str(group_symptoms(groups)[0].evidence)
    rising = [each.replace(**{name: -value}) for each, value in zip(groups, values, strict=True)]
    assert keys(groups[0], rising) == []
    assert keys(groups[0], groups[:1]) == []
    assert keys(groups[0], [each.replace(**{name: 1}) for each in groups]) == []
    humped = [groups[0], groups[1].replace(**{name: 10**6}), groups[2]]
    assert keys(groups[0], humped) == []


def test_acceptance_that_falls_with_a_quantised_cache_or_another_vocabulary():
    def group(label, rate):
        return SpecStats("a", "b", label=label, num_draft_tokens=5000.0, num_accepted_draft_tokens=5000.0 * rate)

    # vllm-project/vllm #55557: .725 with a cache in 16 bits, .63 in 8; #38174: .80 to .15 by shared vocabulary
    assert keys(group("", 0.7), [group("bf16", 0.725), group("fp8-cache", 0.63)]) == ["cache"]
    assert keys(group("", 0.7), [group("same", 0.8), group("vocabulary 69.6 %", 0.15)]) == ["vocabulary"]
    assert keys(group("", 0.7), [group("bf16", 0.63), group("fp8-cache", 0.725)]) == []
    # a word that both names have tells them not apart: a quantised model, say
    assert keys(group("", 0.7), [group("model Q4 code", 0.8), group("model Q4 chat", 0.4)]) == []


def test_a_lead_names_its_cause_and_speaks_of_no_certainty():
    for stats, expected in PATTERNS.values():
        for symptom, key in zip(symptoms(stats), expected, strict=True):
            assert symptom.key == key
            assert len(str(symptom.evidence)) > 20 and len(str(symptom.cause)) > 40


def test_unknown_counters_raise_nothing():
    assert keys(SpecStats("a", "b")) == []
    assert keys(SpecStats("a", "b", num_rounds=0.0, accepted_per_position=(0.0,), num_steps=0.0)) == []
    idle = Units.of("requests", [(0, 0, 0, None)] * 40)
    assert keys(SpecStats("a", "b", units=idle)) == []
