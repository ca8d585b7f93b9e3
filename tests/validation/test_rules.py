"""Each rule on a point that was worked out by hand."""

from typing import Any

import pytest

from specmodel import engine
from specmodel.base.messages import SpecmodelError
from specmodel.validation.acceptance_rules import acceptance_points
from specmodel.validation.cost_rules import cost_points, fitted_points, other_text_points, parts_points
from specmodel.validation.engine_rule import engine_points, stats_of
from specmodel.validation.length_rules import length_points
from specmodel.validation.load_rules import calibrated_points, load_points
from specmodel.validation.points import Row
from specmodel.validation.rules import judge


def by_rule(points):
    return {point.rule: point for point in points}


def test_leviathan_theorem_3_8():
    row = Row("a", k=7, alpha=0.75, draft_ratio=0.02, speedup=3.4)
    point = by_rule(acceptance_points(row))["one_alpha"]
    assert point.predicted == pytest.approx(3.157, abs=5e-4)  # (1 − .75^8) / .25 / 1.14
    assert not point.unreachable
    assert by_rule(acceptance_points(Row("a", k=5, alpha=0.65, draft_ratio=0.02, speedup=3.1)))["one_alpha"].unreachable


def test_eagle_chain_by_position():
    row = Row("a", k=5, conditional=(0.79, 0.74, 0.72, 0.73, 0.67), tau=3.2)
    assert by_rule(acceptance_points(row))["by_position"].predicted == pytest.approx(3.309, abs=5e-4)


def test_free_verification_promises_the_tokens_of_a_round():
    point = by_rule(acceptance_points(Row("a", tau=4.83, speedup=4.26)))["free"]
    assert point.error == pytest.approx(4.83 / 4.26 - 1)


def test_positions_that_were_counted_with_the_length_do_not_judge_it():
    assert list(acceptance_points(Row("a", k=2, per_position=(0.6, 0.3)))) == []


def test_times_of_a_round_magicdec():
    row = Row("a", tau=3.0, plain_ms=36.62, draft_ms=44.11, verify_ms=45.12, speedup=1.21)
    assert by_rule(parts_points(row))["parts"].predicted == pytest.approx(1.231, abs=5e-4)


def test_a_shorter_length_by_prefix_and_replay():
    given = Row("a", group="g", k=3, per_position=(0.5, 0.25, 0.2), tau=1.95)
    found = by_rule(length_points(given, Row("a", group="g", k=1, tau=1.6)))
    assert found["prefix"].predicted == 1.5
    # the rounds keep 0 (.5), 1 (.25), 2 (.05) or 3 (.2) drafts: 1, 1, 2 and 4/2 rounds of one draft
    assert found["replay"].predicted == pytest.approx(1.95 / (0.5 + 0.25 + 0.1 + 0.4))
    assert found["replay"].held


def test_a_longer_length_lies_between_one_alpha_and_the_last_position_carried_on():
    given = Row("a", group="g", k=2, per_position=(0.6, 0.3))
    found = by_rule(length_points(given, Row("a", group="g", k=4, tau=2.2)))
    assert found["carried"].predicted == pytest.approx(1 + 0.6 + 0.3 + 0.15 + 0.075)
    ends = sorted((found["carried"].predicted, found["one_alpha_elsewhere"].predicted))
    assert found["longer"].predicted == pytest.approx(sum(ends) / 2)
    assert found["longer"].low < ends[0] and ends[1] < found["longer"].high


def test_the_cost_of_a_round_at_another_length():
    given, asked = Row("a", group="g", k=4, tau=2.8, speedup=2.0), Row("a", group="g", k=2, tau=2.0, speedup=1.6)
    found = by_rule(cost_points(given, asked))  # rho is 1.4 at k = 4
    assert found["straight_line"].predicted == pytest.approx(1.2)
    assert found["fixed_per_draft"].predicted == pytest.approx(1.3)
    assert (found["fixed_per_draft"].low, found["fixed_per_draft"].high) == pytest.approx((1.2, 1.4))
    assert found["fixed_per_draft"].measured == pytest.approx(1.25)


