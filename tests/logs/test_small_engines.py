"""Engines and benchmarks with one small format each."""

import json
from itertools import count

import pytest

from specmodel.logs import parse
from tests.logs.shared import lines, read, refused

# Text Generation Inference


def test_tgi():
    stats = parse(read("tgi-metrics.prom"))
    assert (stats.num_accepted_draft_tokens, stats.num_rounds, stats.num_requests) == (7200, 4000, 40)
    assert (stats.mean_acceptance_length, stats.tokens_per_step) == (2.8, 2.8)
    assert (stats.generated_tokens, stats.num_draft_tokens, stats.num_speculative_tokens) == (11240, None, None)
    assert stats.tpot_ms == pytest.approx(4.485)
    assert "--speculate" in str(stats.notes[0])


def test_tgi_without_the_number_of_requests():
    stats = parse("\n".join(line for line in read("tgi-metrics.prom").splitlines() if "duration" not in line) + "\n")
    assert (stats.num_rounds, stats.mean_acceptance_length, stats.num_accepted_draft_tokens) == (None, None, 7200)


def test_tgi_step_time_is_that_of_decoding_batches():
    forward = "# TYPE tgi_batch_forward_duration histogram\n" + "".join(
        f'tgi_batch_forward_duration_{what}{{method="{method}"}} {value}\n'
        for method, what, value in (
            ("prefill", "sum", 9),
            ("prefill", "count", 9),
            ("decode", "sum", 50),
            ("decode", "count", 4000),
        )
    )
    assert parse(read("tgi-metrics.prom") + forward).step_ms == 12.5


def test_tgi_that_skips_nothing_is_a_baseline():
    stats = parse(read("tgi-metrics.prom").replace("_sum 7200", "_sum 0"))
    assert (stats.speculation, stats.tpot_ms) == pytest.approx((False, 4.485))


def test_tgi_with_more_requests_than_steps_is_refused():
    assert "5,000 requests are more than the 4,040 steps" in refused(
        read("tgi-metrics.prom").replace("duration_count 40", "duration_count 5000")
    )


# mlx-lm


def test_mlx_lm_dump():
    stats = parse(read("mlx-lm-from_draft.jsonl"))
    assert (stats.num_rounds, stats.num_accepted_draft_tokens, stats.generated_tokens) == (5, 7, 12)
    assert (stats.mean_acceptance_length, stats.accepted_per_position) == (2.4, (4, 2, 1))
    assert stats.num_draft_tokens is None
    assert stats.units is not None and stats.units.counts[:, 2].tolist() == [2, 1, 0, 3, 1]


def test_mlx_lm_dump_whose_last_round_lacks_the_token_of_the_target():
    stats = parse(lines(*({"token": 1, "from_draft": drafted} for drafted in (True, False, True, True))))
    assert (stats.num_rounds, stats.num_accepted_draft_tokens) == (2, 3)
    assert "generation stopped" in str(stats.notes[1])


def test_mlx_lm_dump_without_a_draft_is_a_baseline():
    assert not parse(lines({"token": 1, "from_draft": False}, {"token": 2, "from_draft": False})).speculation


def test_mlx_lm_dump_with_another_value_is_refused():
    assert "line 1: from_draft is 3, expected true or false" in refused(lines({"token": 1, "from_draft": 3}))


def test_mlx_lm_print():
    stats = parse(read("mlx-lm-generate.txt"))
    assert (stats.speculation, stats.generated_tokens, stats.output_tokens_per_s) == (False, 281, 35.648)
    assert (stats.memory_gb, stats.tpot_ms) == pytest.approx((18.204, 1000 / 35.648))
    assert "never prints acceptance" in str(stats.notes[0])


def test_mlx_lm_prints_are_weighted_by_time():
    text = "Generation: 100 tokens, 50.000 tokens-per-sec\nGeneration: 100 tokens, 25.000 tokens-per-sec\n"
    assert parse(text).output_tokens_per_s == pytest.approx(200 / 6)


# Ollama


def test_ollama():
    stats = parse(read("ollama-mlx.log"))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert (stats.mean_acceptance_length, stats.mean_draft_length, stats.num_speculative_tokens) == (2.8, 3, None)
    assert [each.value for each in stats.printed if each.definition == "conditional"] == [0.76, 0.78, 0.76]


