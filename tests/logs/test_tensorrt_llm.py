"""TensorRT-LLM: iteration statistics, /metrics, statistics of a request, and the report of trtllm-bench."""

import json

import pytest

from specmodel.logs import parse
from tests.logs.shared import lines, read, refused

ROWS = [json.loads(line) for line in read("trtllm-iteration-stats.jsonl").splitlines()]
REPORT = json.loads(read("trtllm-bench-report.json"))
ANSWER = json.loads(read("trtllm-per-request.json"))
SCRAPE = read("trtllm-metrics.prom")
CONSOLE = read("trtllm-bench-console.txt")


def changed(row, spec=None, flight=None, **top):
    inner = {"specDecodingStats": {**row["specDecodingStats"], **(spec or {})}}
    return {**row, **inner, "inflightBatchingStats": {**row["inflightBatchingStats"], **(flight or {})}, **top}


def test_iterations():
    stats = parse(lines(*ROWS))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (12, 36, 21)
    assert (stats.num_speculative_tokens, stats.mean_acceptance_length) == (3, 2.75)
    assert (stats.draft_ms, stats.verify_ms, stats.step_ms) == pytest.approx((2.6, 9.9, 12.5))
    assert (stats.num_steps, stats.tokens_per_step, stats.batch_size) == (12, 2.75, 4)
    assert stats.units is not None and stats.units.counts.tolist() == [[4, 12, 7], [4, 12, 8], [4, 12, 6]]


def test_row_written_again_by_another_rank_counts_once():
    stats = parse(lines(ROWS[0], ROWS[0], ROWS[1]))
    assert stats.num_rounds == 8
    assert "1 rows say again" in str(stats.notes[0])


def test_rows_of_ranks_with_other_numbers_count():
    assert parse(lines(ROWS[0], {**ROWS[0], "iterLatencyMS": 12.6}, ROWS[1])).num_rounds == 12


def test_iteration_with_prompts_has_counters_but_no_time():
    slow = changed(ROWS[1], flight={"numContextRequests": 1}, iterLatencyMS=80.0)
    stats = parse(lines(ROWS[0], slow))
    assert (stats.num_rounds, stats.step_ms) == (8, 12.5)


def test_iteration_without_a_draft_is_a_step():
    plain = {**ROWS[1], "specDecodingStats": {**dict.fromkeys(ROWS[1]["specDecodingStats"], 0)}}
    stats = parse(lines(ROWS[0], plain))
    assert (stats.num_rounds, stats.num_steps, stats.generated_tokens) == (4, 8, 15)
    assert stats.tokens_per_step == 15 / 8


def test_iterations_of_a_server_that_started_again_are_another_run():
    spec = {"numDraftTokens": 4, "numAcceptedTokens": 2, "acceptanceLength": 1.5}
    again = [changed(row, spec, iter=at) for at, row in enumerate(ROWS)]
    stats = parse(lines(*ROWS, *again))
    assert stats.parts_are_settings and stats.num_rounds == 12
    assert [(each.label, each.num_speculative_tokens, each.num_accepted_draft_tokens) for each in stats.parts] == [
        ("run 1", 3, 21), ("run 2", 1, 6),
    ]  # fmt: skip
    late = parse(lines(*ROWS, changed(ROWS[0], spec)))  # a rank that comes late is of the same run
    assert (late.parts, late.num_rounds) == ((), 16)


def test_drafter_that_is_not_timed():
    stats = parse(lines(changed(ROWS[0], spec={"iterLatencyMS": 0})))
    assert (stats.draft_ms, stats.verify_ms, stats.step_ms) == (None, None, 12.5)


def test_drafts_of_different_length():
    longer = changed(ROWS[1], spec={"numDraftTokens": 16, "numAcceptedTokens": 8, "acceptanceLength": 3.0})
    stats = parse(lines(ROWS[0], longer))
    assert (stats.num_speculative_tokens, stats.num_draft_tokens) == (None, 28)


