"""What people paste: logs cut at an end, pruned blocks, JSON in log lines, two runs in one text, fields nobody knew."""

import json

import pytest

from specmodel.engine import answer
from specmodel.logs import parse
from tests.logs.shared import notes, read, refused

WINDOW = (
    "INFO 11-03 14:09:10 [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 2.50, {more}Accepted "
    "throughput: 15.00 tokens/s, Drafted throughput: 30.00 tokens/s, Accepted: 150 tokens, Drafted: 300 tokens, "
    "Per-position acceptance rate: 0.700, 0.500, 0.300, Avg Draft acceptance rate: 50.0%\n"
)
LOAD = (
    "INFO 11-03 14:{minute:02}:10 [loggers.py:311] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation "
    "throughput: {speed:.1f} tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 3.1%\n"
)
WITHOUT = (
    "Mean acceptance length: 2.50, ",
    "Accepted throughput: 15.00 tokens/s, ",
    "Drafted throughput: 30.00 tokens/s, ",
    "Per-position acceptance rate: 0.700, 0.500, 0.300, ",
    ", Avg Draft acceptance rate: 50.0%",
)


def timing(tokens: int, ms: float, drafted: int = 0, accepted: int = 0, head: str = "") -> str:
    rows = [
        "prompt eval time =     100.00 ms /    50 tokens (    2.00 ms per token,   500.00 tokens per second)",
        f"       eval time = {ms:10.2f} ms / {tokens:5d} tokens (   10.00 ms per token,   100.00 tokens per second)",
        "      total time =    1100.00 ms /   151 tokens",
    ]
    if drafted:
        rate = accepted / drafted
        rows.append(f"draft acceptance rate = {rate:.5f} ({accepted:5d} accepted / {drafted:5d} generated)")
    return "".join(f"{head}{row}\n" for row in rows)


STATISTICS = (
    "3.10.000.005 I statistics {name}: #calls(b,g,a) = 18 1000 900, #gen drafts = 900, #acc drafts = 800, "
    "#gen tokens = 1800, #acc tokens = 1260, dur(b,g,a) = 0.016, 9000.000, 2.100 ms\n"
)


@pytest.mark.parametrize("more", ["", "Current speculative depth: 3, ", "Depth: 3, Rejected: 150 tokens, "])
def test_fields_that_nobody_knew_do_not_hide_a_window(more):
    stats = parse(WINDOW.format(more=more))
    assert (stats.num_speculative_tokens, stats.num_rounds, stats.num_draft_tokens) == (3, 100, 300)
    assert stats.per_position_acceptance == (0.7, 0.5, 0.3) and not stats.estimated


@pytest.mark.parametrize("left_out", WITHOUT)
def test_a_window_with_a_field_less_is_read(left_out):
    text = WINDOW.format(more="")
    assert left_out in text
    stats = parse(text.replace(left_out, ""))
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (300, 150)
    assert stats.num_rounds == 100 and stats.mean_acceptance_length == pytest.approx(2.5)
    assert stats.estimated == (left_out == WITHOUT[3])


@pytest.mark.parametrize("field", ["Accepted: 150 tokens, ", "Drafted: 300 tokens, "])
def test_a_window_without_its_counts_makes_no_baseline(field):
    text = LOAD.format(minute=9, speed=25.0) + WINDOW.format(more="").replace(field, "")
    assert "could not be read" in refused(text) and "no baseline" in refused(text)


def test_sglang_lines_in_another_order_with_more_fields():
    text = read("sglang-decode-log-current.log")
    before = "accept len: 2.80, accept rate: 0.60, cuda graph: True, gen throughput (token/s): 889.60"
    assert before in text
    after = "gen throughput (token/s): 889.60, spec depth: 3, accept rate: 0.60, accept len: 2.80"
    assert parse(text.replace(before, after)).printed_length == parse(text).printed_length
    assert (
        parse(text.replace("#running-req: 4, #token", "#full: 1, #running-req: 4, #token")).num_speculative_tokens == 3
    )


def test_ollama_fields_by_name():
    line = (
        'time=2026-11-02T21:43:14.550Z level=INFO msg="speculative decode stats" drafted=210 iterations=100 '
        'kind=draft accepted=130 acceptance=0.62 depth_over_time="0.5/1 1.2/2"\n'
    )
    stats = parse(line)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 210, 130)


def test_llama_cpp_reads_the_mean_behind_a_new_field():
    line = "draft acceptance = 0.60000 (  180 accepted /   300 generated), depth = 3.00, mean len =  2.80\n"
    assert parse(timing(281, 2525.0) + line).num_rounds == 100


def test_statistics_count_where_the_requests_before_are_missing():
    head = "3.10.000.001 I slot print_timing: id  0 | task 412 | "
    stats = parse(timing(101, 1000.0, 80, 60, head) + STATISTICS.format(name="draft-mtp"))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (900, 1800, 1260)
    assert stats.mean_acceptance_length == pytest.approx(2.4) and stats.step_ms == pytest.approx(1000 / 40)
    assert "60 of 80 drafts" in notes(stats)
    assert answer(stats).case.tokens_per_step == pytest.approx(2.4)