def test_ollama_costs_by_depth():
    stats = parse(read("ollama-mlx.log"))
    assert stats.parts_are_settings
    assert [(part.label, part.step_ms, part.speculation) for part in stats.parts] == [
        ("k = 0", 10, False), ("k = 1", 11, True), ("k = 2", 12, True), ("k = 3", 13, True),
    ]  # fmt: skip
    assert stats.parts[3].printed_length == pytest.approx(1 + 0.76 * (1 + 0.78 * (1 + 0.76)))


def test_ollama_requests_are_units():
    first = read("ollama-mlx.log").splitlines(keepends=True)[0]
    stats = parse(first + first.replace("24.101", "25.101"))
    assert stats.units is not None and stats.units.kind == "requests" and len(stats.units.counts) == 2
    assert (stats.num_requests, stats.num_rounds, stats.parts) == (2, 200, ())


def test_ollama_with_a_fixed_depth():
    text = read("ollama-mlx.log").splitlines()[0].replace("max_draft=5", "max_draft=3") + "\n"
    assert parse(text).num_speculative_tokens == 3


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("acceptance=0.60", "acceptance=0.70", "line 1: acceptance is printed as 0.7, but the counters give 0.6"),
        ("avg_accepted=1.80", "avg_accepted=2.80", "line 1: avg_accepted is printed as 2.8, but the counters give 1.8"),
        ("avg_draft=3.00", "avg_draft=4.00", "line 1: avg_draft is printed as 4, but the counters give 3"),
    ],
)
def test_ollama_contradiction_is_refused(old, new, said):
    assert said in refused(read("ollama-mlx.log").replace(old, new))


# LM Studio


def test_lm_studio():
    stats = parse(read("lmstudio-stats.json"))
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_steps) == (300, 180, 100)
    assert (stats.num_rounds, stats.tokens_per_step, stats.draft_acceptance_rate) == (None, 2.8, 0.6)
    assert (stats.ttft_ms, stats.output_tokens_per_s, stats.generated_tokens) == (233, 110.9, 281)


def test_lm_studio_in_camel_case():
    stats = parse(lines({"tokensPerSecond": 110.9, "timeToFirstTokenSec": 0.233, "predictedTokensCount": 281,
                         "totalDraftTokensCount": 300, "acceptedDraftTokensCount": 180}))  # fmt: skip
    assert (stats.engine, stats.num_draft_tokens, stats.num_steps) == ("LM Studio", 300, 100)


def test_lm_studio_without_a_draft_model():
    stats = parse(
        lines({"stats": {"tokens_per_second": 51.4, "time_to_first_token": 0.1}, "usage": {"completion_tokens": 9}})
    )
    assert (stats.speculation, stats.output_tokens_per_s, stats.generated_tokens) == (False, 51.4, 9)


def test_lm_studio_contradiction_is_refused():
    assert "380 accepted draft tokens are more than the 300 drafted" in refused(
        read("lmstudio-stats.json").replace("180", "380")
    )


# ExLlama


def test_exllama():
    stats = parse(read("exllamav3-eos-result.json"))
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_steps) == (300, 180, 100)
    assert (stats.step_ms, stats.tokens_per_step, stats.num_rounds) == (25.25, 2.8, None)
    assert (stats.tpot_ms, stats.ttft_ms) == pytest.approx((2525 / 280, None))


def test_exllama_without_a_draft_model():
    stats = parse(
        lines({"eos": True, "new_tokens": 101, "time_prefill": 0.2, "time_enqueued": 0.1, "time_generate": 2.0})
    )
    assert (stats.speculation, stats.step_ms, stats.ttft_ms) == pytest.approx((False, 20, 300))


# gpt-fast


def test_gpt_fast():
    stats = parse(read("gpt-fast.txt"))
    assert (stats.num_speculative_tokens, stats.estimated, stats.output_tokens_per_s) == (3, True, 224)
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.per_position_acceptance == pytest.approx((0.76, 0.59, 0.45))
    assert (stats.printed[0].value, stats.printed[0].definition) == (1.8, "length_without_bonus")


