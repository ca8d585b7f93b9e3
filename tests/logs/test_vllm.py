"""Server logs and /metrics of vLLM, from V0 to 0.33."""

import pytest

from specmodel import logs
from specmodel.engine.symptoms import symptoms
from specmodel.logs import LogError
from tests.logs.shared import notes, read, sample

HEAD = "(APIServer pid=4242) INFO 11-03 14:09:{:02} [metrics.py:120] SpecDecoding metrics: "
NEW = (
    "Mean acceptance length: {length}, Accepted throughput: {a_s:.2f} tokens/s, "
    "Drafted throughput: {d_s:.2f} tokens/s, Accepted: {a} tokens, Drafted: {d} tokens, "
    "Per-position acceptance rate: {rates}, Avg Draft acceptance rate: {rate}%\n"
)
OLD = (
    "INFO 07-01 10:20:31 [metrics.py:86] SpecDecoding metrics: Draft acceptance rate: {rate}%, Mean acceptance length: "
    "{length}, Accepted: {a} tokens, Drafted: {d} tokens, Per-position acceptance rate: {rates}\n"
)
V0 = (
    "INFO 03-02 10:20:{second:02} metrics.py:477] Speculative metrics: Draft acceptance rate: {rate}, "
    "System efficiency: {efficiency}, Number of speculative tokens: {k}, Number of accepted tokens: {matches}, "
    "Number of draft tokens: {drafted}, Number of emitted tokens: {emitted}.\n"
)
ENGINE = (
    "INFO 11-03 14:09:{:02} [loggers.py:310] Engine {:03}: Avg prompt throughput: 410.2 tokens/s, Avg generation "
    "throughput: {:.1f} tokens/s, Running: {} reqs, Waiting: 0 reqs, GPU KV cache usage: 3.1%, "
    "Prefix cache hit rate: 12.5%\n"
)
ITERATION = (
    "INFO 11-03 14:09:24 [loggers.py:199] Engine 000: Iteration({}): {} context requests, {} context tokens, "
    "{} generation requests, {} generation tokens, iteration elapsed time: {:.2f} ms, GPU KV cache usage: 3.1%\n"
)


def line(second, length, a, d, rates, rate, seconds=10.0):
    return (HEAD + NEW).format(
        second, length=length, a_s=a / seconds, d_s=d / seconds, a=a, d=d, rates=rates, rate=rate
    )


def rounds_by_unit(stats):
    return stats.units.kind, stats.units.counts[:, 0].tolist()


def test_current_log():
    stats = sample("vllm-log-current.log")
    assert (stats.engine, stats.version) == ("vLLM", "≥ 0.10.2")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (6380, 19140, 11370)
    assert stats.num_speculative_tokens == 3
    assert not stats.estimated
    assert stats.mean_acceptance_length == pytest.approx(2.782131661442006)
    assert stats.draft_acceptance_rate == pytest.approx(0.5940438871473355)
    assert stats.per_position_acceptance == pytest.approx((0.7550156739811912, 0.5851097178683385, 0.44200626959247646))
    assert stats.window_s == pytest.approx(20)
    assert stats.batch_size == 4
    assert stats.output_tokens_per_s == pytest.approx(887.5)
    assert stats.step_ms == pytest.approx(4 * 2.782131661442006 / 887.5 * 1000)
    assert "step time is an estimate" in notes(stats)
    assert rounds_by_unit(stats) == ("windows", [3200, 3180])


def test_0_9_counts_the_bonus_token():
    stats = sample("vllm-log-0.9-to-0.10.1.log")
    assert stats.version == "0.9.0–0.10.1"
    assert stats.num_rounds == 3200
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.per_position_acceptance == (0.76, 0.59, 0.45)
    assert [(each.value, each.definition) for each in stats.printed] == [
        (0.6, "accepted_per_drafted"),
        (2.8, "length_with_bonus"),
    ]
    assert stats.window_s is None
    assert stats.step_ms == pytest.approx(12.5)


def test_0_8_5_leaves_the_bonus_token_out():
    stats = sample("vllm-log-0.8.5.log")
    assert stats.version == "0.8.5"
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (3200, 9600, 5760)
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.printed[1].value == 1.8
    assert stats.printed[1].definition == "length_without_bonus"