def test_iterations_without_speculation():
    rows = [{key: value for key, value in row.items() if key != "specDecodingStats"} for row in ROWS]
    stats = parse(lines(*rows))
    assert (stats.speculation, stats.step_ms, stats.batch_size, stats.num_rounds) == (False, 12.5, 4, None)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"acceptanceLength": 1.75}, "line 2: acceptanceLength is printed as 1.75, but the counters give 2.75"),
        ({"numAcceptedTokens": 13, "acceptanceLength": 4.25}, "line 2: 13 accepted draft tokens are more than the 12"),
        ({"numRequestsWithDraftTokens": 0}, "line 2: 12 draft tokens of no request"),
        ({"numDraftTokens": "many"}, "line 2: numDraftTokens is many, expected a number"),
        ({"numDraftTokens": 4 * 10**9}, "line 2: a round of 1000000000 draft tokens"),
    ],
)
def test_iteration_that_contradicts_itself_is_refused(spec, said):
    assert said in refused(lines(ROWS[1], changed(ROWS[0], spec=spec)))


def test_metrics():
    stats = parse(SCRAPE)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4000, 12000, 7200)
    assert stats.per_position_acceptance == (0.76, 0.59, 0.45)
    assert (stats.num_speculative_tokens, stats.drafted_per_position) == (3, None)
    assert (stats.generated_tokens, stats.notes) == (11240, ())
    assert [each.value for each in stats.printed] == [2.8, 0.21]


def test_metrics_with_drafts_of_different_length():
    text = SCRAPE.replace('token_position="2"} 4000.0', 'token_position="2"} 3000.0').replace(" 12000.0", " 11000.0")
    stats = parse(text)
    assert (stats.num_rounds, stats.drafted_per_position) == (4000, (4000, 4000, 3000))


def test_metrics_by_position_behind_the_others():
    stats = parse(SCRAPE.replace(" 12000.0", " 12300.0").replace(" 7200.0", " 7380.0"))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4000, 12000, 7200)
    assert "behind" in str(stats.notes[0])


def test_metrics_without_positions_has_no_rounds():
    stats = parse("\n".join(line for line in SCRAPE.splitlines() if "token_position" not in line) + "\n")
    assert (stats.num_rounds, stats.draft_acceptance_rate, stats.mean_acceptance_length) == (None, 0.6, None)


def test_metrics_times_of_requests():
    times = "".join(
        f"# TYPE trtllm_{name} histogram\ntrtllm_{name}_sum {total}\ntrtllm_{name}_count 40\n"
        for name, total in (
            ("time_per_output_token_seconds", 0.18),
            ("time_to_first_token_seconds", 2.4),
            ("e2e_request_latency_seconds", 48),
        )
    )
    stats = parse(SCRAPE + times)
    assert (stats.tpot_ms, stats.ttft_ms, stats.request_ms) == pytest.approx((4.5, 60, 1200))


def test_metrics_without_speculation():
    text = "\n".join(line for line in SCRAPE.splitlines() if "spec_decode" not in line) + "\n"
    stats = parse(text)
    assert (stats.speculation, stats.generated_tokens) == (False, 11240)


def test_metrics_that_accept_more_than_was_drafted_is_refused():
    assert "more drafts were accepted" in refused(SCRAPE.replace("3040.0", "4040.0"))


def test_request():
    stats = parse(json.dumps(ANSWER))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert (stats.num_speculative_tokens, stats.accepted_per_position) == (3, (76, 59, 45))
    assert stats.num_requests == 1


def test_requests_are_units():
    stats = parse(lines(ANSWER, {**ANSWER, "usage": {"completion_tokens": 281}}))
    assert (stats.num_requests, stats.num_rounds, stats.generated_tokens) == (2, 200, None)
    assert stats.units is not None and len(stats.units.counts) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_spec_steps": 101}, "line 1: the histogram adds up to 100 rounds, but 101 are given"),
        ({"acceptance_rate": 0.7}, "line 1: acceptance_rate is printed as 0.7, but the counters give 0.6"),
        ({"total_accepted_draft_tokens": 179}, "line 1: accepted by position adds up to 180"),
        ({"num_spec_tokens": 2}, "line 1: 300 draft tokens are more than 2 × 100 rounds"),
    ],
)
def test_request_that_contradicts_itself_is_refused(change, said):
    spec = ANSWER["choices"][0]["speculative_decoding"]
    assert said in refused(lines({"choices": [{"speculative_decoding": {**spec, **change}}]}))


