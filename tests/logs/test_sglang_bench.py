"""SGLang: JSON answers, files of its benchmarks, what those print, and the configuration that is no measurement."""

import json

import pytest

from specmodel import logs
from tests.logs.shared import EXPECTED, notes, printed, read, refused, sample

CONSOLE = """============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    inf
Max request concurrency:                 4
Successful requests:                     40
Benchmark duration (s):                  12.04
Total input tokens:                      20480
Total generated tokens:                  10240
Total generated tokens (retokenized):    10236
Request throughput (req/s):              3.32
Input token throughput (tok/s):          1701.00
Output token throughput (tok/s):         850.50
Peak output token throughput (tok/s):    1012.00
Concurrency:                             4.00
Accept length:                           2.80
----------------End-to-End Latency----------------
Mean E2E Latency (ms):                   1203.80
---------------Time to First Token----------------
Mean TTFT (ms):                          60.10
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          4.49
==================================================
"""


def record(name, **changes):
    first = read(name).splitlines()[0]
    return json.dumps(json.loads(first) | changes) + "\n"


def answer(**changes):
    found = json.loads(read("sglang-meta-info-current.json"))
    meta = found["meta_info"] | changes
    return {"text": "...", "meta_info": {name: value for name, value in meta.items() if value != "absent"}}


def units(stats):
    assert stats.units is not None
    assert stats.units.kind == "requests"
    return stats.units.counts.tolist()


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("sglang-meta-info-current.json", "0.5.12 or newer"),
        ("sglang-meta-info-0.5.10.json", "0.5.9–0.5.10"),
        ("sglang-openai-sglext.json", "0.5.12 or newer"),
    ],
)
def test_answer(name, version):
    expected = EXPECTED.get(name, EXPECTED["sglang-meta-info-current.json"])
    stats = sample(name)
    assert (stats.engine, stats.version, stats.estimated) == ("SGLang", version, False)
    assert stats.num_draft_tokens == expected["proposed"]
    assert stats.num_accepted_draft_tokens == expected["accepted"]
    assert (stats.num_rounds, stats.num_steps) == (expected["rounds"], expected["rounds"])
    assert stats.num_speculative_tokens == expected["k"]
    assert stats.mean_acceptance_length == pytest.approx(expected["al_incl_bonus"])
    assert stats.draft_acceptance_rate == pytest.approx(expected["rate"])
    assert stats.per_position_acceptance == pytest.approx(tuple(expected["per_pos"]))
    assert (stats.generated_tokens, stats.num_requests) == (280, 1)
    assert units(stats) == [[100, 300, 180, 76, 59, 45]]
    assert printed(stats)["spec_accept_rate"] == (0.6, "accepted_per_drafted")
    assert printed(stats)["spec_accept_length"] == (2.8, "length_with_bonus")


def test_latency_of_an_answer():
    stats = sample("sglang-meta-info-current.json")
    assert (stats.request_ms, stats.step_ms, stats.tpot_ms) == (1312, None, None)
    times = {"request_received_ts": 100.0, "prefill_finished_ts": 100.062, "decode_finished_ts": 101.312}
    stats = logs.parse(json.dumps(answer(**times)))
    assert stats.ttft_ms == pytest.approx(62)
    assert stats.step_ms == pytest.approx(12.5)
    assert stats.tpot_ms == pytest.approx(1250 / 279)


def test_answer_of_0_4_6():
    expected = EXPECTED["sglang-meta-info-0.4.6.json"]
    stats = sample("sglang-meta-info-0.4.6.json")
    assert (stats.num_rounds, stats.num_accepted_draft_tokens) == (expected["rounds"], expected["accepted"])
    assert stats.mean_acceptance_length == pytest.approx(expected["al_incl_bonus"])
    assert (stats.estimated, stats.version) == (True, "0.4")
    assert (stats.num_draft_tokens, stats.num_speculative_tokens) == (None, None)
    assert units(stats) == [[100, 0, 180]]
    assert "completion_tokens − spec_verify_ct" in notes(stats)


def test_answers_are_units():
    other = answer(
        completion_tokens=12, spec_verify_ct=10, spec_num_correct_drafts=2, spec_num_proposed_drafts=30,
        spec_accept_rate=2 / 30, spec_accept_length=1.2, spec_correct_drafts_histogram=[8, 2],
    )  # fmt: skip
    refused = answer(
        completion_tokens=6, spec_verify_ct=5, spec_num_correct_drafts=0, spec_num_proposed_drafts=15,
        spec_accept_rate=0.0, spec_accept_length=1.2, spec_correct_drafts_histogram=[5],
    )  # fmt: skip
    text = "".join(json.dumps(each) + "\n" for each in (answer(), other, refused))
    stats = logs.parse(text)
    assert units(stats) == [
        [100, 300, 180, 76, 59, 45],
        [10, 30, 2, 2, 0, 0],
        [5, 15, 0, 0, 0, 0],
    ]
    assert (stats.num_requests, stats.num_speculative_tokens) == (3, 3)
    assert stats.accepted_per_position == (78, 59, 45)
    assert logs.parse(json.dumps([answer(), other, refused])).num_rounds == 115