def test_0_8_3_does_not_tell_the_rounds():
    stats = sample("vllm-log-0.8.3.log")
    assert (stats.num_rounds, stats.num_speculative_tokens, stats.num_draft_tokens) == (None, None, 9600)
    assert stats.draft_acceptance_rate == pytest.approx(0.6)
    counters = "Number of accepted tokens: 60, Number of draft tokens: 100, "
    day = "INFO 04-01 10:20:31 [metrics.py:40] Speculative metrics: Draft acceptance rate: 0.600"
    stats = logs.parse(f"{day}, {counters}\n")
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds) == (100, 60, None)


def test_v0_counts_matches_after_a_rejection():
    stats = sample("vllm-log-v0.log")
    assert stats.version == "V0"
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4000, 12000, 7200)
    assert stats.num_speculative_tokens == 3
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert stats.draft_acceptance_rate == pytest.approx(0.6)
    assert [(each.value, each.definition) for each in stats.printed] == [
        (0.62, "v0_rate"),
        (0.7, "v0_efficiency"),
    ]
    assert stats.draft_ms == pytest.approx(3 * 1.25)
    assert stats.verify_ms == pytest.approx(10.75)
    assert stats.batch_size == 1
    assert stats.output_tokens_per_s == pytest.approx(61.8)
    assert "after a rejection" in notes(stats)


def test_v0_counts_since_the_start_of_the_server():
    first = V0.format(second=1, rate="0.620", efficiency="0.700", k=3, matches=7440, drafted=12000, emitted=11200)
    second = V0.format(second=6, rate="0.620", efficiency="0.700", k=3, matches=14880, drafted=24000, emitted=22400)
    stats = logs.parse(first + second)
    assert (stats.num_rounds, stats.num_accepted_draft_tokens) == (8000, 14400)
    assert rounds_by_unit(stats) == ("windows", [4000, 4000])
    anew = V0.format(second=9, rate="0.550", efficiency="0.600", k=3, matches=33, drafted=60, emitted=48)
    assert logs.parse(first + second + anew).num_rounds == 8020


@pytest.mark.parametrize(
    ("rate", "efficiency", "k", "matches", "drafted", "emitted"),
    [
        ("0.343", "0.489", 2, 6455, 18802, 13783),
        ("0.550", "0.133", 8, 44, 80, 12),
        ("0.490", "0.584", 2, 7655, 15626, 13700),
    ],
)
def test_published_lines_of_v0(rate, efficiency, k, matches, drafted, emitted):
    text = V0.format(second=0, rate=rate, efficiency=efficiency, k=k, matches=matches, drafted=drafted, emitted=emitted)
    stats = logs.parse(text)
    assert stats.num_accepted_draft_tokens == emitted - drafted // k


@pytest.mark.parametrize(
    "change", [{"rate": "0.600"}, {"efficiency": "0.800"}, {"drafted": 12001}, {"emitted": 16001}, {"k": 0}]
)
def test_v0_line_that_contradicts_itself_is_refused(change):
    fields = {"second": 0, "rate": "0.620", "efficiency": "0.700", "k": 3, "matches": 7440, "drafted": 12000}
    with pytest.raises(LogError, match=r"line 1: .*12,00"):
        logs.parse(V0.format(**fields | {"emitted": 11200} | change))


def test_idle_v0_line_is_skipped():
    idle = V0.format(second=0, rate="nan", efficiency="nan", k=3, matches=0, drafted=0, emitted=0)
    assert logs.parse(idle + read("vllm-log-v0.log")).num_rounds == 4000


def test_stage_times_without_counters():
    text = read("vllm-log-v0.log").splitlines()[2]
    stats = logs.parse(f"{text}\n")
    assert stats.draft_ms is None
    assert stats.verify_ms == pytest.approx(10.75)


