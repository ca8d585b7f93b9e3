"""llama.cpp: timings of answers, streams, speed_bench.py, /metrics."""

import json

import pytest

from specmodel.logs import LogError, parse, parse_scrapes
from specmodel.measured.spec_stats import SpecStats
from tests.conftest import SAMPLES
from tests.logs.shared import EXPECTED, decode_ms, read, real, sample

REAL = SAMPLES / "llama_server_real"
THREE = {"draft_n": 3, "draft_n_accepted": 2}
RUNS = ("smol_draft15m_k4", "gemma_ngram_simple", "gemma_draft_smollm2_k4")


def answer(tokens: int = 281, ms: float = 2525.0, **more) -> dict:
    return {
        "content": "",
        "timings": {"prompt_n": 512, "prompt_ms": 233.1, "predicted_n": tokens, "predicted_ms": ms, **more},
    }


def lines(*answers: dict, head: str = "") -> SpecStats:
    return parse("".join(f"{head}{json.dumps(each)}\n" for each in answers))


def test_timings_of_one_answer():
    stats, expected = sample("llamacpp-timings.json"), EXPECTED["llamacpp-timings.json"]
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (expected["proposed"], expected["accepted"])
    assert stats.num_steps == expected["target_passes"]
    assert stats.tokens_per_step == pytest.approx(expected["tokens_per_pass"])
    assert stats.draft_acceptance_rate == pytest.approx(expected["rate"])
    assert stats.step_ms == pytest.approx(expected["step_ms"])
    assert stats.num_rounds is None and stats.units is None and stats.num_speculative_tokens is None
    assert stats.version == "b10424+" and stats.request_ms == pytest.approx(2758.1)
    assert "tell no rounds" in str(stats.notes[0])


def test_older_builds_divide_by_all_tokens():
    stats = lines(answer(predicted_per_token_ms=2525 / 281, draft_n=300, draft_n_accepted=180))
    assert stats.version == "<b10424"
    assert stats.tpot_ms == pytest.approx(2525 / 280)
    assert lines(answer(predicted_per_token_ms=3.0)).version is None


def test_fork_counts_every_depth():
    stats, expected = sample("ik-llamacpp-timings.json"), EXPECTED["ik-llamacpp-timings.json"]
    assert stats.version == "ik_llama.cpp" and stats.num_speculative_tokens == 3
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (expected["proposed"], expected["accepted"])
    assert (stats.num_rounds, stats.num_steps) == (expected["rounds"], expected["target_passes"])
    assert stats.per_position_acceptance == pytest.approx(expected["per_pos_unconditional"])
    assert stats.drafted_per_position == (110, 100, 90)
    accepted, drafted = stats.accepted_per_position or (), stats.drafted_per_position or ()
    given = [a / d for a, d in zip(accepted, drafted, strict=True)]
    assert given == pytest.approx(expected["per_pos_given_drafted"])
    assert stats.units is not None and stats.units.counts.tolist() == [[110, 300, 180, 80, 59, 41]]


def test_fork_with_an_answer_without_drafts():
    one = json.loads(read("ik-llamacpp-timings.json"))
    stats = lines(one, one, answer(n_past=9))
    assert (stats.num_rounds, stats.drafted_per_position) == (220, (220, 200, 180))
    assert (stats.num_requests, stats.num_speculative_tokens, stats.version) == (3, 3, "ik_llama.cpp")


@pytest.mark.parametrize("run", RUNS)
def test_real_answers_say_the_same_as_the_log_and_metrics(run):
    stats = parse(real(f"{run}.responses.jsonl"))
    assert stats.parts_are_settings and [each.label for each in stats.parts] == ["baseline", "spec"]
    for part, role in zip(stats.parts, (".baseline", ""), strict=True):
        log, scraped = parse(real(f"{run}{role}.server.log")), parse(real(f"{run}{role}.metrics.prom"))
        for name in ("num_draft_tokens", "num_accepted_draft_tokens", "generated_tokens"):
            assert getattr(part, name) == getattr(log, name) == getattr(scraped, name), name
        assert (part.num_steps, part.num_requests) == (log.num_steps, log.num_requests)
        for name in ("step_ms", "tpot_ms", "ttft_ms", "request_ms"):
            assert getattr(part, name) == pytest.approx(getattr(log, name), rel=1e-5), name
        assert decode_ms(part) == pytest.approx(decode_ms(scraped), rel=1e-5)
        assert part.version == "b10424+"
    assert stats.label == "spec" and stats.generated_tokens == stats.parts[1].generated_tokens