def test_aliases_of_0_5_14():
    old = {f"spec_{name}": "absent" for name in ("num_correct_drafts", "num_proposed_drafts")}
    stats = logs.parse(json.dumps(answer(spec_accepted_drafts=180, spec_proposed_drafts=300, **old)))
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (300, 180)
    assert stats.version == "0.5.12 or newer"


def test_streamed_answer_counts_once():
    chunks = [answer(finish_reason=None, completion_tokens=20 * n, spec_verify_ct=7 * n) for n in range(1, 4)]
    text = "".join(f"data: {json.dumps(each)}\n\n" for each in [*chunks, answer()]) + "data: [DONE]\n"
    assert logs.parse(text).num_rounds == 100


def test_choices_of_the_openai_api_with_meta_info():
    text = json.dumps({"object": "chat.completion", "choices": [{"index": 0, "meta_info": answer()["meta_info"]}]})
    assert logs.parse(text).num_rounds == 100


def test_printed_length_may_have_the_first_token_in_it():
    assert logs.parse(json.dumps(answer(completion_tokens=281, spec_accept_length=2.81))).num_rounds == 100
    assert logs.parse(json.dumps(answer(completion_tokens=278, spec_accept_length=2.78))).num_rounds == 100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"spec_accept_rate": 0.7}, "line 1: spec_accept_rate is 0.7, but the counters give 0.6"),
        ({"spec_accept_length": 3.8}, "line 1: spec_accept_length is 3.8, but the counters give 2.8"),
        ({"spec_num_correct_drafts": 301}, "line 1: 301 accepted draft tokens are more than the 300 drafted"),
        ({"spec_num_correct_drafts": 181}, "line 1: accepted by position adds up to 180, but 181 were accepted"),
        ({"spec_correct_drafts_histogram": [24, 17, 14, 44]}, "line 1: the histogram adds up to 99 rounds, but 100"),
        ({"spec_correct_drafts_histogram": [24, 17, 14, 44, 1]}, "accepted 4 draft tokens, but a round drafts 3"),
        ({"spec_verify_ct": "many"}, "line 1: spec_verify_ct is many"),
        ({"spec_correct_drafts_histogram": {}}, "line 1: spec_correct_drafts_histogram is no list of counts"),
    ],
)
def test_answer_that_contradicts_itself_is_refused(changes, message):
    assert message in refused(json.dumps(answer(**changes)))


def test_fewer_tokens_than_rounds_are_refused():
    text = '{"meta_info": {"completion_tokens": 50, "spec_verify_ct": 100}}'
    with pytest.raises(logs.LogError, match="line 1: 50 tokens from 100 rounds"):
        logs.parse(text)


def test_answer_without_speculation_is_a_baseline():
    plain = {"meta_info": {"id": "1", "finish_reason": {}, "completion_tokens": 280, "e2e_latency": 2.9}}
    stats = logs.parse(json.dumps(plain) + "\n")
    assert not stats.speculation
    assert (stats.request_ms, stats.generated_tokens) == (2900, 280)
    both = logs.parse(json.dumps(plain) + "\n" + json.dumps(answer()) + "\n")
    assert (both.num_rounds, both.num_requests) == (100, 1)
    assert "without speculation were left out" in notes(both)


def test_histogram_shorter_than_k_hints_at_a_tree():
    changes = {"spec_num_proposed_drafts": 1500, "spec_accept_rate": 0.12}
    stats = logs.parse(json.dumps(answer(**changes)))
    assert stats.num_speculative_tokens == 15
    assert "no round accepted more than 3 of 15" in notes(stats)


def test_drafts_of_varying_length_leave_k_open():
    stats = logs.parse(json.dumps(answer(spec_num_proposed_drafts=250, spec_accept_rate=0.72)))
    assert stats.num_speculative_tokens is None
    assert "k is open" in notes(stats)


def test_bench_serving():
    expected = EXPECTED["sglang-bench-serving.jsonl"]
    stats = sample("sglang-bench-serving.jsonl")
    assert stats.printed_length == pytest.approx(expected["al_incl_bonus"])
    assert stats.tpot_ms == pytest.approx(expected["tpot_ms"])
    assert stats.output_tokens_per_s == pytest.approx(expected["output_tps"])
    assert (stats.num_rounds, stats.num_speculative_tokens, stats.itl_ms) == (expected["rounds"], None, None)
    assert stats.step_ms == pytest.approx(4.485 * 2.8)
    assert (stats.num_requests, stats.generated_tokens, stats.window_s) == (40, 10240, 12.04)
    assert (stats.ttft_ms, stats.request_ms, stats.batch_size, stats.peak_tokens_per_s) == (60.1, 1203.8, 4, 1012)
    assert stats.label == "request rate inf, concurrency 4"