def test_varying_draft_length_is_worked_out_from_the_rates():
    rates = "0.339, 0.146, 0.071, 0.039, 0.030, 0.028, 0.024, 0.021, 0.021, 0.021, 0.021, 0.019" + ", 0.000" * 12
    stats = logs.parse(line(1, "1.78", 364, 1190, rates, 30.6))
    assert stats.estimated
    assert stats.num_rounds == 467
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_speculative_tokens) == (1190, 364, 24)
    assert stats.acceptance().per_position_acceptance[:2] == pytest.approx((0.339, 0.146), abs=0.001)
    assert stats.accepted_per_position is not None
    assert sum(stats.accepted_per_position) == pytest.approx(364)
    assert "varies" in notes(stats)
    assert stats.step_ms is None


def test_varying_length_is_seen_where_drafted_is_a_multiple_of_k():
    stats = logs.parse(line(1, "1.78", 364, 1200, "0.500, 0.180, 0.100, 0.000", 30.3))
    assert stats.estimated
    assert stats.num_rounds == 467


def test_window_that_accepted_nothing_still_counts():
    none = line(11, "1.00", 0, 90, "0.000, 0.000, 0.000", 0.0)
    stats = logs.parse(line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0) + none)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.estimated) == (3230, 9690, False)
    assert logs.parse(none).num_rounds == 30
    varied = line(1, "1.78", 364, 1190, "0.500, 0.180, 0.100, 0.000", 30.6)
    stats = logs.parse(varied + line(11, "1.00", 0, 119, "0.000, 0.000, 0.000, 0.000", 0.0))
    assert stats.num_rounds == 467 + 47
    assert logs.parse(line(1, "1.00", 0, 91, "0.000, 0.000, 0.000", 0.0)).estimated


def test_line_without_a_draft_is_skipped():
    idle = line(11, "nan", 0, 0, "nan, nan, nan", "nan")
    stats = logs.parse(line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0) + idle)
    assert stats.num_rounds == 3200


def test_long_window_after_a_pause_is_noted():
    text = line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0) + line(
        59, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0, seconds=300
    )
    stats = logs.parse(text)
    assert stats.window_s == pytest.approx(310)
    assert "between 10 and 300 s" in notes(stats)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 70.0), "line 1: draft acceptance rate .* 0.7, .* 0.6"),
        (line(1, "2.50", 5760, 9600, "0.760, 0.590, 0.450", 60.0), "line 1: .*1.800.*2.50"),
        (line(1, "1.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0), "line 1: .*1.800.*1.80"),
        (line(1, "2.80", 5760, 9600, "0.590, 0.760, 0.450", 60.0), "line 1: .*never rise"),
        (line(1, "2.80", 9700, 9600, "0.760, 0.590, 0.450", 60.0), "line 1: 9,700 .* 9,600"),
        (line(1, "1.30", 5760, 9600, "0.100, 0.100, 0.100", 60.0), "line 1: 5,760 .* 19,200 rounds; 9,600"),
        (line(1, "3.70", 2700, 9600, "0.900, 0.900, 0.900", 28.1), "line 1: 2,700 .* 1,000 rounds; 9,600"),
        (OLD.format(rate=60.0, length=2.4, a=5760, d=9600, rates="0.760, 0.590, 0.450"), "line 1: .*1.800.*2.40"),
        (line(1, "2.80", 10**16, 10**17, "0.760, 0.590, 0.450", 10.0), "line 1: Drafted .* counted"),
    ],
)
def test_line_that_contradicts_itself_is_refused(text, message):
    with pytest.raises(LogError, match=message):
        logs.parse(text)


def test_cut_off_line_is_left_out():
    whole = line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0)
    stats = logs.parse(whole + whole[:-40])
    assert stats.num_rounds == 3200
    assert "left out: 2" in notes(stats)
    with pytest.raises(LogError, match="line 1 looks like"):
        logs.parse(whole[:-40])


def test_several_k_in_one_log_are_settings():
    stats = logs.parse(
        line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0) + line(40, "1.76", 2432, 3200, "0.760", 76.0)
    )
    assert stats.parts_are_settings
    assert [(each.label, each.num_rounds) for each in stats.parts] == [("k=3", 3200), ("k=1", 3200)]
    assert stats.num_rounds == 3200
    assert stats.num_speculative_tokens == 3


