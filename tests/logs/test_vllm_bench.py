"""Benchmark results, answers of single requests, the offline example and configurations of vLLM."""

import json

import pytest

from specmodel import logs
from specmodel.logs import LogError
from tests.logs.shared import lines, notes, read, sample

SPEC = json.loads(read("vllm-bench-serve-spec.json"))
BASELINE = json.loads(read("vllm-bench-serve-baseline.json"))
CONSOLE = read("vllm-bench-serve-console.txt")
ANSWER = json.loads(read("vllm-per-request-metrics.json"))
DETAILED = json.loads(read("vllm-per-request-metrics-detailed.json"))
OFFLINE = read("vllm-offline-example.txt")


def without(found, *names):
    return {key: value for key, value in found.items() if not key.startswith(names)}


@pytest.mark.parametrize("name", ["vllm-bench-serve-spec.json", "vllm-bench-serve-console.txt"])
def test_bench_serve(name):
    stats = sample(name)
    assert stats.engine == "vLLM"
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (3660, 10980, 6588)
    assert stats.num_speculative_tokens == 3
    assert stats.accepted_per_position == (2782, 2159, 1647)
    assert stats.per_position_acceptance == pytest.approx((0.7601092896174864, 0.5898907103825136, 0.45))
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.draft_acceptance_rate == pytest.approx(0.6)
    assert (stats.window_s, stats.num_requests, stats.generated_tokens) == (12.04, 40, 10240)
    assert (stats.itl_ms, stats.step_ms, stats.batch_size, stats.peak_tokens_per_s) == (12.5, 12.5, 4, 332)
    assert stats.tpot_ms == pytest.approx(4.485, abs=0.0051)
    assert stats.tokens_per_step == pytest.approx(2.7870680044593086, abs=0.004)
    assert stats.output_tokens_per_s == pytest.approx(850.498338870432, abs=0.0051)
    assert stats.ttft_ms == pytest.approx(60.1)
    assert "48 tokens more" in notes(stats)
    assert "peak throughput (332.0 tokens/s) is below the mean" in notes(stats)
    assert [(each.value, each.definition) for each in stats.printed] == [
        (0.6, "accepted_per_drafted"),
        (2.8, "length_with_bonus"),
    ]


def test_bench_serve_baseline():
    stats = sample("vllm-bench-serve-baseline.json")
    assert not stats.speculation
    assert (stats.tpot_ms, stats.step_ms, stats.num_steps) == (9.8, 9.8, 10200)
    assert stats.tokens_per_step == 1
    assert stats.output_tokens_per_s == pytest.approx(400.9397024275646)
    speculating = sample("vllm-bench-serve-spec.json")
    assert speculating.output_tokens_per_s / stats.output_tokens_per_s == pytest.approx(2.121262458471761)
    assert stats.notes == ()


def test_old_result_of_a_run_that_speculated():
    stats = logs.parse(lines(without(SPEC, "spec_decode")))
    assert stats.speculation
    assert stats.num_rounds is None
    assert stats.tokens_per_step == pytest.approx(12.5 / 4.485)
    assert "2.79 times" in notes(stats)


def test_pretty_printed_result_and_save_detailed():
    detailed = SPEC | {"itls": [[0.0125] * 91] * 40, "ttfts": [0.06] * 40, "generated_texts": ["…"] * 40}
    stats = logs.parse(json.dumps(detailed, indent=2))
    assert stats.num_steps == 3640
    assert stats.tokens_per_step == pytest.approx(10200 / 3640)


def test_appended_runs_of_one_setting_are_added_up():
    stats = logs.parse(lines(SPEC, SPEC | {"mean_ttft_ms": 80.1}))
    assert (stats.num_rounds, stats.num_requests, stats.parts) == (7320, 80, ())
    assert stats.ttft_ms == pytest.approx(70.1)
    assert stats.output_tokens_per_s == pytest.approx(SPEC["output_throughput"])
    assert logs.parse(lines(BASELINE, BASELINE | {"mean_itl_ms": 10.0})).step_ms == pytest.approx(9.9)


def test_appended_runs_of_several_settings_stay_apart():
    stats = logs.parse(lines(BASELINE, SPEC | {"max_concurrency": 8}, SPEC, BASELINE))
    assert stats.parts_are_settings
    assert [each.label for each in stats.parts] == [
        "k=0, max_concurrency=4",
        "k=0, max_concurrency=4",
        "k=3, max_concurrency=8",
        "k=3, max_concurrency=4",
    ]
    assert [each.num_requests for each in stats.parts] == [40, 40, 40, 40]
    assert (stats.batch_size, stats.num_rounds, stats.speculation) == (4, 3660, True)