def test_gpt_fast_baseline_and_run_in_one_file():
    plain = "Average tokens/sec: 102.00\nMemory used: 16.10 GB\n"
    assert (parse(plain).speculation, parse(plain).memory_gb) == (False, 16.1)
    stats = parse(plain + read("gpt-fast.txt"))
    assert stats.parts_are_settings and [part.output_tokens_per_s for part in stats.parts] == [102, 224]
    assert stats.speculation


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Accepted: 1.8", "Accepted: 2.8", "Mean Accepted is printed as 2.8, but the counters give 1.8"),
        ("0.45]", "0.55]", "the shares of Acceptance probs add up to 1.1, expected 1"),
    ],
)
def test_gpt_fast_contradiction_is_refused(old, new, said):
    assert said in refused(read("gpt-fast.txt").replace(old, new))


# Spec-Bench

QUESTION = json.loads(read("spec-bench.jsonl"))
IDS = count()


def question(category, lengths):
    choice = {"new_tokens": [sum(lengths)], "wall_time": [0.5], "accept_lengths": lengths}
    return {"question_id": next(IDS), "category": category, "choices": [choice]}


def test_spec_bench():
    stats = parse(read("spec-bench.jsonl"))
    assert (stats.num_rounds, stats.num_accepted_draft_tokens, stats.generated_tokens) == (6, 11, 17)
    assert stats.mean_acceptance_length == pytest.approx(17 / 6)
    assert stats.output_tokens_per_s == pytest.approx(218.79021879021877)
    assert stats.accepted_per_position == (5, 4, 2)
    assert stats.units is not None and stats.units.kind == "rounds"
    assert [accepted + 1 for accepted in stats.units.counts[:, 2]] == [3, 2, 4, 1, 4, 3]


def test_spec_bench_categories_are_parts():
    stats = parse(lines(question("qa", [3, 1]), question("math", [2, 2]), question("qa", [4])))
    assert [(part.label, part.num_rounds, part.num_accepted_draft_tokens) for part in stats.parts] == [
        ("qa", 3, 5), ("math", 2, 2),
    ]  # fmt: skip
    assert (stats.num_rounds, stats.window_s, stats.output_tokens_per_s) == (5, 1.5, 8)


def test_spec_bench_runs_in_one_file_are_never_added_up():
    one, other = question("qa", [3, 1]), question("math", [2, 2])
    plain = [{**each, "choices": question("", [1, 1])["choices"]} for each in (one, other)]
    stats = parse(lines(one, other, *plain))  # the same questions again
    assert stats.parts_are_settings and stats.num_rounds == 4
    assert [(each.label, each.speculation, each.num_accepted_draft_tokens) for each in stats.parts] == [
        ("run 1", True, 4), ("run 2", False, None),
    ]  # fmt: skip
    models = parse(lines({**one, "model_id": "a"}, {**one, "model_id": "b"}, {**other, "model_id": "b"}))
    assert [(each.label, each.num_rounds) for each in models.parts] == [("a", 2), ("b", 4)]


def test_spec_bench_file_of_ones_is_a_baseline():
    stats = parse(lines(question("qa", [1, 1, 1]), question("math", [1])))
    assert (stats.speculation, stats.num_rounds, stats.output_tokens_per_s) == (False, None, 4)
    assert not any(part.speculation for part in stats.parts)


def test_spec_bench_length_without_the_bonus_is_refused():
    assert "line 2: accept_lengths holds 0" in refused(lines(question("qa", [2]), question("qa", [0, 2])))


def test_spec_bench_print():
    stats = parse(read("spec-bench-summary.txt"))
    assert (stats.printed_length, stats.output_tokens_per_s) == (2.8, 224)
    assert [(part.speculation, part.output_tokens_per_s) for part in stats.parts] == [(True, 224), (False, 102)]
    assert stats.parts_are_settings


def test_spec_bench_print_of_several_tasks():
    task = "============================== Task:  {} ==============================\n"
    text = "".join(task.format(name) + read("spec-bench-summary.txt") for name in ("mt_bench", "overall"))
    stats = parse(text)
    assert (stats.label, len(stats.parts)) == ("overall", 4)


def test_spec_bench_print_that_contradicts_itself_is_refused():
    assert "Speedup ratio is printed as 3.19608" in refused(read("spec-bench-summary.txt").replace("2.196", "3.196"))


# EAGLE

TURN = json.loads(read("eagle-mtbench.jsonl"))


