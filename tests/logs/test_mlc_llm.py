"""MLC-LLM: counts by step, times by batch size."""

import json
from pathlib import Path

import pytest

from specmodel.logs import parse
from tests.logs.shared import refused

METRICS = json.loads((Path(__file__).parent / "samples" / "mlc-metrics.json").read_text(encoding="utf-8"))


def with_spec(**changes):
    return json.dumps({**METRICS, "spec_decode": {**METRICS["spec_decode"], **changes}})


def test_counts_without_the_certain_step():
    stats = parse(json.dumps(METRICS))
    assert (stats.engine, stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (
        "MLC-LLM", 4000, 12000, 7200,
    )  # fmt: skip
    assert (stats.num_speculative_tokens, stats.mean_acceptance_length) == (3, 2.8)
    assert stats.per_position_acceptance == (0.76, 0.59, 0.45)
    assert stats.generated_tokens == 11240


def test_printed_numbers_say_what_they_are():
    stats = parse(json.dumps(METRICS))
    conditional = [each.value for each in stats.printed if each.definition == "conditional"]
    assert conditional == pytest.approx([0.76, 0.7763157894736842, 0.7627118644067796])
    assert [each.value for each in stats.printed if each.definition == "length_with_bonus"] == [2.8]


def test_times():
    stats = parse(json.dumps(METRICS))
    assert (stats.draft_ms, stats.verify_ms, stats.step_ms) == pytest.approx((3 * 1.05, 9.1, 12.25))
    assert stats.batch_size == 1


def test_times_are_weighted_by_how_often_a_batch_size_was_seen():
    times = {"mean{batch_size=1}": 0.001, "count{batch_size=1}": 300, "mean{batch_size=2}": 0.002}
    text = json.dumps({**METRICS, "draft_time_by_batch_size": {**times, "count{batch_size=2}": 100}})
    stats = parse(text)
    assert (stats.draft_ms, stats.batch_size) == pytest.approx((3.75, 1.25))


def test_plain_decoding_is_a_baseline_of_its_own():
    plain = {"mean{batch_size=1}": 0.0098, "count{batch_size=1}": 50}
    stats = parse(json.dumps({**METRICS, "decode_time_by_batch_size": plain}))
    assert stats.parts_are_settings and stats.num_rounds == 4000
    (part,) = (part for part in stats.parts if not part.speculation)
    assert (part.label, part.step_ms) == pytest.approx(("plain decoding", 9.8))
    assert any("9.8 ms" in str(each) for each in stats.notes)


def test_metrics_without_speculation():
    plain = {"mean{batch_size=1}": 0.0098, "count{batch_size=1}": 50}
    found = {key: value for key, value in METRICS.items() if key != "spec_decode"}
    stats = parse(json.dumps({**found, "decode_time_by_batch_size": plain}))
    assert (stats.speculation, stats.step_ms, stats.generated_tokens) == pytest.approx((False, 9.8, 11240))


def test_usage_of_an_answer():
    assert parse(json.dumps({"usage": {"total_tokens": 0, "extra": METRICS}})).num_rounds == 4000


def test_counters_since_the_start_are_not_added_up():
    stats = parse(f"{json.dumps(METRICS)}\n{json.dumps(METRICS)}\n")
    assert stats.num_rounds == 4000
    assert any("last of the objects" in str(each) for each in stats.notes)


def test_drafts_of_different_length():
    stats = parse(
        with_spec(
            draft_count=[4100, 4000, 3000],
            accept_count=[4100, 3040, 1800],
            accept_prob={},
            accept_rate={},
            accept_len={},
        )
    )
    assert (stats.num_speculative_tokens, stats.drafted_per_position) == (None, (4000, 3000))
    assert (stats.num_rounds, stats.num_draft_tokens) == (4000, 7000)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"accept_count": [4000, 3040, 2360]}, "line 1: draft_count and accept_count must be equally long"),
        ({"accept_count": [4000, 2360, 3040, 1800]}, "line 1: accept_prob{step=1} is printed as 0.76"),
        ({"accept_count": [4000, 4001, 2360, 1800]}, "line 1: step 1 accepted 4001 of 4000 drafts"),
        ({"draft_count": [4000, 4000, 4001, 4000]}, "line 1: draft_count may never rise"),
        ({"accept_rate": {"accept_rate{step=2}": 0.59}}, "line 1: accept_rate{step=2} is printed as 0.59"),
        ({"draft_count": [4000, "x", 1, 1]}, "line 1: draft_count is x, expected a number"),
    ],
)
def test_contradiction_is_refused(changes, said):
    assert said in refused(with_spec(**changes))