def test_lookups_keep_the_steps_without_a_draft():
    head = "3.10.000.001 I slot print_timing: id  0 | task 412 | "
    stats = parse(timing(101, 1000.0, 80, 60, head) + STATISTICS.format(name="ngram-simple"))
    assert (stats.num_draft_tokens, stats.num_steps) == (80, 40) and stats.parts[0].num_rounds == 900


def test_a_run_and_its_plain_baseline_in_one_paste():
    stats = parse(timing(1001, 200_000.0) + timing(1001, 120_000.0, 800, 600))
    assert (stats.num_steps, stats.step_ms, stats.num_draft_tokens) == (400, 300.0, 800)
    plain = stats.parts[1]
    assert (plain.speculation, plain.num_steps, plain.step_ms) == (False, 1000, 200.0)
    assert "1 of 2 requests drafted nothing" in notes(stats)
    assert answer(stats).case.decode_speedup == pytest.approx(200 / 120)


def test_requests_of_one_server_stay_together():
    head = "3.10.000.001 I slot print_timing: id  0 | task {} | "
    text = timing(101, 1000.0, 80, 60, head.format(1)) + timing(101, 1000.0, head=head.format(9))
    stats = parse(text)
    assert (stats.num_requests, stats.num_steps, stats.parts) == (2, 140, ())
    assert "1 of 2 requests drafted nothing; they are counted in the tokens per step" in notes(stats)


def test_a_clock_that_starts_again_is_another_server():
    first = timing(101, 1000.0, head="9.10.000.001 I slot print_timing: id  0 | task 5 | ")
    second = timing(101, 500.0, 80, 60, head="0.10.000.001 I slot print_timing: id  0 | task 9 | ")
    stats = parse(first + second)
    assert [(each.speculation, each.num_requests) for each in stats.parts] == [(False, 1), (True, 1)]
    assert stats.speculation and stats.step_ms == 12.5


def test_requests_that_are_cut_are_left_out_and_named():
    whole = timing(101, 1000.0, 80, 60)
    head = whole.splitlines(keepends=True)[-1].replace("80 generated", "100 generated").replace("0.75", "0.60")
    stats = parse(head + whole)
    assert (stats.num_draft_tokens, stats.num_steps) == (80, 40) and "left out, it is cut: 1" in notes(stats)
    tail = parse(whole + "".join(whole.splitlines(keepends=True)[:2]))
    assert (tail.num_requests, tail.num_steps, tail.parts) == (1, 40, ())
    assert "the log ends before it tells" in notes(tail)


PRUNED = """Output token throughput (tok/s): 120.00
Mean TTFT (ms): 900.00
Mean TPOT (ms): 8.00
Mean ITL (ms): 20.00
Acceptance rate (%): 50.00
Acceptance length: 2.50
Per-position acceptance (%):
Position 0: 70.00
Position 1: 50.00
Position 2: 30.00
"""


def test_a_bench_block_without_its_head():
    stats = parse(PRUNED)
    assert (stats.engine, stats.num_speculative_tokens, stats.mean_acceptance_length) == ("vLLM", 3, 2.5)
    assert stats.per_position_acceptance == pytest.approx((0.7, 0.5, 0.3))
    assert (stats.tpot_ms, stats.itl_ms, stats.output_tokens_per_s, stats.estimated) == (8.0, 20.0, 120.0, True)
    assert answer(stats, plain_ms=16.0).verdict.kind == "pays"


def test_a_bench_block_whose_positions_are_cut_is_refused():
    assert "acceptance length is printed as 2.5" in refused(PRUNED.replace("Position 2: 30.00\n", ""))


def test_rates_that_are_rounded_twice():
    rows = "  code                pred= 192 draft= 129 acc= 127 rate={} tok/s=42.0\n"
    assert parse(rows.format("0.985")).num_accepted_draft_tokens == 127  # 0.98450, then 0.985
    assert parse(rows.format("0.984")).num_accepted_draft_tokens == 127
    assert "rate is printed as 0.986" in refused(rows.format("0.986"))


def test_two_runs_of_mtp_bench_are_told_apart():
    row = "  {:20} pred= 100 draft= {:3d} acc= {:3d} rate={} tok/s={:.1f}\n"
    plain = row.format("code", 0, 0, "n/a", 20.0) + row.format("prose", 0, 0, "n/a", 20.0)
    fast = row.format("code", 80, 60, "0.750", 40.0) + row.format("prose", 80, 40, "0.500", 30.0)
    stats = parse(plain + fast)
    assert [(each.speculation, each.num_draft_tokens) for each in stats.parts] == [(False, 0), (True, 160)]
    assert stats.num_draft_tokens == 160 and stats.parts_are_settings