def test_bench_serving_without_speculation():
    stats = logs.parse(record("sglang-bench-serving.jsonl", accept_length=None))
    assert (stats.speculation, stats.step_ms, stats.printed_length) == (False, 4.485, None)


def test_bench_serving_with_several_settings():
    name = "sglang-bench-serving.jsonl"
    text = record(name, max_concurrency=16, concurrency=15.2) + record(name)
    stats = logs.parse(text + record(name, accept_length=None, output_throughput=400.0))
    assert stats.parts_are_settings
    assert [each.batch_size for each in stats.parts] == [15.2, 4, 4]
    assert (stats.batch_size, stats.speculation) == (4, True)


def test_bench_serving_that_kept_the_settings_of_the_server():
    info = {"speculative_num_steps": 3, "speculative_eagle_topk": 1, "speculative_num_draft_tokens": 4}
    assert logs.parse(record("sglang-bench-serving.jsonl", server_info=info)).num_speculative_tokens == 3


def test_bench_serving_of_another_engine_says_so():
    stats = logs.parse(record("sglang-bench-serving.jsonl", backend="vllm", accept_length=None))
    assert "another engine here: vllm" in notes(stats)


def test_bench_one_batch_server():
    stats = sample("sglang-bench-one-batch-server.jsonl")
    assert stats.printed_length == pytest.approx(2.8)
    assert stats.step_ms == pytest.approx(2.8 / 223.8 * 1000)
    assert (stats.ttft_ms, stats.request_ms, stats.batch_size) == (pytest.approx(60.1), 1204, 1)
    assert (stats.generated_tokens, stats.output_tokens_per_s) == (256, 223.8)
    assert stats.label == "batch 1, input 1024, output 256"


@pytest.mark.parametrize("length", [-1.0, 1.0, None])
def test_bench_one_batch_server_without_speculation(length):
    stats = logs.parse(record("sglang-bench-one-batch-server.jsonl", acc_length=length))
    assert (stats.speculation, stats.printed_length) == (False, None)
    assert stats.step_ms == pytest.approx(1000 / 223.8)


def test_bench_speculative():
    expected = EXPECTED["sglang-bench-speculative.jsonl"]
    stats = sample("sglang-bench-speculative.jsonl")
    parts = {each.label: each for each in stats.parts}
    plain = parts["k=0, batch 1"]
    assert not plain.speculation
    assert (plain.step_ms, plain.tpot_ms, plain.printed_length) == (pytest.approx(9.8), pytest.approx(9.8), None)
    for k, speedup in expected["speedup_bs1"].items():
        part = parts[f"k={k}, batch 1"]
        assert part.num_speculative_tokens == int(k)
        assert plain.tpot_ms / part.tpot_ms == pytest.approx(speedup, rel=1e-3)
        assert part.printed_length * plain.step_ms / part.step_ms == pytest.approx(speedup)
    assert (stats.num_speculative_tokens, stats.batch_size) == (expected["best_k_bs1"], 1)
    assert stats.parts_are_settings
    assert len(stats.parts) == 8
    assert (parts["k=3, batch 16"].batch_size, parts["k=3, batch 16"].step_ms) == (16, pytest.approx(18.9))


def test_bench_speculative_tree_is_labelled_and_not_the_main_setting():
    name = "sglang-bench-speculative.jsonl"
    tree = {"batch_size": 1, "steps": 3, "topk": 4, "num_draft_tokens": 16, "acc_length": 3.2, "step_time": 0.0125}
    stats = logs.parse(read(name) + record(name, **tree, speed=256.0))
    assert stats.label == "k=3, batch 1"
    labels = [each.label for each in stats.parts]
    assert labels.count("k=3, top-k 4, 16 draft tokens, batch 1") == 2
    assert "tree" in notes(stats)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"speed": 250.0}, "line 1: speed is 250, but acc_length ÷ step_time is 102.041"),
        ({"acc_length": 1.2, "speed": 122.449}, "line 1: acc_length is 1.2 and step_time 0.0098, expected 1 to 1"),
        ({"step_time": 0}, "step_time 0"),
        ({"steps": 9999, "topk": 1}, "9,999 draft tokens a round are more than 1,024"),
        ({"batch_size": True}, "line 1: batch_size is True"),
    ],
)
def test_bench_speculative_that_contradicts_itself_is_refused(changes, message):
    assert message in refused(record("sglang-bench-speculative.jsonl", **changes))


