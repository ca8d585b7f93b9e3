# mypy: disable-error-code="operator"
import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.params import Quantity, declarations
from specmodel.model.outcome import CLOSE, Outcome, evaluate
from specmodel.model.scenario import Scenario, rounds_to_emit

DECLARED = declarations(Outcome)

scenarios = st.builds(
    Scenario,
    alpha=st.floats(0, 1),
    num_speculative_tokens=st.integers(0, 64),
    target_ms=st.floats(0.1, 1000),
    draft_ms=st.floats(0, 1000),
    vocabulary_overlap=st.floats(0, 1),
    output_tokens=st.integers(1, 300),
    verify_ms_per_token=st.floats(0, 100),
    overhead_ms=st.floats(0, 1000),
)


def close(value, rel=1e-9, tiny=1e-9):
    return pytest.approx(value, rel=rel, abs=tiny)


@given(scenarios)
def test_off_changes_nothing(scenario):
    off = evaluate(scenario.replace(num_speculative_tokens=0))
    assert off.speedup == off.time_ratio == off.mean_acceptance_length == off.cost_ratio == 1
    assert off.total_ms == off.total_ms_low == off.total_ms_high == close(off.baseline_ms)
    assert off.num_rounds == close(scenario.output_tokens)
    assert off.num_draft_tokens == off.num_wasted_draft_tokens == off.wasted_ms == off.wasted_per_token == 0
    assert off.draft_acceptance_rate is None and off.break_even_alpha is None and off.alpha_needed is None
    assert off.verdict.kind == "off"


@given(scenarios)
def test_with_free_drafts_and_verification_the_speedup_is_tau(scenario):
    free = evaluate(scenario.replace(draft_ms=0, verify_ms_per_token=0, overhead_ms=0))
    assert free.speedup == close(free.mean_acceptance_length)
    assert free.wasted_ms == 0


@given(scenarios)
def test_ratios_are_inverse_and_in_the_long_run(scenario):
    outcome = evaluate(scenario)
    assert outcome.time_ratio == close(1 / outcome.speedup)
    assert outcome.speedup == close(outcome.mean_acceptance_length / outcome.cost_ratio)
    assert outcome.tpot_ms == close(outcome.time_ratio * scenario.target_ms)
    assert outcome.round_ms == close(outcome.cost_ratio * scenario.target_ms)


@given(scenarios)
def test_walds_identities(scenario):
    """Tokens out = tau·E[R], so accepted = (tau − 1)·E[R]; the overshoot lies in 0 … k."""
    outcome, exact = evaluate(scenario), rounds_to_emit(scenario)
    k, rounds = scenario.num_speculative_tokens, outcome.num_rounds
    emitted = outcome.num_accepted_draft_tokens + rounds
    overshoot = float(exact.joint.sum(axis=0) @ np.arange(k + 1))
    assert exact.mean == close(rounds)
    assert emitted == close(outcome.mean_acceptance_length * rounds)
    assert emitted == close(scenario.output_tokens + overshoot)
    assert 1 - 1e-9 <= rounds <= scenario.output_tokens * (1 + 1e-9)


@given(scenarios)
def test_drafts_are_accepted_or_wasted(scenario):
    outcome, k = evaluate(scenario), scenario.num_speculative_tokens
    drafts, kept, wasted = outcome.num_draft_tokens, outcome.num_accepted_draft_tokens, outcome.num_wasted_draft_tokens
    assert drafts == close(k * outcome.num_rounds)
    assert wasted == close(drafts - kept, tiny=1e-6)
    assert wasted == close(rounds_to_emit(scenario).wasted_draft_tokens.mean, tiny=1e-6)
    assert wasted >= -1e-6
    assert outcome.wasted_per_token == close(wasted / (kept + outcome.num_rounds))
    assert outcome.wasted_ms == close(wasted * scenario.draft_ms)
    assert outcome.wasted_ms_per_token == close(outcome.wasted_per_token * scenario.draft_ms)
    if k:
        assert outcome.draft_acceptance_rate == close(kept / drafts)