def test_report():
    stats = parse(json.dumps(REPORT))
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds) == (11040, 6560, 3680)
    assert (stats.num_speculative_tokens, stats.printed_length, stats.estimated) == (3, 2.78, True)
    assert [(each.value, each.definition) for each in stats.printed] == [
        (0.594, "accepted_per_drafted"), (2.78, "length_with_bonus"),
    ]  # fmt: skip
    assert (stats.tpot_ms, stats.ttft_ms, stats.request_ms, stats.window_s) == (4.485, 60.1, 1203.8, 12.04)
    assert (stats.batch_size, stats.output_tokens_per_s, stats.num_requests) == (4, 850.5, 40)
    assert (stats.generated_tokens, stats.version, stats.label) == (10240, "1.3.0", "Eagle3")
    assert "averages over requests" in str(stats.notes[0])


def test_report_without_speculation():
    stats = parse(json.dumps({key: value for key, value in REPORT.items() if key != "decoding_stats"}))
    assert (stats.speculation, stats.output_tokens_per_s, stats.tpot_ms) == (False, 850.5, 4.485)


def test_reports_of_several_runs_are_settings():
    baseline = {key: value for key, value in REPORT.items() if key != "decoding_stats"}
    stats = parse(json.dumps([baseline, REPORT]))
    assert stats.parts_are_settings and [part.speculation for part in stats.parts] == [False, True]
    assert stats.num_rounds == 3680


def test_report_of_an_old_version_calls_the_length_a_rate():
    stats = parse(
        json.dumps({**REPORT, "decoding_stats": {"mode": "Medusa", "acceptance_percentiles": {"average": 2.4}}})
    )
    assert (stats.printed_length, stats.num_rounds, stats.printed[0].definition) == (2.4, None, "length_with_bonus")


def test_report_that_drafts_no_whole_number_a_round_is_refused():
    decoding = {**REPORT["decoding_stats"], "num_draft_tokens_percentiles": {"average": 300.0}}
    assert "line 1: 300 draft tokens are no multiple of the 92 rounds" in refused(
        json.dumps({**REPORT, "decoding_stats": decoding})
    )


def test_console_block_alone():
    stats = parse(CONSOLE)
    assert (stats.num_speculative_tokens, stats.num_rounds, stats.num_draft_tokens) == (3, 92, 276)
    assert (stats.printed_length, stats.num_requests, stats.label) == (2.78, None, "Eagle3")
    assert "mean request" in str(stats.notes[1])


def test_console_with_its_other_blocks():
    head = (
        "TensorRT LLM Version:\t1.3.0\n"
        "Number of requests:             40\nNumber of concurrent requests:  4.0000\n"
        "Average Input Length (tokens):  512.0000\nAverage Output Length (tokens): 256.0000\n"
        "Total Output Throughput (tokens/sec):             850.5000\n"
        "Total Latency (ms):                               12040.0000\n"
        "Average request latency (ms):                     1203.8000\n"
        "Average time-to-first-token [TTFT] (ms):          60.1000\n"
        "Average time-per-output-token [TPOT] (ms):        4.4850\n"
    )
    stats, report = parse(head + CONSOLE), parse(json.dumps(REPORT))
    for name in ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens", "tpot_ms", "ttft_ms", "request_ms",
                 "window_s", "batch_size", "output_tokens_per_s", "generated_tokens", "version"):  # fmt: skip
        assert getattr(stats, name) == getattr(report, name), name
    assert not parse(head).speculation


def test_console_without_a_certain_k():
    stats = parse(
        CONSOLE.replace("[DAR] AVERAGE: 0.59", "[DAR] AVERAGE: 0.06").replace("AVERAGE: 2.78", "AVERAGE: 2.40")
    )
    assert (stats.num_speculative_tokens, stats.num_rounds) == (None, None)