def test_a_fit_needs_two_other_lengths():
    rows = [Row("a", group="g", k=k, tau=2.0, speedup=2.0 / (1.2 + 0.1 * k)) for k in (1, 3, 5)]
    assert list(fitted_points(rows[0], rows[1:2])) == []
    (point,) = fitted_points(rows[1], [rows[0], rows[2]])
    assert point.predicted == pytest.approx(1.5) and point.held


def test_the_cost_of_a_round_carried_to_another_text():
    chat, code = Row("a", group="g", text="chat", k=3, tau=2, speedup=1.6), Row("a", group="g", text="code", k=3, tau=3)
    assert list(other_text_points(chat, code)) == []  # nothing measured to compare with
    (point,) = other_text_points(chat, Row("a", group="g", text="code", k=3, tau=3, speedup=2.5))
    assert point.predicted == pytest.approx(2.4)


def test_the_engine_rule_says_what_the_product_says():
    given = Row("a", group="g", k=3, per_position=(0.76, 0.59, 0.45), rounds=100, plain_ms=9.8, round_ms=12.5)
    asked = Row("a", group="g", k=1, tau=1.8, speedup=1.5)
    stats = stats_of(given)
    assert stats is not None
    product = engine.answer(stats, plain_ms=9.8, round_ms=12.5).lengths[1]
    assert product.speedup is not None
    tokens, speedup = engine_points(given, [asked])
    assert (tokens.predicted, tokens.low) == (product.tokens_per_step.value, product.tokens_per_step.low)
    assert (speedup.predicted, speedup.high) == (product.speedup.value, product.speedup.high)


def test_a_run_that_the_product_refuses_gives_no_points():
    assert list(engine_points(Row("a", group="g", tau=2.0), [Row("a", group="g", k=1, tau=1.5)])) == []


MACHINE: dict[str, Any] = {"model": "llama31_8b", "accelerator": "h100_sxm", "context": 500}


def test_costs_under_load_need_model_accelerator_batch_and_context():
    assert list(load_points(Row("a", batch=1, plain_ms=6.3, model="llama31_8b"))) == []
    found = by_rule(load_points(Row("a", batch=1, plain_ms=6.316, **MACHINE)))
    read = (16.06e9 + 500 * 131072) / (3350e9 * 0.886) * 1e3
    assert found["roofline"].predicted == pytest.approx(read + 32 * 0.076, rel=0.01)
    assert found["roofline"].half_width is not None and found["roofline"].half_width > 0.1
    assert found["operators"].predicted == pytest.approx(6.2, rel=0.05)


def test_operators_are_those_of_the_named_engine():
    rows = [Row("a", batch=64, plain_ms=9.0, engine=engine, **MACHINE) for engine in ("", "vllm", "sglang")]
    usual, vllm, sglang = (by_rule(load_points(row))["operators"].predicted for row in rows)
    assert usual == vllm != sglang


def test_a_calibrated_pass_meets_the_step_it_was_given():
    for given in (5.0, 9.0, 30.0):
        first = Row("a", group="g", batch=1, plain_ms=given, **MACHINE)
        (same,) = calibrated_points([first, Row("a", group="g", batch=1.0001, plain_ms=given, **MACHINE)])
        assert same.predicted == pytest.approx(given, rel=0.01)


def test_a_calibrated_round_meets_the_speedup_it_was_given():
    rows = [
        Row("a", group="g", k=3, conditional=(0.8, 0.8, 0.8), speedup=1.8, draft_ms=2.0, batch=batch, **MACHINE)
        for batch in (2, 2.0001)
    ]
    (same,) = calibrated_points(rows)
    assert same.predicted == pytest.approx(1.8, rel=0.01) and same.half_width is not None


def test_more_pairs_than_anybody_waits_for_are_refused():
    rows = [Row("a", group="g", k=1 + place % 50, tau=1.5) for place in range(50)]
    with pytest.raises(SpecmodelError, match="pairs of draft lengths predict each other; at most 800 are judged"):
        judge(rows)


def test_rows_predict_each_other_in_their_group_only():
    rows = [Row("a", group=group, k=k, tau=1.5 + 0.1 * k) for group in ("g", "h", "") for k in (1, 3)]
    pairs = [point for point in judge(rows) if point.rule == "one_alpha_elsewhere"]
    assert len(pairs) == 4