OFFLINE = """total_num_output_tokens: {output}
num_drafts: {rounds}
num_draft_tokens: {drafted}
num_accepted_tokens: {accepted}
mean acceptance length: {length:.2f}
"""


def test_steps_without_a_draft_count():
    stats = parse(OFFLINE.format(output=3000, rounds=500, drafted=1500, accepted=1000, length=3.0))
    assert stats.num_steps == 2000 and stats.tokens_per_step == 1.5 and stats.mean_acceptance_length == 3.0
    assert "1,500 of 3,000 tokens came from steps without a draft" in notes(stats)
    assert answer(stats).case.share_with_draft == 0.25


def test_two_offline_prints_of_one_setting_are_said_to_be_added_up():
    text = OFFLINE.format(output=1500, rounds=500, drafted=1500, accepted=1000, length=3.0)
    assert "2 runs of one setting" in notes(parse(text + text))
    other = text + "acceptance at token 0: 1.00\nacceptance at token 1: 1.00\n"
    assert [each.label for each in parse(text + other).parts] == ["", "k = 2"]


ANSWER = {"timings": {"predicted_n": 281, "predicted_ms": 2525.0, "draft_n": 300, "draft_n_accepted": 180}}


@pytest.mark.parametrize("indent", [None, 2])
def test_answers_that_begin_in_the_middle_of_a_log_line(indent):
    body = json.dumps(ANSWER, indent=indent)
    text = f"[09:00:00][INFO] answer: {body}\n[09:00:09][INFO] done\n[09:01:00][INFO] answer: {body} (2 s)\n"
    stats = parse(text)
    assert (stats.engine, stats.num_requests, stats.num_draft_tokens) == ("llama.cpp", 2, 600)


def test_an_answer_over_two_blocks_of_a_long_log():
    body = json.dumps({"text": "word " * 100, **ANSWER}, indent=1)
    text = "".join(f"[{number}] answer: {body}\n" for number in range(3000))
    assert parse(text).num_requests == 3000


def test_a_configuration_in_a_log_line_is_no_answer():
    line = 'INFO args: {"method": "eagle", "model": "m", "num_speculative_tokens": 3}\n'
    assert parse(line + WINDOW.format(more="")).num_rounds == 100


def test_an_object_with_drafts_that_nobody_read_is_no_baseline():
    job = {"eos": True, "new_tokens": 281, "time_generate": 2.5, "speculative": {"tokens_drafted": 300}}
    assert "no baseline" in refused(json.dumps(job))


def test_plain_windows_beside_speculating_ones_are_a_run():
    plain = "".join(LOAD.format(minute=minute, speed=20.0) for minute in range(10))
    fast = (LOAD.format(minute=30, speed=25.0) + WINDOW.format(more="")) * 3
    stats = parse(plain + fast)
    assert [(each.label, each.speculation, each.step_ms) for each in stats.parts] == [
        ("k=3", True, 100.0),
        ("k=0", False, 50.0),
    ]
    assert stats.num_rounds == 300 and "have no line of speculation" in notes(stats)
    few = parse("".join(LOAD.format(minute=minute, speed=20.0) for minute in range(3)) + fast)
    assert few.parts == () and few.step_ms == 100.0


def test_throughput_above_what_rounds_gave_tells_of_steps_without_a_draft():
    fast = LOAD.format(minute=9, speed=50.0) + WINDOW.format(more="")
    stats = parse(fast * 2)  # 500 tokens a window, 250 of them from 100 rounds
    assert (stats.num_rounds, stats.num_steps) == (200, 200 + 500)
    assert stats.tokens_per_step == pytest.approx(1000 / 700) and stats.step_ms == pytest.approx(1000 / 35)
    assert "about 50% of the output tokens came from steps without a draft" in notes(stats)
    assert answer(stats).case.tokens_per_step == pytest.approx(1000 / 700)
    assert parse(LOAD.format(minute=9, speed=27.0) + WINDOW.format(more="")).num_steps is None


def test_lines_of_other_draft_lengths_are_said_to_be_several_runs():
    line = (
        "[2026-11-03 14:09:24 TP0] Decode batch, #running-req: 4, #token: 3120, token usage: 0.01, accept len: {}, "
        "accept rate: {}, cuda graph: True, gen throughput (token/s): 889.60, #queue-req: 0\n"
    )
    assert "belong to different draft lengths" in notes(
        parse(line.format("2.80", "0.60") + line.format("3.40", "0.48"))
    )


def test_jobs_without_drafts_beside_others_are_said_to_be_left_out():
    job = {"eos": True, "new_tokens": 281, "time_generate": 2.5}
    fast = {**job, "accepted_draft_tokens": 180, "rejected_draft_tokens": 120}
    stats = parse(f"{json.dumps(job)}\n{json.dumps(fast)}\n")
    assert stats.num_requests == 1 and "answers without speculation were left out" in notes(stats)
