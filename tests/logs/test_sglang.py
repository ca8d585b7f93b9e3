"""SGLang: the log of its server and its /metrics, by release; which acceptance rate is meant; what is refused."""

import pytest

from specmodel import logs
from tests.logs.shared import EXPECTED, notes, printed, read, sample

CHANGE = "[2026-11-03 14:09:24 TP0] Adaptive spec params updated: steps 3 -> 1 (ema_accept_len=0.62)\n"


def line(running=4, length=2.80, rate=0.60, speed=889.60, *, rank="TP0", extra="", end=","):
    ratios = f"accept len: {length:.2f}, " if length else ""
    ratios += f"accept rate: {rate:.2f}, " if rate is not None and length else ""
    return (
        f"[2026-11-03 14:09:24 {rank}] Decode batch{end} #running-req: {running}, #token: 3120, token usage: 0.01, "
        f"{ratios}{extra}cuda graph: True, gen throughput (token/s): {speed:.2f}, #queue-req: 0\n"
    )


def started(steps, topk, draft_tokens, more=""):
    return (
        f"[2026-11-03 14:00:00] server_args=ServerArgs(model_path='m', speculative_algorithm='EAGLE3', {more}"
        f"speculative_num_steps={steps}, speculative_eagle_topk={topk}, "
        f"speculative_num_draft_tokens={draft_tokens}, speculative_token_map=None)\n"
    )


def test_current_log():
    expected = EXPECTED["sglang-decode-log-current.log"]
    stats = sample("sglang-decode-log-current.log")
    assert (stats.engine, stats.version, stats.num_speculative_tokens) == ("SGLang", "0.5.12 or newer", expected["k"])
    assert stats.printed_length == pytest.approx(sum(expected["al_incl_bonus"]) / 2)
    assert stats.step_ms == pytest.approx(sum(expected["step_ms"]) / 2)
    assert printed(stats)["accept rate"] == (pytest.approx(sum(expected["rate"]) / 2), "accepted_per_drafted")
    assert printed(stats)["accept len"] == (pytest.approx(2.74), "length_with_bonus")
    assert (stats.batch_size, stats.units, stats.estimated) == (4, None, True)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (None, None, None)
    assert "ratios only" in notes(stats)
    assert stats.draft_acceptance_rate == pytest.approx(0.58)


def test_each_line_of_the_current_log_gives_its_step_time():
    text = read("sglang-decode-log-current.log").splitlines(keepends=True)
    found = [logs.parse(each) for each in (text[0], text[2])]
    expected = EXPECTED["sglang-decode-log-current.log"]
    assert [each.step_ms for each in found] == pytest.approx(expected["step_ms"])
    assert [each.printed_length for each in found] == pytest.approx(expected["al_incl_bonus"])
    assert found[0].output_tokens_per_s == pytest.approx(889.6)


def test_old_rate_counts_the_bonus():
    expected = EXPECTED["sglang-decode-log-0.5.10.log"]
    stats = sample("sglang-decode-log-0.5.10.log")
    assert stats.version == "0.5.3–0.5.10"
    assert printed(stats)["accept rate"] == (pytest.approx(expected["printed_rate"]), "sglang_old_rate")
    assert stats.num_speculative_tokens == expected["num_draft_tokens"] - 1
    assert stats.printed_length == pytest.approx(expected["al_incl_bonus"])
    assert stats.draft_acceptance_rate == pytest.approx(expected["rate"])


def test_0_4_has_no_rate():
    stats = sample("sglang-decode-log-0.4.log")
    assert stats.printed_length == pytest.approx(EXPECTED["sglang-decode-log-0.4.log"]["al_incl_bonus"])
    assert (stats.version, stats.num_speculative_tokens, stats.draft_acceptance_rate) == ("0.4", None, None)
    assert list(printed(stats)) == ["accept len"]


@pytest.mark.parametrize(
    ("length", "rate", "k", "definition"),
    [
        (2.17, 0.54, 3, "sglang_old_rate"),
        (1.95, 0.49, 3, "sglang_old_rate"),
        (1.80, 0.45, 3, "sglang_old_rate"),
        (1.57, 0.19, 3, "accepted_per_drafted"),
        (4.00, 1.00, 3, ""),
        (4.50, 0.50, None, ""),
        (1.00, 0.00, None, "accepted_per_drafted"),
        (1.00, 0.25, 3, "sglang_old_rate"),
    ],
)
def test_definition_is_decided_by_identity(length, rate, k, definition):
    stats = logs.parse(line(length=length, rate=rate))
    assert stats.num_speculative_tokens == k
    assert printed(stats)["accept rate"][1] == definition


def test_k_is_what_fits_all_lines():
    wide = line(length=1.05, rate=0.02)
    assert logs.parse(wide).num_speculative_tokens is None
    assert "leave open" in notes(logs.parse(wide))
    assert logs.parse(wide + line()).num_speculative_tokens == 3


def test_lines_of_different_k_leave_it_open():
    stats = logs.parse(line() + line(length=3.25, rate=0.45))
    assert stats.num_speculative_tokens is None
    assert printed(stats)["accept rate"][1] == "accepted_per_drafted"