def test_eagle():
    stats = parse(read("eagle-mtbench.jsonl"))
    assert (stats.num_rounds, stats.generated_tokens, stats.num_accepted_draft_tokens) == (100, 280, 180)
    assert (stats.mean_acceptance_length, stats.output_tokens_per_s) == (2.8, 224)
    assert stats.num_draft_tokens is None


def test_eagle_runs_in_one_file_are_never_added_up():
    plain = {**TURN, "choices": [{**TURN["choices"][0], "idxs": [279]}]}
    stats = parse(lines(TURN, plain))  # the same question again, and 280 tokens in as many rounds
    assert stats.parts_are_settings and (stats.num_rounds, stats.num_requests) == (100, None)
    assert [(each.label, each.speculation, each.generated_tokens) for each in stats.parts] == [
        ("run 1", True, 280), ("run 2", False, 280),
    ]  # fmt: skip
    models = parse(lines(TURN, {**TURN, "question_id": 82}, {**TURN, "model_id": "other"}))
    assert [(each.label, each.num_rounds) for each in models.parts] == [(TURN["model_id"], 200), ("other", 100)]


def test_eagle_baseline():
    choice = {**TURN["choices"][0], "idxs": [279, 9], "new_tokens": [280, 10], "wall_time": [2.5, 0.1]}
    stats = parse(lines({**TURN, "choices": [choice]}))
    assert (stats.speculation, stats.num_rounds) == (False, None)
    assert stats.output_tokens_per_s == pytest.approx(290 / 2.6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"new_tokens": [80]}, "line 1: 80 new tokens in 100 rounds, expected at least one in each"),
        ({"new_tokens": [80, 90]}, "line 1: idxs and new_tokens must be lists of the same length"),
    ],
)
def test_eagle_contradiction_is_refused(change, said):
    assert said in refused(lines({**TURN, "choices": [{**TURN["choices"][0], **change}]}))


# SpecDecode-Bench


def test_specdecode_bench_is_a_replay():
    stats = parse(read("specdecode-bench-simulator.jsonl"))
    assert (stats.label, stats.num_rounds, stats.num_accepted_draft_tokens, stats.generated_tokens) == (
        "eagle",
        2,
        3,
        5,
    )
    assert stats.parts_are_settings
    assert [(part.label, part.num_rounds, part.num_accepted_draft_tokens) for part in stats.parts] == [
        ("eagle", 2, 3), ("ngram", 3, 2),
    ]  # fmt: skip
    assert [part.generated_tokens for part in stats.parts] == [5, 5]


def test_specdecode_bench_main_drafter_is_that_of_most_requests():
    first = json.loads(read("specdecode-bench-simulator.jsonl"))
    stats = parse(lines(first, {key: value for key, value in first.items() if key != "acc_eagle"}))
    assert stats.label == "ngram"
    assert stats.units is not None and (stats.units.kind, len(stats.units.counts)) == ("requests", 2)


# aiperf

RECORD = json.loads(read("aiperf-spec-decode-record.json"))


def test_aiperf():
    stats = parse(json.dumps(RECORD))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert (stats.num_speculative_tokens, stats.accepted_per_position) == (3, (76, 59, 45))
    assert (stats.generated_tokens, stats.version, stats.num_requests) == (281, "vllm", 1)


def test_aiperf_records_of_an_export():
    record = {"metadata": {}, "metrics": {}, "spec_decode_acceptance": RECORD}
    stats = parse(lines(record, record))
    assert (stats.num_rounds, stats.num_requests) == (200, 2)
    assert stats.units is not None and len(stats.units.counts) == 2


def test_aiperf_runs_in_one_file_are_never_added_up():
    shorter = {
        **RECORD, "num_spec_tokens": 1, "num_draft_tokens": 100, "num_accepted_draft_tokens": 70,
        "acceptance_histogram": {"0": 30, "1": 70}, "draft_acceptance_rate": 0.7, "mean_acceptance_length": 1.7,
    }  # fmt: skip
    stats = parse(lines(RECORD, shorter, RECORD))
    assert [(each.label, each.num_rounds) for each in stats.parts] == [("vllm, k = 3", 200), ("vllm, k = 1", 100)]
    sessions = [{"metadata": {"session_num": at, "turn_index": 0}, "spec_decode_acceptance": RECORD} for at in (0, 1)]
    assert parse(lines(*sessions)).parts == ()
    again = parse(lines(*sessions, *sessions))
    assert [(each.label, each.num_rounds) for each in again.parts] == [("run 1", 200), ("run 2", 200)]