@given(scenarios)
def test_totals_are_those_of_the_exact_distribution(scenario):
    outcome, total = evaluate(scenario), rounds_to_emit(scenario).total_ms
    assert outcome.total_ms == close(total.mean) == close(outcome.num_rounds * outcome.round_ms)
    assert [outcome.total_ms_low, outcome.total_ms_high] == total.quantile([0.05, 0.95]).tolist()
    assert outcome.baseline_ms == scenario.output_tokens * scenario.target_ms
    assert outcome.accepted_tokens_per_ms == close(outcome.num_accepted_draft_tokens / outcome.total_ms, tiny=1e-15)


@given(scenarios, st.floats(0, 1), st.floats(0, 1))
def test_more_acceptance_is_never_slower(scenario, one, other):
    low, high = (evaluate(scenario.replace(alpha=alpha)) for alpha in sorted((one, other)))
    assert low.speedup <= high.speedup * (1 + 1e-12)
    assert low.num_rounds >= high.num_rounds * (1 - 1e-9)
    assert low.wasted_per_token >= high.wasted_per_token - 1e-9


@given(scenarios)
def test_alpha_needed_is_the_break_even_before_the_vocabulary_loss(scenario):
    outcome, overlap = evaluate(scenario), scenario.vocabulary_overlap
    effective, needed = outcome.break_even_alpha, outcome.alpha_needed
    if effective is None or effective > overlap:
        assert needed is None
    else:
        assert 0 <= needed <= 1
        assert needed * overlap == close(effective)
        at = evaluate(scenario.replace(alpha=needed))
        assert at.speedup == close(1, rel=1e-6) or (effective == 0 and at.cost_ratio <= 1 + 1e-12)


def test_alpha_needed_by_hand():
    effective = evaluate(Scenario()).break_even_alpha
    assert evaluate(Scenario(vocabulary_overlap=0.5)).alpha_needed == close(effective / 0.5)
    assert evaluate(Scenario(vocabulary_overlap=0.5)).break_even_alpha == effective
    assert evaluate(Scenario(vocabulary_overlap=0.4)).alpha_needed is None  # 0.408 / 0.4 is beyond 1
    assert evaluate(Scenario(vocabulary_overlap=0)).alpha_needed is None
    assert evaluate(Scenario(vocabulary_overlap=0, draft_ms=0)).alpha_needed == 0


@given(scenarios)
def test_nothing_is_infinite_or_not_a_number(scenario):
    outcome = evaluate(scenario)
    values = [getattr(outcome, name) for name in DECLARED]
    assert all(math.isfinite(value) for value in values if value is not None)


# The verdict

VERDICTS = {
    "the article": ({}, "pays", "A round emits 2.38 tokens and costs only 1.68 plain decoding steps."),
    "its 40 %": ({"alpha": 0.4}, "too_close", "inside that spread"),
    "too few accepted": (
        {"alpha": 0.2},
        "does_not_pay",
        "A round emits 1.25 tokens but costs 1.68 plain decoding steps.",
    ),
    "none accepted": ({"alpha": 0}, "does_not_pay", "A round emits 1.00 tokens but costs 1.68 plain decoding steps."),
    "all accepted": ({"alpha": 1}, "pays", "A round emits 6.00 tokens"),
    "no overlap": ({"vocabulary_overlap": 0}, "does_not_pay", "emits 1.00 tokens"),
    "off": ({"num_speculative_tokens": 0}, "off", "Nothing is drafted"),
    "long drafts": ({"num_speculative_tokens": 64}, "does_not_pay", "emits 2.50 tokens but costs 9.73"),
    "long drafts, all accepted": ({"num_speculative_tokens": 64, "alpha": 1}, "pays", "emits 65.00 tokens"),
    "huge overhead": ({"overhead_ms": 500}, "does_not_pay", "but can emit 6 tokens at most: no acceptance would pay"),
    "huge overhead, all accepted": ({"overhead_ms": 500, "alpha": 1}, "does_not_pay", "no acceptance would pay"),
    "a draft as slow as the target": ({"draft_ms": 22}, "does_not_pay", "costs 6.00 plain decoding steps"),
    "even at best": ({"draft_ms": 22, "alpha": 1, "output_tokens": 3996}, "too_close", "inside that spread"),
    "free, none accepted": ({"draft_ms": 0, "alpha": 0}, "too_close", "inside that spread"),
    "free, some accepted": ({"draft_ms": 0, "alpha": 0.1}, "pays", "costs only 1.00 plain decoding steps"),
    "one token": ({"output_tokens": 1}, "does_not_pay", ""),
    "one token, free": ({"output_tokens": 1, "draft_ms": 0}, "too_close", "inside that spread"),
    "shorter than a round": ({"output_tokens": 4, "alpha": 0.99}, "pays", "emits 5.85 tokens"),
}