def test_run_without_a_completed_request():
    failed = SPEC | {"completed": 0, "total_output_tokens": 0}
    with pytest.raises(LogError, match="line 1: no request"):
        logs.parse(lines(failed))
    assert logs.parse(lines(failed, SPEC)).num_rounds == 3660
    assert "3 requests failed" in notes(logs.parse(lines(SPEC | {"failed": 3})))


def test_other_traffic_during_the_run_is_noted():
    assert "other requests reached the server" in notes(logs.parse(lines(SPEC | {"total_output_tokens": 10000})))
    assert "tokens more" not in notes(logs.parse(lines(SPEC | {"total_output_tokens": 10400})))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spec_decode_acceptance_rate": 70.0}, "line 2: draft acceptance rate is printed as 0.7"),
        ({"spec_decode_acceptance_rate": 0.6}, "line 2: draft acceptance rate"),
        ({"spec_decode_acceptance_length": 1.8}, "line 2: mean acceptance length .* 1.8, .* 2.8"),
        ({"spec_decode_accepted_tokens": 11000}, "line 2"),
        ({"spec_decode_draft_tokens": 12000}, "line 2"),
        ({"spec_decode_per_position_acceptance_rates": [0.76, 0.59, 0.55]}, "line 2: the rates .* 6,588"),
        ({"spec_decode_per_position_acceptance_rates": [76.0, 59.0, 45.0]}, "line 2: .*share between 0 and 1"),
        ({"spec_decode_num_drafts": "many"}, "line 2: spec_decode_num_drafts is many"),
        ({"spec_decode_num_drafts": 1e300}, "line 2: .*more than can have been counted"),
        ({"duration": None, "mean_itl_ms": float("nan")}, "line 2: mean_itl_ms is nan"),
    ],
)
def test_result_that_contradicts_itself_is_refused(change, message):
    with pytest.raises(LogError, match=message):
        logs.parse(lines(SPEC, SPEC | change))


def test_console_of_several_runs():
    slower = CONSOLE.replace("concurrency:             4 ", "concurrency:             8 ")
    stats = logs.parse(f"some text before\n{CONSOLE}\n{slower}{CONSOLE}")
    assert [(each.batch_size, each.num_rounds) for each in stats.parts] == [(4, 3660), (4, 3660), (8, 3660)]
    assert stats.num_rounds == 7320


def test_console_without_speculation():
    baseline = CONSOLE[: CONSOLE.index("---------------Speculative")].replace("12.50", "4.49")
    stats = logs.parse(baseline)
    assert (stats.speculation, stats.step_ms, stats.num_requests) == (False, 4.49, 40)


def test_copied_part_of_the_console():
    stats = logs.parse(CONSOLE[CONSOLE.index("---------------Inter") :])
    assert (stats.num_rounds, stats.step_ms, stats.num_requests) == (3660, 12.5, None)


def test_console_of_another_engine_is_not_claimed():
    foreign = (
        "============ Serving Benchmark Result ============\n"
        "Backend:                                 sglang\n"
        "Max request concurrency:                 4\n"
        "Successful requests:                     40\n"
        "Failed requests:                         0\n"
        "Total generated tokens:                  10240\n"
        "Output token throughput (tok/s):         850.50\n"
    )
    try:
        assert logs.parse(foreign).engine != "vLLM"
    except LogError as error:
        assert "vLLM" not in str(error)


def test_bench_latency():
    stats = sample("vllm-bench-latency.json")
    assert stats.request_ms == pytest.approx(574.1)
    assert (stats.speculation, stats.num_rounds) == (False, None)
    assert "does not print acceptance" in notes(stats)
    with pytest.raises(LogError, match=r"line 1: avg_latency is 0.7, .* 0.5"):
        logs.parse(lines({"avg_latency": 0.7, "latencies": [0.5, 0.5], "percentiles": {}}))


def test_bench_throughput_counts_prompt_tokens():
    stats = sample("vllm-bench-throughput.json")
    assert (stats.window_s, stats.num_requests, stats.output_tokens_per_s) == (24.6, 200, None)
    assert stats.printed[0].value == pytest.approx(6243.90243902439)
    assert "prompt tokens too" in notes(stats)


def test_answer_of_one_request():
    stats = sample("vllm-per-request-metrics.json")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert (stats.num_speculative_tokens, stats.accepted_per_position) == (3, (76, 59, 45))
    assert (stats.generated_tokens, stats.num_requests, stats.ttft_ms) == (281, 1, 61.2)
    assert (stats.itl_ms, stats.step_ms) == (12.5, 12.5)
    assert stats.tpot_ms == pytest.approx(1250 / 280)
    assert stats.tokens_per_step == pytest.approx(2.8)
    assert stats.units.kind == "requests"