@pytest.mark.parametrize("run", RUNS)
def test_real_answers_of_one_server_alone(run):
    rows = [json.loads(line) for line in real(f"{run}.responses.jsonl").splitlines()]
    spec = lines(*(row for row in rows if row["_meta"]["role"] == "spec"))
    plain = lines(*(row for row in rows if row["_meta"]["role"] == "baseline"))
    assert spec.num_draft_tokens == parse(real(f"{run}.server.log")).num_draft_tokens
    assert spec.speculation == (run != "gemma_draft_smollm2_k4")
    assert not plain.speculation and plain.accepted_per_position is None and plain.parts == ()


def test_answers_without_drafts_among_others_are_plain_steps():
    stats = lines(answer(draft_n=300, draft_n_accepted=180), answer())
    assert (stats.num_requests, stats.num_steps, stats.num_draft_tokens) == (2, 380, 300)
    assert "1 of 2 answers hold no draft" in str(stats.notes[1])


def test_baseline_answers():
    stats = lines(answer(), answer(101, 1000.0))
    assert not stats.speculation and stats.notes == ()
    assert stats.step_ms == stats.tpot_ms == pytest.approx(3525 / 380)


def test_last_round_may_count_more_than_was_kept():
    assert lines(answer(5, 40.0, draft_n=8, draft_n_accepted=8)).num_steps == 1


def test_one_token_and_none():
    stats = lines(answer(1, 0.01, predicted_per_token_ms=None), answer(0, 0.0), answer(11, 100.0))
    assert (stats.num_requests, stats.generated_tokens, stats.num_steps) == (2, 12, 10)
    assert stats.tpot_ms == pytest.approx(10.001)
    assert lines(answer(1, 0.01)).step_ms is None


def test_temperature_is_kept_where_it_is_the_same():
    one = {**answer(), "generation_settings": {"temperature": 0.7}}
    assert lines(one, one).temperature == 0.7
    assert lines(one, {**one, "generation_settings": {"temperature": 1.0}}).temperature is None


def test_stream_of_completion_counts_its_last_chunk():
    chunks = [
        {**answer(100, 900.0, draft_n=90, draft_n_accepted=50), "stop": False},
        {**answer(200, 1800.0, draft_n=200, draft_n_accepted=120), "stop": False},
        {**answer(draft_n=300, draft_n_accepted=180), "stop": True},
    ]
    stats = lines(*chunks, head="data: ")
    assert (stats.num_requests, stats.generated_tokens, stats.num_draft_tokens) == (1, 281, 300)
    cut = lines(*chunks[:2], head="data: ")
    assert cut.generated_tokens == 200 and "before its last chunk" in str(cut.notes[-1])


def test_stream_of_chat_counts_its_last_chunk():
    def chunk(reason, choices=True, **timings):
        return {
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {}, "finish_reason": reason}] if choices else [],
            **answer(**timings),
        }

    last = chunk("stop", draft_n=300, draft_n_accepted=180)
    stats = lines(chunk(None, tokens=100), chunk(None, tokens=200), last, head="data: ")
    assert (stats.num_requests, stats.generated_tokens, stats.num_draft_tokens) == (1, 281, 300)
    usage = chunk(None, choices=False, draft_n=300, draft_n_accepted=180)
    assert lines(chunk(None, tokens=100), usage, head="data: ").generated_tokens == 281