@pytest.mark.parametrize(("changes", "kind", "reason"), VERDICTS.values(), ids=VERDICTS)
def test_verdict(changes, kind, reason):
    verdict = evaluate(Scenario().replace(**changes)).verdict
    assert (verdict.kind, reason in str(verdict.reason)) == (kind, True), str(verdict.reason)


def test_a_short_output_that_does_not_pay_gives_a_reason_that_says_so():
    """One round of 37 ms for one token of 22 ms: that a round emits 2.38 tokens and costs 1.68 is no reason."""
    assert "emits 2.38 tokens but costs 1.68" not in str(evaluate(Scenario(output_tokens=1)).verdict.reason)


@given(scenarios)
def test_the_verdict_agrees_with_the_numbers(scenario):
    outcome = evaluate(scenario)
    if outcome.verdict.kind == "pays":
        assert outcome.total_ms_high < outcome.baseline_ms and outcome.speedup > 1
    if outcome.verdict.kind == "does_not_pay":
        assert outcome.total_ms > outcome.baseline_ms
    if outcome.verdict.kind == "too_close":
        crossed = outcome.total_ms_low <= outcome.baseline_ms <= outcome.total_ms_high
        assert crossed or abs(outcome.mean_acceptance_length / outcome.cost_ratio - 1) < CLOSE
    assert ("no acceptance would pay" in str(outcome.verdict.reason)) == (
        outcome.break_even_alpha is None and scenario.num_speculative_tokens > 0
    )


@pytest.mark.parametrize("target_ms", [0.1, 0.3, 7, 21.7, 33.3])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 7, 16, 64])
def test_reason_and_break_even_agree_when_the_draft_is_as_slow_as_the_target(k, target_ms):
    outcome = evaluate(Scenario(target_ms=target_ms, draft_ms=target_ms, num_speculative_tokens=k))
    assert outcome.break_even_alpha == pytest.approx(1, abs=1e-9)
    assert "no acceptance would pay" not in str(outcome.verdict.reason)


# Declarations


def test_every_number_is_declared():
    assert [field.name for field in dataclasses.fields(Outcome)] == ["verdict", *DECLARED]
    assert len({declared.label for declared in DECLARED.values()}) == len(DECLARED)


@pytest.mark.parametrize("name", DECLARED)
def test_a_number_has_label_definition_and_format(name):
    declared = DECLARED[name]
    assert isinstance(declared, Quantity) and declared.label and declared.help.endswith(".")
    assert declared.show(getattr(evaluate(Scenario()), name)) not in ("", "–")
    assert declared.show(None) == "–"
    assert (declared.unit == "ms") == ("_ms" in name and "per_ms" not in name)


def test_off_shows_a_dash_for_what_is_unknown():
    off = evaluate(Scenario(num_speculative_tokens=0))
    dashes = {name for name, declared in DECLARED.items() if declared.show(getattr(off, name)) == "–"}
    assert dashes == {"draft_acceptance_rate", "break_even_alpha", "alpha_needed"}