def test_detailed_answer_has_its_rounds_as_units():
    stats = sample("vllm-per-request-metrics-detailed.json")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4, 11, 7)
    assert stats.per_position_acceptance == (0.75, 0.75, 0.25)
    assert stats.drafted_per_position == (4, 4, 3)
    accepted, drafted = stats.accepted_per_position, stats.drafted_per_position
    assert [a / d for a, d in zip(accepted, drafted, strict=True)] == pytest.approx([0.75, 0.75, 1 / 3])
    assert stats.units.kind == "rounds"
    assert stats.units.counts[:, :3].tolist() == [[1, 3, 3], [1, 3, 2], [1, 3, 0], [1, 2, 2]]


def test_answers_of_several_requests():
    stats = logs.parse(lines(ANSWER, ANSWER, DETAILED))
    assert (stats.num_rounds, stats.num_requests) == (204, 3)
    assert stats.units is not None
    assert (stats.units.kind, stats.units.counts.shape) == ("requests", (3, 6))
    assert stats.drafted_per_position == (204, 204, 203)
    stream = f"data: {json.dumps(ANSWER)}\n\ndata: [DONE]\n"
    assert logs.parse(stream).num_rounds == 100
    assert logs.parse(json.dumps([ANSWER, ANSWER])).num_rounds == 200


def test_answers_without_counters():
    plain = json.loads(json.dumps(ANSWER))
    del plain["metrics"]["speculative_decoding"]
    stats = logs.parse(lines(plain))
    assert (stats.speculation, stats.step_ms, stats.num_requests) == (False, 12.5, 1)
    assert "1 answers without counters" in notes(logs.parse(lines(ANSWER, plain)))
    with pytest.raises(LogError, match="no numbers of speculative decoding"):
        logs.parse(lines(ANSWER | {"metrics": None}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"acceptance_histogram": [24, 17, 14, 46]}, "line 1: the histogram adds up to 101"),
        ({"num_accepted_draft_tokens": 181}, "line 1: .*180, but 181"),
        ({"num_draft_tokens": 301}, "line 1"),
        ({"mean_acceptance_length": 1.8}, "line 1: mean acceptance length is printed as 1.8"),
        ({"draft_acceptance_rate": 0.7}, "line 1: draft acceptance rate is printed as 0.7"),
        ({"num_spec_steps": True}, "line 1: num_spec_steps"),
        ({"per_step_accepted": [1, 2], "per_step_drafted": [3, 3]}, "line 1: the steps of the answer"),
        ({"per_step_accepted": {}, "per_step_drafted": []}, "line 1: per_step_accepted is no list"),
    ],
)
def test_answer_that_contradicts_itself_is_refused(change, message):
    block = ANSWER["metrics"]["speculative_decoding"] | change
    with pytest.raises(LogError, match=message):
        logs.parse(lines({"metrics": {"speculative_decoding": block}}))


def test_answer_without_a_round():
    block = {
        "mean_acceptance_length": None, "draft_acceptance_rate": None, "acceptance_histogram": [0, 0],
        "num_spec_steps": 0, "num_accepted_draft_tokens": 0, "num_draft_tokens": 0, "num_spec_tokens": 1,
    }  # fmt: skip
    stats = logs.parse(lines({"metrics": {"speculative_decoding": block}}))
    assert (stats.num_rounds, stats.mean_acceptance_length) == (0, None)


def test_offline_example():
    stats = sample("vllm-offline-example.txt")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (3660, 10980, 6588)
    assert (stats.num_speculative_tokens, stats.generated_tokens) == (3, 10240)
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.per_position_acceptance == pytest.approx((0.76, 0.59, 0.45), abs=0.001)
    assert logs.parse(OFFLINE + OFFLINE).num_rounds == 7320
    with pytest.raises(LogError, match=r"line 2: mean acceptance length is printed as 2\.9"):
        logs.parse(OFFLINE.replace("2.80", "2.90"))


@pytest.mark.parametrize("certain", ["acceptance at token 0:1.00\n", ""])
def test_offline_example_of_0_8_prints_ratios_only(certain):
    rates = "acceptance at token 1:0.76\nacceptance at token 2:0.59\nacceptance at token 3:0.45\n"
    stats = logs.parse(f"mean acceptance length: 2.80\n{certain}{rates}")
    assert (stats.estimated, stats.printed_length, stats.num_speculative_tokens) == (True, 2.8, 3)


def test_configuration_is_no_measurement():
    with pytest.raises(LogError, match=r"line 1: .*a configuration and not a measurement"):
        sample("vllm-speculative-config.json")
    with pytest.raises(LogError, match="a configuration and not a measurement"):
        logs.parse('{"method": "medusa", "num_speculative_tokens": 3, "model": "m"}')