def test_answers_in_a_list():
    stats = parse(json.dumps([answer(draft_n=300, draft_n_accepted=180)] * 3, indent=1))
    assert (stats.num_requests, stats.num_draft_tokens) == (3, 900)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"draft_n": 100, "draft_n_accepted": 180}, r"line 1: 180 accepted draft tokens are more than the 100 drafted"),
        ({"draft_n": 1.5}, r"line 1: draft_n is 1.5, expected a whole number"),
        ({"draft_n": True}, r"line 1: draft_n is True, expected a number"),
        ({"predicted_n": float("inf")}, r"line 1: predicted_n is inf, expected a number"),
        ({"predicted_ms": float("nan")}, r"line 1: predicted_ms is nan, expected a number"),
        ({"predicted_n": [1]}, r"line 1: predicted_n is \[1\], expected a number"),
        ({**THREE, "draft_by_depth": "x" }, None),
        ({**THREE, "draft_by_depth": [1]}, r"line 1: draft_by_depth is no list of counts"),
        (
            {**THREE, "draft_by_depth": [{"depth": 2, "draft_n": 3, "draft_n_accepted": 2}]},
            r"line 1: the depths are 2, expected 1, 2, 3",
        ),
        (
            {**THREE, "draft_by_depth": [{"depth": 1, "draft_n": 4, "draft_n_accepted": 2}]},
            r"line 1: the depths add up to 4 draft tokens, but 3 are given",
        ),
        (
            {**THREE, "draft_by_depth": [{"depth": 1, "draft_n": 3, "draft_n_accepted": 1}]},
            r"line 1: accepted by position adds up to 1, but 2 were accepted",
        ),
    ],
)  # fmt: skip
def test_broken_or_contradictory_values(change, message):
    if message is None:
        assert lines(answer(**change)).num_draft_tokens == 3
        return
    with pytest.raises(LogError, match=message):
        lines(answer(**change))


@pytest.mark.parametrize(
    "found",
    [
        {"timings": None, "predicted_n": None},
        {"timings": [{"predicted_n": 3}]},
        {"predicted_n": 3},
        {"timings": {"predicted_n": None}},
    ],
)
def test_other_objects_are_not_its_own(found):
    with pytest.raises(LogError, match="no numbers of speculative decoding were found"):
        lines(found)


def test_missing_numbers_stay_unknown():
    stats = lines({"timings": {"predicted_n": 281, "predicted_ms": None, "draft_n": 300}})
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (300, None)
    assert stats.step_ms is None and stats.num_steps is None and stats.ttft_ms is None