def test_specforge_results():
    stats = sample("specforge-bench-eagle3-results.jsonl")
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert (stats.num_speculative_tokens, stats.batch_size, stats.estimated) == (3, 1, True)
    assert (stats.window_s, stats.output_tokens_per_s) == (91.4, 224)
    assert stats.generated_tokens == pytest.approx(91.4 * 224)
    assert stats.num_rounds == pytest.approx(91.4 * 224 / 2.8)


def forge(steps=3, length=2.8, speed=224.0, topk=1, draft_tokens=4, batch=1):
    metrics = [{"latency": 100.0, "output_throughput": speed, "accept_length": length, "accuracy": None}]
    keys = {"batch_size": batch, "steps": steps, "topk": topk, "num_draft_tokens": draft_tokens}
    return keys | {"metrics": metrics, "num_samples": 80}


def test_benchmarks_of_specforge_are_groups():
    stats = logs.parse(json.dumps({"model": "m", "mtbench": [forge()], "gsm8k": [forge(length=3.5, speed=280.0)]}))
    assert not stats.parts_are_settings
    assert [each.label for each in stats.parts] == ["mtbench", "gsm8k"]
    assert stats.mean_acceptance_length == pytest.approx((22400 + 28000) / (8000 + 8000))


def test_settings_of_specforge_are_no_sum():
    rows = [forge(0, 1.0, 100.0, 0, 0), forge(), forge(5, 3.0, 200.0, 1, 6)]
    stats = logs.parse(json.dumps({"model": "m", "mtbench": rows}))
    assert stats.parts_are_settings
    assert [each.label for each in stats.parts] == ["k=0, batch 1", "k=3, batch 1", "k=5, batch 1"]
    assert stats.label == "k=3, batch 1"
    assert not stats.parts[0].speculation


def test_adaptive_configuration_is_no_measurement():
    with pytest.raises(
        logs.LogError, match=r"line 1: this is a configuration of adaptive speculation.*candidate_steps"
    ):
        sample("sglang-adaptive-config.json")


@pytest.mark.parametrize(
    ("name", "key"), [("sglang-send-one.txt", "acc_length"), ("sglang-mtbench.txt", "Acceptance length")]
)
def test_printed_results(name, key):
    stats = sample(name)
    assert (stats.printed_length, stats.output_tokens_per_s, stats.label) == (2.8, 224, "")
    assert printed(stats) == {key: (2.8, "length_with_bonus")}
    assert stats.num_speculative_tokens is None


def test_printed_acceptance_length_of_bench_one_batch_server():
    assert logs.parse("batch size: 1\nacc_length: 2.42 \n").printed_length == 2.42


def test_printed_one_means_no_speculation():
    stats = logs.parse("acc_length=1.00\nspeed=102.04 token/s\n")
    assert (stats.speculation, stats.output_tokens_per_s) == (False, 102.04)
    assert "printed without speculation" in notes(stats)


def test_printed_runs_are_kept_apart():
    stats = logs.parse("acc_length=2.80\nspeed=224.00 token/s\nacc_length=2.00\nspeed=160.00 token/s\n")
    assert [each.printed_length for each in stats.parts] == [2.8, 2.0]
    with pytest.raises(logs.LogError, match=r"line 1: the acceptance length is 0\.80"):
        logs.parse("acc_length=0.80\n")


def test_console_of_bench_serving():
    stats = logs.parse(CONSOLE)
    assert stats.engine == "SGLang"
    assert (stats.printed_length, stats.tpot_ms) == (2.8, 4.49)
    assert stats.step_ms == pytest.approx(4.49 * 2.8)
    assert (stats.num_requests, stats.generated_tokens, stats.window_s) == (40, 10240, 12.04)
    assert (stats.output_tokens_per_s, stats.peak_tokens_per_s, stats.batch_size) == (850.5, 1012, 4)
    assert (stats.request_ms, stats.ttft_ms) == (1203.8, 60.1)
    assert logs.parse("Accept length:                           2.80\n").printed_length == 2.8


def test_console_without_speculation_and_with_several_reports():
    plain = CONSOLE.replace("Accept length:                           2.80\n", "")
    stats = logs.parse(plain)
    assert (stats.speculation, stats.step_ms) == (False, 4.49)
    both = logs.parse(plain + CONSOLE)
    assert both.parts_are_settings
    assert both.printed_length == 2.8


@pytest.mark.parametrize("text", ["Backend: cuda\n", "Concurrency: 4\n", "12.5 token/s\n", "speed=10.00 token/s\n"])
def test_lines_that_any_tool_could_print_are_no_result(text):
    with pytest.raises(logs.LogError, match="no numbers of speculative decoding were found"):
        logs.parse(text)


def test_report_about_another_engine_is_no_result():
    with pytest.raises(logs.LogError):
        logs.parse("Backend:                                 vllm\nAccept length:                           2.80\n")