def test_engine_lines_alone_are_a_baseline():
    text = ENGINE.format(1, 0, 400.0, 4) + ENGINE.format(11, 0, 420.0, 4) + ENGINE.format(21, 0, 0.0, 0)
    stats = logs.parse(text)
    assert not stats.speculation
    assert (stats.output_tokens_per_s, stats.batch_size) == (410, 4)
    assert stats.step_ms == pytest.approx(4 / 410 * 1000)
    assert "estimate" in notes(stats)


def test_engine_lines_of_several_engines_are_noted():
    text = ""
    for engine in (0, 1):
        text += ENGINE.format(1, engine, 896.0, 4) + line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0)
    stats = logs.parse(text)
    assert (stats.num_rounds, stats.batch_size) == (6400, 4)
    assert "one of 2 engines" in notes(stats)
    together = text.replace("Engine 000:", "2 Engines Aggregated:").replace("Engine 001:", "2 Engines Aggregated:")
    assert "all engines together" in notes(logs.parse(together))


def test_newer_fields_of_the_engine_line():
    text = ENGINE.format(1, 0, 896.0, 4).replace("Waiting: 0 reqs", "Waiting: 0 reqs, Deferred: 2 reqs, Preemptions: 1")
    stats = logs.parse(text + line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0))
    assert stats.output_tokens_per_s == 896


def test_iteration_details():
    stats = sample("vllm-log-iteration-details.log")
    assert stats.step_ms == pytest.approx(12.48)
    assert stats.batch_size == 4
    assert stats.num_steps == 8
    assert stats.num_speculative_tokens == 3
    assert stats.speculation
    assert stats.num_draft_tokens is None
    assert "scheduled tokens" in notes(stats)
    assert "(1 of 2)" in notes(stats)


def test_iteration_details_of_a_baseline():
    text = "".join(ITERATION.format(i, 0, 0, 4, 4, 9.8) for i in range(3))
    stats = logs.parse(text + ITERATION.format(4, 0, 0, 0, 0, 1.0))
    assert (stats.speculation, stats.num_steps) == (False, 12)
    assert stats.step_ms == pytest.approx(9.8)


def test_iteration_details_give_the_step_time_of_a_log():
    stats = logs.parse(
        ITERATION.format(1, 0, 0, 4, 16, 12.0)
        + ITERATION.format(2, 0, 0, 4, 15, 13.0)
        + ITERATION.format(3, 0, 0, 4, 4, 99.0).replace("3.1%\n", "3.1% (dummy)\n")
        + ENGINE.format(1, 0, 896.0, 3)
        + line(1, "2.80", 5760, 9600, "0.760, 0.590, 0.450", 60.0)
    )
    assert (stats.step_ms, stats.batch_size, stats.num_rounds) == (12.5, 4, 3200)
    assert "estimate" not in notes(stats)


def test_diffusion_is_refused():
    with pytest.raises(LogError, match=r"line 1: .*diffusion model, not speculative decoding"):
        sample("vllm-log-diffusion.log")


def test_metrics_since_start():
    stats = sample("vllm-metrics-t0.prom")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4000, 12000, 7200)
    assert stats.num_speculative_tokens == 3
    assert stats.per_position_acceptance == pytest.approx((0.76, 0.59, 0.45))
    assert (stats.generated_tokens, stats.num_steps, stats.num_requests) == (11240, 4000, 40)
    assert stats.tokens_per_step == pytest.approx(2.8)
    assert stats.step_ms == pytest.approx(12.5)
    assert stats.tpot_ms == pytest.approx(1000 * 0.1785714285714287 / 40)
    assert stats.batch_size == 4
    assert "moment of the scrape" in notes(stats)


def test_metrics_between_two_scrapes():
    before, after = (read(f"vllm-metrics-t{i}.prom") for i in (0, 1))
    stats = logs.parse_scrapes(before, after)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (8000, 24000, 14400)
    assert (stats.generated_tokens, stats.num_steps) == (22480, 8000)
    assert stats.step_ms == pytest.approx(12.5)
    assert stats.mean_acceptance_length == pytest.approx(2.8)
    assert logs.parse(after).num_rounds == 12000
    anew = logs.parse_scrapes(after, before)
    assert anew.num_rounds == 4000
    assert "started anew" in notes(anew)