def test_speed_bench():
    stats = sample("llamacpp-speed-bench.json")
    assert (stats.source, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (
        "speed_bench.py summary",
        3000,
        1800,
    )
    assert stats.num_requests == 10 and stats.request_ms == pytest.approx(2760)
    assert stats.output_tokens_per_s == 110.9 and stats.draft_acceptance_rate == pytest.approx(0.6)


def bench() -> dict:
    def row(category, draft_n, accepted, samples, turns, latency):
        return {
            "category": category, "requests": samples, "turns": turns, "failed": 0, "avg_prompt_t_s": 1.0,
            "avg_pred_t_s": 100.0, "avg_latency": latency, "draft_n": draft_n, "accepted": accepted,
            "accept_rate": accepted / draft_n,
        }  # fmt: skip

    def result(category, turns, tokens, ms, draft_n, accepted):
        return {"category": category, "ok": True, "turns": turns, "completion_tokens": tokens, "predicted_ms": ms,
                "draft_n": draft_n, "draft_n_accepted": accepted}  # fmt: skip

    return {
        "config": {"concurrency": 1},
        "summary": [
            row("coding", 300, 180, 1, 1, 2.0),
            row("chat", 90, 30, 1, 2, 4.0),
            row("overall", 390, 210, 2, 3, 3.0),
        ],
        "results": [
            result("coding", 1, 281, 2525.0, 300, 180),
            result("chat", 2, 62, 750.0, 90, 30),
            {"category": "chat", "ok": False, "turns": 2, "completion_tokens": 0, "predicted_ms": None},
        ],
    }


def test_speed_bench_with_categories_and_samples():
    stats = parse(json.dumps(bench(), indent=2))
    assert [(each.label, each.num_draft_tokens, each.num_steps) for each in stats.parts] == [
        ("coding", 300, 100),
        ("chat", 90, 30),
    ]
    assert not stats.parts_are_settings and stats.label == ""
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (390, 210)
    assert (stats.generated_tokens, stats.num_requests, stats.num_steps) == (343, 3, 130)
    assert stats.step_ms == pytest.approx(3275 / 130)
    assert stats.request_ms == pytest.approx(2000) and stats.output_tokens_per_s == 100.0
    assert stats.parts[1].tpot_ms == pytest.approx(750 / 60)


def test_speed_bench_that_contradicts_itself():
    wrong = bench()
    wrong["summary"][2]["draft_n"] = 400
    wrong["summary"][2]["accept_rate"] = 210 / 400
    with pytest.raises(LogError, match="draft_n is printed as 400, but the counters give 390"):
        parse(json.dumps(wrong))
    wrong = bench()
    wrong["summary"][0]["accept_rate"] = 0.7
    with pytest.raises(LogError, match=r"accept_rate is printed as 0.7, but the counters give 0.6"):
        parse(json.dumps(wrong))


def test_speed_bench_without_speculation():
    plain = bench()
    for row in plain["summary"]:
        row.update(draft_n=0, accepted=0, accept_rate=None)
    plain["results"] = []
    stats = parse(json.dumps(plain))
    assert not stats.speculation and stats.output_tokens_per_s == 100.0


def test_metrics():
    stats, expected = sample("llamacpp-metrics.prom"), EXPECTED["llamacpp-metrics.prom"]
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (expected["proposed"], expected["accepted"])
    assert (stats.num_rounds, stats.num_speculative_tokens) == (expected["rounds"], expected["k"])
    assert stats.mean_acceptance_length == pytest.approx(expected["al_incl_bonus"])
    assert stats.draft_acceptance_rate == pytest.approx(expected["rate"])
    assert stats.per_position_acceptance == pytest.approx(expected["per_pos"])
    # the number of requests is not on the page, so that their first tokens and prompt passes cannot be taken off
    assert stats.tokens_per_step == pytest.approx(expected["tokens_per_pass"], rel=0.01)
    assert stats.tpot_ms == pytest.approx(101000 / 11240) and stats.batch_size == 1
    assert len(stats.notes) == 1 and "does not count requests" in str(stats.notes[0])


def test_large_counters_are_noted_and_not_held_against_each_other():
    text = read("llamacpp-metrics.prom")
    large = text.replace(" 7200\n", " 7.20001e+06\n").replace(" 12000\n", " 1.2e+07\n").replace(" 4000\n", " 4e+06\n")
    for old, new in ((" 3040", " 3.04e+06"), (" 2360", " 2.36e+06"), (" 1800", " 1.8e+06"), (" 11240", " 1.12e+07")):
        large = large.replace(f"{old}\n", f"{new}\n")
    stats = parse(large)
    assert stats.num_accepted_draft_tokens == 7200010
    assert "6 significant digits" in str(stats.notes[-1])


def test_metrics_that_contradict_themselves():
    text = read("llamacpp-metrics.prom")
    with pytest.raises(LogError, match=r"adds up to 7,201, but 7,200 were accepted"):
        parse(text.replace(" 1800\n", " 1801\n"))


def test_metrics_without_speculation_and_of_older_builds():
    stats = parse(real("smol_draft15m_k4.baseline.metrics.prom"))
    assert not stats.speculation and stats.tokens_per_step == 1 and stats.num_speculative_tokens is None
    old = parse("# TYPE llamacpp:tokens_predicted_total counter\nllamacpp:tokens_predicted_total 281\n")
    assert not old.speculation and "before b10290" in str(old.notes[1])


def test_two_scrapes():
    after = before = read("llamacpp-metrics.prom")
    changes = {12000: 11700, 7200: 7020, 4000: 3900, 11240: 10959, 101: 98.475, 3040: 2964, 2360: 2301, 1800: 1755}
    for now, then in changes.items():
        before = before.replace(f" {now}\n", f" {then}\n")
    stats = parse_scrapes(before, after)
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds) == (300, 180, 100)
    assert stats.accepted_per_position == (76, 59, 45) and stats.generated_tokens == 281
    assert stats.step_ms == pytest.approx(25.0)