def test_aiperf_histogram_is_sparse():
    stats = parse(json.dumps({**RECORD, "acceptance_histogram": {"0": 40, "3": 60}}))
    assert stats.accepted_per_position == (60, 60, 60)


def test_aiperf_drafts_of_different_length():
    record = {"acceptance_histogram": {"0": 1, "1": 1, "2": 1}, "num_accepted_draft_tokens": 3, "num_draft_tokens": 5,
              "num_spec_steps": 3, "num_spec_tokens": 3, "per_step_drafted": [3, 1, 1]}  # fmt: skip
    assert "accepted by position" not in refused(lines({**record, "num_draft_tokens": 6}))
    assert parse(lines(record)).drafted_per_position == (3, 1, 1)


def test_aiperf_summary():
    text = json.dumps({
        "pooled_spec_decode_acceptance_histogram": {"0": 24, "1": 17, "2": 14, "3": 45},
        "total_spec_decode_steps": {"unit": "count", "avg": 100}, "total_draft_tokens": {"unit": "tokens", "avg": 300},
        "inter_token_latency": {"unit": "ms", "avg": 4.5}, "request_count": {"unit": "requests", "avg": 2},
    })  # fmt: skip
    stats = parse(text)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert (stats.tpot_ms, stats.num_requests) == (4.5, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_spec_steps": 99}, "line 1: the histogram adds up to 100 rounds, but 99 are given"),
        ({"num_draft_tokens": 301}, "line 1: 301 draft tokens and 3 positions do not fit 3 × 100 rounds"),
        ({"num_spec_tokens": 2}, "line 1: 300 draft tokens and 3 positions do not fit 2 × 100 rounds"),
        ({"mean_acceptance_length": 1.8}, "line 1: mean_acceptance_length is printed as 1.8"),
        ({"acceptance_histogram": {"1000000": 100}}, "line 1: a round of 1000000 draft tokens, expected at most 1024"),
        ({"acceptance_histogram": {"x": 100}}, "line 1: acceptance_histogram is x, expected a number"),
    ],
)
def test_aiperf_contradiction_is_refused(change, said):
    assert said in refused(json.dumps({**RECORD, **change}))


# speculators

TABLE = read("speculators-acceptance.csv")


def test_speculators():
    stats = parse(TABLE)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4000, 12000, 7200)
    assert (stats.accepted_per_position, stats.num_speculative_tokens, stats.label) == ((3040, 2360, 1800), 3, "coding")


def test_speculators_subsets_are_parts():
    stats = parse(TABLE + "qa,1000,3000,1200,2.2,0.6,0.4,0.2\n")
    assert [(part.label, part.num_rounds) for part in stats.parts] == [("coding", 4000), ("qa", 1000)]
    assert (stats.num_rounds, stats.accepted_per_position) == (5000, (3640, 2760, 2000))
    assert not stats.parts_are_settings


def test_speculators_numbers_as_python_writes_them():
    row = "math_reasoning,3.0,9.0,4.0,2.333333333333333,0.6666666666666666,0.3333333333333333,0.3333333333333333\n"
    assert parse(TABLE.splitlines(keepends=True)[0] + row).accepted_per_position == (2, 1, 1)


def test_speculators_empty_position_of_a_shorter_draft():
    stats = parse(TABLE + "qa,1000,2000,1000,2.0,0.6,0.4,\n")
    assert stats.num_speculative_tokens is None
    assert stats.drafted_per_position == (5000, 5000, 4000)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "qa,1000,3000,1200,3.2,0.6,0.4,0.2\n",
            "line 3: acceptance_length is printed as 3.2, but the counters give 2.2",
        ),
        ("qa,1000,3000,1300,2.3,0.6,0.4,0.2\n", "line 3: the rates by position 0.6, 0.4, 0.2 of 1,000 rounds"),
        ("qa,1000,1000,1200,2.2,0.6,0.4,0.2\n", "line 3: 1,200 accepted draft tokens are more than the 1,000 drafted"),
        ("qa,x,3000,1200,2.2,0.6,0.4,0.2\n", "line 3: num_drafts is x, expected a number"),
    ],
)
def test_speculators_contradiction_is_refused(row, said):
    assert said in refused(TABLE + row)