def test_metrics_of_a_baseline():
    stats = sample("vllm-metrics-baseline-nospec.prom")
    assert not stats.speculation
    assert stats.step_ms == pytest.approx(9.8)
    assert (stats.num_steps, stats.generated_tokens) == (11200, 11240)
    assert "no family of speculative decoding" in notes(stats)


def scrape(name, labels, value, kind="counter"):
    return f"# TYPE {name} {kind}\n" + "".join(f"{name}{{{label}}} {value}\n" for label in labels)


def page(prefix, suffix, labels=('engine="0"',), **changes):
    values = {"drafts": 100, "draft_tokens": 200, "accepted_tokens": 120} | changes
    text = "".join(scrape(f"{prefix}spec_decode_num_{name}{suffix}", labels, values[name]) for name in values)
    rows = [f'{label},position="{i}"' for label in labels for i in (0, 1)]
    name = f"{prefix}spec_decode_num_accepted_tokens_per_pos{suffix}"
    return (
        text
        + f"# TYPE {name} counter\n"
        + "".join(f"{name}{{{row}}} {80 if '0' in row[-3:] else 40}\n" for row in rows)
    )


@pytest.mark.parametrize(
    ("prefix", "suffix"), [("vllm:", "_total"), ("vllm:", ""), ("ray_vllm_", "_total"), ("ray_vllm_", "")]
)
def test_names_of_ray_and_names_without_total(prefix, suffix):
    stats = logs.parse(page(prefix, suffix))
    assert (stats.num_rounds, stats.accepted_per_position) == (100, (80, 40))


def test_engines_are_added_up():
    labels = ('engine="0",model_name="m"', 'engine="1",model_name="m"')
    text = page("vllm:", "_total", labels) + scrape("vllm:num_requests_running", labels, 4, "gauge")
    stats = logs.parse(text)
    assert (stats.num_rounds, stats.accepted_per_position, stats.batch_size) == (200, (160, 80), 4)


def test_metrics_that_contradict_themselves_are_refused():
    with pytest.raises(LogError, match="adds up to 120, but 121"):
        logs.parse(page("vllm:", "_total", accepted_tokens=121))


def test_more_drafted_than_k_in_each_round_is_a_lead_and_no_contradiction():
    stats = logs.parse(page("vllm:", "_total", draft_tokens=201))
    assert [each.key for each in symptoms(stats)] == ["more_than_k"]


def test_older_name_of_the_step_time():
    text = page("vllm:", "_total") + (
        "# TYPE vllm:time_per_output_token_seconds histogram\n"
        'vllm:time_per_output_token_seconds_bucket{engine="0",le="+Inf"} 100\n'
        'vllm:time_per_output_token_seconds_count{engine="0"} 100\n'
        'vllm:time_per_output_token_seconds_sum{engine="0"} 1.25\n'
    )
    assert logs.parse(text).step_ms == pytest.approx(12.5)


def legacy(efficiency):
    label = ['model_name="m"']
    return (
        scrape("vllm:spec_decode_draft_acceptance_rate", label, 0.62, "gauge")
        + scrape("vllm:spec_decode_efficiency", label, efficiency, "gauge")
        + scrape("vllm:spec_decode_num_accepted_tokens_total", label, 7440)
        + scrape("vllm:spec_decode_num_draft_tokens_total", label, 12000)
        + scrape("vllm:spec_decode_num_emitted_tokens_total", label, 11200)
    )


def test_metrics_of_v0():
    stats = logs.parse(legacy(0.7))
    assert (stats.version, stats.num_speculative_tokens, stats.num_rounds) == ("V0", 3, 4000)
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (12000, 7200)
    assert [each.definition for each in stats.printed] == ["v0_rate", "v0_efficiency"]
    unknown = logs.parse(legacy(0.71))
    assert (unknown.num_speculative_tokens, unknown.num_rounds, unknown.num_accepted_draft_tokens) == (None, None, None)
    assert "k does not follow" in notes(unknown)


def test_metrics_of_diffusion_are_refused():
    with pytest.raises(LogError, match="diffusion"):
        logs.parse(scrape("vllm:diffusion_num_denoising_steps_total", ['engine="0"'], 601))