def test_rate_that_fits_nothing_is_refused():
    with pytest.raises(logs.LogError, match=r"line 2: accept rate 0\.8 fits accept len 2\.8"):
        logs.parse(line() + line(rate=0.80))


def test_length_below_one_is_refused():
    with pytest.raises(logs.LogError, match=r"line 1: accept len is 0\.8"):
        logs.parse(line(length=0.80))


def test_lines_are_weighted_by_running_requests():
    stats = logs.parse(line(1, 4.00, None, 320.0) + line(3, 2.00, None, 400.0))
    assert stats.printed_length == pytest.approx((4 + 3 * 2) / 4)
    assert stats.step_ms == pytest.approx((12.5 + 3 * 15) / 4)
    assert stats.batch_size == pytest.approx(2)
    assert stats.output_tokens_per_s == pytest.approx((4 + 6) / 27.5 * 1000)


def test_line_after_a_wait_is_left_out_of_the_step_time():
    stats = logs.parse(line(speed=0.05) + line() * 3)
    assert stats.step_ms == pytest.approx(12.5899, abs=1e-3)
    assert "over 10 times the median as the engine waited: 1" in notes(stats)
    assert stats.printed_length == pytest.approx(2.8)


def test_run_without_speculation_is_a_baseline():
    stats = logs.parse(line(length=None, speed=400.0))
    assert not stats.speculation
    assert stats.step_ms == pytest.approx(10.0)
    assert stats.batch_size == 4
    assert stats.printed_length is None


def test_plain_lines_beside_speculation_are_left_out():
    stats = logs.parse(line(length=None, speed=400.0) + line())
    assert stats.step_ms == pytest.approx(12.5899, abs=1e-3)
    assert "did not speculate" in notes(stats)


@pytest.mark.parametrize(
    "text",
    [
        line().replace("Decode batch,", "Decode batch [1234],"),
        line(extra="pre-allocated usage: 0.28, #prealloc-req: 5, #transfer-req: 3, #retracted-req: 0, "),
        line().replace("#queue-req: 0", "#queue-req: 0, est. decode TFLOPS/s (per GPU): 12.30, fwd occupancy: 88.00%"),
        line().replace("#token: 3120, token usage: 0.01", "#full token: 3120, full token usage: 0.01, mamba num: 4"),
        line().replace("cuda graph", "npu graph"),
        line().replace("[2026-11-03 14:09:24 TP0] ", ""),
    ],
)
def test_fields_around_the_numbers_do_not_matter(text):
    stats = logs.parse(text)
    assert stats.num_speculative_tokens == 3
    assert stats.printed_length == pytest.approx(2.8)


def test_dspark_fields_mean_a_varying_draft():
    stats = logs.parse(line(rate=0.75, extra="cap len: 3.40, block accept len: 3.10, "))
    assert stats.printed_length == pytest.approx(2.8)
    assert stats.num_speculative_tokens is None
    assert "changed while the server ran" in notes(stats)


def test_cut_off_line_is_not_read():
    with pytest.raises(logs.LogError, match="line 1 looks like SGLang"):
        logs.parse(line().split(".60, #queue")[0])
    assert logs.parse(line() + line(1).split(".60, #queue")[0]).batch_size == 4


def test_data_parallel_ranks():
    stats = logs.parse(line(rank="DP0 TP0") + line(rank="DP1 TP1"))
    assert stats.output_tokens_per_s is None
    assert "2 data-parallel ranks" in notes(stats)
    assert stats.batch_size == 4


def test_settings_of_the_server_decide_k():
    assert logs.parse(started(3, 1, 4) + line(length=1.05, rate=0.02)).num_speculative_tokens == 3
    block = logs.parse(started(1, 1, 16) + line(length=4.00, rate=0.20))
    assert block.num_speculative_tokens == 15
    tree = logs.parse(started(3, 4, 16) + line(length=3.05, rate=0.14))
    assert tree.num_speculative_tokens == 3
    assert printed(tree)["accept rate"][1] == "accepted_per_drafted"
    assert "tree" in notes(tree)


def test_many_draft_tokens_may_be_a_tree():
    stats = logs.parse(line(length=4.30, rate=0.47))
    assert stats.num_speculative_tokens == 7
    assert "may" not in notes(stats)
    assert "tree" in notes(stats)


def test_another_start_with_other_settings_is_refused():
    with pytest.raises(logs.LogError, match="line 3: the server was started again"):
        logs.parse(started(3, 1, 4) + line() + started(5, 1, 6) + line(length=3.25, rate=0.45))
    assert logs.parse(started(3, 1, 4) + line() + started(3, 1, 4) + line()).num_speculative_tokens == 3


def test_another_start_with_another_model_is_refused():
    other = started(3, 1, 4).replace("model_path='m'", "model_path='n'")
    with pytest.raises(logs.LogError, match="line 3: the server was started again with another model"):
        logs.parse(started(3, 1, 4) + line() + other + line())


def test_adaptive_log():
    stats = sample("sglang-adaptive.log")
    assert stats.printed_length == pytest.approx(1.62)
    assert printed(stats) == {"ema_accept_len": (pytest.approx(0.62), "length_without_bonus")}
    assert stats.estimated
    assert "from 3 to 1" in notes(stats)


def test_adaptive_server_leaves_k_open_and_refuses_no_rate():
    stats = logs.parse(line() + CHANGE + line(rate=0.80))
    assert stats.num_speculative_tokens is None
    assert stats.printed_length == pytest.approx(2.8)
    assert "changed while the server ran" in notes(stats)


LABELS = 'engine_type="unified",model_name="m",moe_ep_rank="0",pp_rank="0"'


def scrape(generated=11240, rounds=4000, requests=None, gauges=(), extra=""):
    lines = ["# TYPE sglang:generation_tokens_total counter", "# TYPE sglang:spec_verify_calls_total counter"]
    lines.append(f'sglang:generation_tokens_total{{is_streaming="true",model_name="m"}} {generated}')
    if rounds is not None:
        lines.append(f'sglang:spec_verify_calls_total{{model_name="m"}} {rounds}')
    if requests is not None:
        lines.append(f'sglang:num_requests_total{{model_name="m"}} {requests}')
    lines += [f'sglang:{name}{{{LABELS},tp_rank="0"}} {value}' for name, value in gauges]
    return "\n".join(lines) + f"\n{extra}"


CHAIN = (("spec_accept_length", 2.8), ("spec_accept_rate", 0.6), ("spec_num_steps", 3), ("spec_num_draft_tokens", 4))


def test_metrics():
    expected = EXPECTED["sglang-metrics.prom"]
    stats = sample("sglang-metrics.prom")
    assert stats.mean_acceptance_length == pytest.approx(expected["al_from_counters"])
    assert (stats.num_rounds, stats.num_accepted_draft_tokens, stats.generated_tokens) == (4000, 7240, 11240)
    assert (stats.num_speculative_tokens, stats.version, stats.estimated) == (3, "0.5.12 or newer", True)
    assert printed(stats)["spec_accept_length"] == (expected["al_gauge"], "length_with_bonus")
    assert printed(stats)["spec_accept_rate"] == (expected["rate_gauge"], "accepted_per_drafted")
    assert printed(stats)["forward_execution_seconds_total target_verify"] == (36.4, "")
    assert (stats.batch_size, stats.output_tokens_per_s, stats.verify_ms) == (4, 889.6, None)
    assert "9.1 ms of GPU time" in notes(stats)
    assert "a bit high" in notes(stats)


def test_metrics_between_two_scrapes():
    stats = logs.parse_scrapes(scrape(1000, 400, 10, CHAIN), scrape(3820, 1400, 30, CHAIN))
    assert (stats.num_rounds, stats.num_requests, stats.num_accepted_draft_tokens) == (1000, 20, 1800)
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.tokens_per_step == pytest.approx(2.8)


def test_metrics_times_are_per_token_and_per_request():
    histogram = [
        ("inter_token_latency", 5.0, 1000),
        ("time_to_first_token", 2.0, 40),
        ("e2e_request_latency", 48.0, 40),
    ]
    extra = "".join(
        f'sglang:{name}_seconds_{end}{{model_name="m"}} {value}\n'
        for name, seconds, times in histogram
        for end, value in (("sum", seconds), ("count", times))
    )
    stats = logs.parse(scrape(extra=extra))
    assert (stats.tpot_ms, stats.itl_ms, stats.ttft_ms, stats.request_ms) == (5.0, None, 50.0, 1200.0)


def test_metrics_without_speculation():
    stats = logs.parse(scrape(rounds=None, gauges=(("spec_accept_length", 0.0), ("gen_throughput", 400.0))))
    assert not stats.speculation
    assert (stats.generated_tokens, stats.output_tokens_per_s) == (11240, 400)


def test_metrics_of_a_tree_leave_k_open():
    gauges = (("spec_accept_length", 3.05), ("spec_num_steps", 3), ("spec_num_draft_tokens", 16))
    stats = logs.parse(scrape(gauges=gauges))
    assert stats.num_speculative_tokens is None
    assert "tree or a block" in notes(stats)


def test_metrics_take_one_sample_of_a_group_of_ranks():
    other = LABELS.replace('pp_rank="0"', 'pp_rank="1"')
    extra = "".join(
        f'sglang:{name}{{{labels},dp_rank="{dp}",tp_rank="{tp}"}} {value}\n'
        for name, value in (("num_running_reqs", 4), ("gen_throughput", 800))
        for dp in (0, 1)
        for tp, labels in ((0, LABELS), (1, LABELS), (1, other))
    )
    stats = logs.parse(scrape(gauges=CHAIN, extra=extra))
    assert (stats.batch_size, stats.output_tokens_per_s) == (8, 1600)


def test_metrics_with_fewer_tokens_than_rounds_are_refused():
    with pytest.raises(logs.LogError, match=r"spec_verify_calls_total is 4,000, generation_tokens_total only 3,000"):
        logs.parse(scrape(3000, 4000))
