"""The engine page through AppTest: its sources, what it says of each, and what it refuses."""

import gzip

import pytest
from streamlit.testing.v1 import AppTest

from specmodel import logs
from specmodel.base.messages import Message
from specmodel.dashboard.engine import live as engine_live
from specmodel.dashboard.engine.examples import EXAMPLES
from specmodel.dashboard.engine.files import EngineFile, read_small, scrape_pairs
from specmodel.logs.prometheus import LiveError, Target
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats
from tests.conftest import SAMPLE_NAMES, SAMPLES
from tests.dashboard.conftest import Opener, alerts, numbers, said, unescaped


def pasted(opened: Opener, text: str, plain: str = "", **query: str) -> AppTest:
    app = opened("engine", src="paste", **query)
    app.text_area(key="pasted").set_value(text)
    app.text_area(key="pasted_plain").set_value(plain).run()
    assert not app.exception, app.exception
    return app


def sample(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def test_the_real_llama_server_log_shows_that_speculation_lost_and_by_how_much(opened: Opener) -> None:
    app = opened("engine")
    assert "No, speculation loses here: decoding takes 5.07× as long (0.20× as fast)" in app.error[0].value
    shown = numbers(app)
    assert shown["Accepted ÷ drafted"] == "5.4%" and shown["Decode speedup"] == "0.20×"
    assert shown["Cost of a step ρ"] == "6.13×" and shown["Best draft length k*"] == "0"
    assert "--spec-type none" in app.code[0].value
    assert "bootstrap over requests" in said(app)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.key)
@pytest.mark.parametrize("locale", ["en-US", "ja-JP"])
def test_every_example_is_answered(opened: Opener, example: object, locale: str, untranslated: set[str]) -> None:
    app = opened("engine", locale, example=example.key)  # type: ignore[attr-defined]
    assert alerts(app) and app.code
    assert untranslated == set()


def test_groups_are_judged_one_by_one_and_as_a_mix(opened: Opener) -> None:
    app = opened("engine", example="ngram")
    table = app.table[0].value
    assert list(table["group"])[2] == "prose, T = 0" and list(table["speculate?"]).count("on") == 1
    assert "On for all: 0.87×. On only where it pays: 1.03×." in said(app)
    app.text_input(key="mix").set_value("0, 0, 1, 0, 0, 0").run()
    assert "On for all: 1.15×. On only where it pays: 1.15×." in said(app)
    app.text_input(key="mix").set_value("1, 2").run()
    assert "A mix needs 6 numbers" in app.error[-1].value


def test_off_that_ties_with_the_best_is_the_answer(opened: Opener) -> None:
    app = opened("engine", example="ngram")
    assert "Off loses least" in said(app) and "What is known cannot tell it from k = 1–8" in said(app)
    assert "--spec-type none" in app.code[0].value
    assert "Only 16% of the decoding steps carried a draft" in said(app)


def test_a_drafter_that_never_drafts_is_no_verdict_on_speculation(opened: Opener) -> None:
    app = opened("engine", example="misfit")
    assert "Nothing was drafted." in app.info[0].value
    assert "not one token was drafted" in said(app)


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_every_sample_is_understood_or_refused_with_the_reason(opened: Opener, name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    app = opened("engine", src="files")
    app.file_uploader(key="engine_upload").upload(name, data, "text/plain").run()
    assert not app.exception
    try:
        stats = logs.parse(data, name=name)
    except logs.LogError as error:
        assert str(error) in alerts(app)
        return
    if stats.speculation:
        assert stats.engine in said(app)
        assert alerts(app)
    else:
        assert "no file tells of speculation" in alerts(app)


def test_a_baseline_gives_a_measured_speedup(opened: Opener) -> None:
    app = pasted(opened, sample("vllm-bench-serve-spec.json"), sample("vllm-bench-serve-baseline.json"))
    assert "Yes, it pays: decoding 2.19× as fast." in app.success[0].value
    assert "2.12×" in "".join(map(str, app.table[1].value.to_numpy().ravel()))
    assert '"num_speculative_tokens": 3' in app.code[0].value
    assert '"synthetic_acceptance_rates": [0.7601, 0.5899, 0.45]' in app.code[1].value
    assert "assumed to be good to 5 %" in said(app)
    assert "count" in said(app) and "per stream chunk" in said(app)


def test_a_plain_step_that_is_typed_decides(opened: Opener) -> None:
    app = pasted(opened, sample("vllm-metrics-t1.prom"))
    assert "Acceptance alone decides nothing." in app.info[0].value
    app.text_input(key="plain").set_value("9.8 ms").run()
    assert "Yes, it pays" in app.success[0].value
    app.text_input(key="plain").set_value("3").run()
    assert "No, speculation loses here" in app.error[0].value
    app.text_input(key="plain").set_value("soon").run()
    assert "“soon” is no time in ms" in app.error[0].value
    assert "Acceptance alone decides nothing." in app.info[0].value


def test_a_time_that_was_typed_stays_with_its_measurement(opened: Opener) -> None:
    app = opened("engine", src="hand", rate="0.6", drafted="3")
    app.text_input(key="plain").set_value("9").run()
    app.text_input(key="took").set_value("14").run()
    assert "Yes, it pays" in app.success[0].value
    assert "Plain step as typed: 9 ms. Step with speculation as typed: 14 ms." in said(app)
    app.button_group(key="src").set_value("example").run()
    assert "5.07×" in app.error[0].value
    assert app.session_state["plain"] == app.session_state["took"] == ""


def test_the_same_number_under_other_definitions_is_named(opened: Opener) -> None:
    app = opened("engine", src="hand", rate="0.7", drafted="3")
    assert numbers(app)["Tokens per round τ"] == "3.10"
    assert "SGLang's old accept rate: 2.80 tokens a round" in said(app)


def test_the_answer_is_for_the_engine_that_was_measured_last(opened: Opener) -> None:
    app = opened("engine")
    assert app.session_state["engine"] == "llama.cpp" and "llama-server" in app.code[0].value
    app.button_group(key="src").set_value("paste").run()
    app.text_area(key="pasted").set_value(sample("sglang-bench-speculative.jsonl")).run()
    assert app.session_state["engine"] == "SGLang" and "sglang" in app.code[0].value


def test_a_run_that_lost_gets_no_draft_length(opened: Opener) -> None:
    timings = '{"timings": {"predicted_n": 101, "predicted_ms": 4000.0, "draft_n": 90, "draft_n_accepted": 10}}\n'
    plain = '{"timings": {"predicted_n": 101, "predicted_ms": 1000.0}}\n'
    app = pasted(opened, timings, plain)
    assert "No, speculation loses here" in app.error[0].value
    assert "--spec-type none" in app.code[0].value


def test_typed_positions_have_an_assumed_interval(opened: Opener) -> None:
    app = opened("engine", src="hand", reads="per_position", rate="0.8, 0.6")
    assert "As typed." in said(app) and "how much runs and requests differ is not in the file" in said(app)


def test_what_is_missing_is_named(opened: Opener) -> None:
    app = pasted(opened, sample("vllm-log-0.8.5.log"))
    assert "do not hold the time of a plain step" in app.info[0].value
    app.text_input(key="plain").set_value("10").run()
    assert "takes less than 28.00 ms, and these numbers do not hold its time" in app.info[0].value


def test_a_file_without_k_asks_for_it(opened: Opener) -> None:
    app = pasted(opened, sample("vllm-log-0.8.3.log"))
    assert "draft tokens per round (k) are not in the file" in unescaped(app.info[0].value)
    app.text_input(key="drafted").set_value("3").run()
    assert numbers(app)["Tokens per round τ"] == "2.80"


def test_a_sweep_is_judged_by_what_was_measured(opened: Opener) -> None:
    app = pasted(opened, sample("sglang-bench-speculative.jsonl"))
    assert "Fastest chain at batch 1: k = 3, 2.20×, batch 16: k = 3, 1.74×" in said(app)
    assert "--speculative-num-steps 3" in app.code[0].value
    assert "Squares were measured with their own draft length." in said(app)


def test_a_sweep_of_rounds_is_judged_with_a_plain_step_that_is_typed(opened: Opener) -> None:
    rows = [
        f"{k},{min(k, i % 4)},{k},{2 * k},{10 + k},{'code' if i % 2 else 'prose'}" for k in (1, 2, 4) for i in range(64)
    ]
    app = pasted(opened, "proposed,accepted,k,draft_ms,verify_ms,prompt_type\n" + "\n".join(rows) + "\n", plain="")
    app.text_input(key="plain").set_value("12").run()
    assert "Of the measured settings k = 2 is the fastest." in said(app)
    assert any(set(table.value.iloc[:, 0]) == {"code", "prose"} for table in app.table)
    assert "64 rounds" in said(app)


def test_a_plain_step_beside_the_rounds_is_used(opened: Opener) -> None:
    rows = "".join(f"2,{i % 3},2,10,9,{'a' if i < 30 else 'b'}\n" for i in range(60))
    app = pasted(opened, "proposed,accepted,draft_ms,verify_ms,baseline_ms,category\n" + rows)
    assert "Yes, it pays" in app.success[0].value
    assert list(app.table[0].value["speculate?"]) == ["on", "on"]


def test_a_schedule_is_given_where_batches_differ(opened: Opener) -> None:
    rows = [(1, 0, 0.0098, 1.0), (1, 3, 0.0125, 2.8), (64, 0, 0.02, 1.0), (64, 3, 0.07, 2.8)]
    lines = [
        f'{{"batch_size": {batch}, "steps": {k}, "topk": {min(k, 1)}, "num_draft_tokens": {k and k + 1}, '
        f'"acc_length": {length}, "step_time": {step}, "speed": {length / step}, "completion_tokens": 512.0}}'
        for batch, k, step, length in rows
    ]
    app = pasted(opened, "\n".join(lines) + "\n", engine="vLLM", method="eagle3")
    app.selectbox(key="engine").set_value("vLLM").run()
    assert '"num_speculative_tokens_per_batch_size": [[1, 1, 3], [2, 64, 0]]' in app.code[0].value
    assert "between two measured ones" in said(app)
    app.selectbox(key="engine").set_value("llama.cpp").run()
    assert "--spec-draft-n-max 3" in app.code[0].value and not app.exception


@pytest.mark.parametrize(
    ("query", "tau"),
    [
        ({"reads": "accepted_per_drafted", "rate": "60 %", "drafted": "3"}, "2.80"),
        ({"reads": "length_with_bonus", "rate": "2.8", "drafted": "3"}, "2.80"),
        ({"reads": "length_without_bonus", "rate": "1.8", "drafted": "3"}, "2.80"),
        ({"reads": "sglang_old_rate", "rate": "0.7", "drafted": "3"}, "2.80"),
        ({"reads": "per_position", "rate": "0.76, 0.59, 0.45"}, "2.80"),
        ({"reads": "conditional", "rate": "0.5; 0.5"}, "1.75"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_typed_rate_is_translated(opened: Opener, query: dict[str, str], tau: str) -> None:
    app = opened("engine", src="hand", **query)
    assert numbers(app)["Tokens per round τ"] == tau
    assert "As you typed it" in said(app)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"rate": "60 %"}, "type k"),
        ({"rate": "seven", "drafted": "3"}, "is no number"),
        ({"rate": "1.7", "drafted": "3"}, "cannot be with 3 drafts"),
        ({"reads": "per_position", "rate": "0.4, 0.6"}, "may never rise"),
        ({"rate": "nan", "drafted": "3"}, "cannot be"),
        ({"rate": "-5", "drafted": "3"}, "cannot be"),
        ({"reads": "v0_rate", "rate": "0.6", "drafted": "3"}, "says nothing about tokens per round"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_rate_that_cannot_be_is_refused(opened: Opener, query: dict[str, str], words: str) -> None:
    app = opened("engine", src="hand", **query)
    assert words in alerts(app)
    assert not app.metric


def test_the_counters_of_a_link_are_judged(opened: Opener) -> None:
    stats = logs.parse(sample("vllm-bench-serve-spec.json"))
    plain = logs.parse(sample("vllm-bench-serve-baseline.json"))
    app = opened("engine", src="link", counts=pack_stats(stats), base=pack_stats(plain))
    assert "2.19× as fast" in app.success[0].value


@pytest.mark.parametrize("counts", ["nonsense", "engine:x,rounds:10,accepted:99,drafted:20", "rounds:nan", "x" * 9000])
def test_counters_of_a_link_that_cannot_be_are_refused(opened: Opener, counts: str) -> None:
    app = opened("engine", src="link", counts=counts)
    assert "the link" in app.error[0].value


def test_two_scrapes_are_what_happened_between_them() -> None:
    files = [read_small(name, sample(name).encode()) for name in ("vllm-metrics-t1.prom", "vllm-metrics-t0.prom")]
    (pair,) = scrape_pairs(files)
    assert [each.name for each in pair.files] == ["vllm-metrics-t0.prom", "vllm-metrics-t1.prom"]
    assert scrape_pairs(files[:1]) == ()
    assert scrape_pairs([files[0], files[0]]) == ()
    assert scrape_pairs([EngineFile("a", error=Message("no")), *files[:1]]) == ()


def test_packed_scrapes_and_a_restart_in_between(opened: Opener) -> None:
    packed = [
        read_small(f"{name}.gz", gzip.compress(sample(name).encode()))
        for name in ("vllm-metrics-t0.prom", "vllm-metrics-t1.prom")
    ]
    (pair,) = scrape_pairs([packed[1], packed[0], packed[1]])
    assert [pair.first.name, pair.last.name] == ["vllm-metrics-t0.prom.gz", "vllm-metrics-t1.prom.gz"]
    assert [each.name for each in pair.between] == ["vllm-metrics-t1.prom.gz"]
    assert logs.parse_scrapes(pair.first.scrape or "", pair.last.scrape or "").num_rounds == 8000
    restarted = logs.parse_scrapes(pair.last.scrape or "", pair.first.scrape or "")
    assert restarted.num_rounds == 4000 and "started anew" in str(restarted.notes[-1])


def test_a_single_scrape_says_since_when(opened: Opener) -> None:
    assert "since the engine started" in said(pasted(opened, sample("vllm-metrics-t1.prom")))


def test_a_link_of_a_sweep_carries_its_settings(opened: Opener) -> None:
    app = opened("engine", src="link", counts=pack_stats(logs.parse(sample("sglang-bench-speculative.jsonl"))))
    assert "batch 16: k = 3, 1.74×" in said(app)
    assert "Trees are in the table only" in said(app)


def test_without_a_configured_prometheus_there_is_no_such_source(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPECMODEL_PROMETHEUS_URL", raising=False)
    assert not engine_live.live_available()
    assert opened("engine", src="live").session_state["src"] == "example"


def test_a_prometheus_that_is_down_is_named(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPECMODEL_PROMETHEUS_URL", "http://127.0.0.1:9")
    app = opened("engine", src="live")
    assert "127.0.0.1:9 cannot be reached" in unescaped(app.error[0].value)


def test_an_engine_goes_to_the_explore_pages(opened: Opener) -> None:
    app = opened("engine")
    app.button(key="to_explore").click().run()
    assert not app.exception
    scenario = app.session_state["scenario"]
    assert scenario.num_speculative_tokens == 4 and scenario.target_ms == pytest.approx(9.575, abs=0.01)
    assert scenario.acceptance.per_position_acceptance == pytest.approx(
        [198 / 1229, 41 / 1229, 13 / 1229, 7 / 1229], 1e-4
    )
    assert app.header[0].value == "When does speculation pay?"
    app.button(key="one_alpha").click().run()
    assert app.session_state["scenario"].acceptance_shape == ()


# Two runs beside each other


def console(tokens_per_s: float, ttft_ms: float, tpot_ms: float, rows: str = "", itl_ms: float | None = None) -> str:
    """What `vllm bench serve` prints of 100 requests that were sent faster than they were answered."""
    return f"""============ Serving Benchmark Result ============
Successful requests:                     100
Failed requests:                         0
Request rate configured (RPS):           20.00
Benchmark duration (s):                  {400_000 / tokens_per_s:.1f}
Total input tokens:                      1600000
Total generated tokens:                  400000
Output token throughput (tok/s):         {tokens_per_s:.1f}
Mean TTFT (ms):                          {ttft_ms:.1f}
Mean TPOT (ms):                          {tpot_ms:.1f}
Mean ITL (ms):                           {itl_ms or tpot_ms:.1f}
{rows}==================================================
"""


SPECULATION = """---------------Speculative Decoding---------------
Acceptance rate (%):                     80.00
Acceptance length:                       2.60
Drafts:                                  153846
Draft tokens:                            307692
Accepted tokens:                         246154
Per-position acceptance (%):
  Position 0:                            86.00
  Position 1:                            74.00
"""
SATURATED = console(800, 220_000, 10, SPECULATION, itl_ms=26)


@pytest.mark.parametrize("locale", ["en-US", "ja-JP"])
def test_a_pair_at_unlike_load_says_what_the_server_gives(opened: Opener, locale: str, untranslated: set[str]) -> None:
    """1.80× per token, and the server gave 0.80×: the headline was 'Yes, it pays'."""
    app = opened("engine", locale, src="paste")
    app.text_area(key="pasted").set_value(SATURATED)
    app.text_area(key="pasted_plain").set_value(console(1000, 150_000, 18)).run()
    headline = unescaped(app.warning[0].value)
    for ratio in ("0.80×", "1.47×", "0.44×", "--max-concurrency 8"):
        assert ratio in headline
    assert "1.80×" not in headline and not app.success and untranslated == set()
    tables = "".join(str(table.value.to_numpy()) for table in app.table)
    assert "0.80×" in tables and "1.80×" not in tables
    shown = numbers(app)
    assert not {"Decode speedup", "P(speedup < 1)", "Best draft length k*"} & shown.keys()
    assert any("2.60" in value for value in shown.values())
    if locale == "en-US":
        assert "The server gives 800 tokens/s instead of 1,000 (0.80×)" in headline
        assert "their ratio is no speedup" in headline


def test_the_link_of_such_a_pair_says_the_same(opened: Opener) -> None:
    app = pasted(opened, SATURATED, console(1000, 150_000, 18))
    query = {key: str(app.session_state[key]) for key in ("counts", "base")}
    linked = opened("engine", src="link", **query)
    assert unescaped(linked.warning[0].value) == unescaped(app.warning[0].value)


def test_text_that_speculates_in_the_box_for_the_plain_run_is_compared(opened: Opener) -> None:
    app = pasted(opened, sample("vllm-bench-serve-spec.json"), SATURATED)
    assert "speculates itself, so it is no baseline" in unescaped(app.info[0].value)
    assert "Two runs compared" in [each.value for each in (*app.header, *app.subheader)]
    linked = opened("engine", src="link", **{key: str(app.session_state[key]) for key in ("counts", "other")})
    assert unescaped(alerts(app)).endswith(unescaped(alerts(linked))[-60:])


def test_a_log_whose_speculation_is_unreadable_is_no_baseline(opened: Opener) -> None:
    bad = (SAMPLES / "faults" / "vllm-log-accepted-length.log").read_text(encoding="utf-8")
    app = pasted(opened, sample("vllm-log-current.log"), bad)
    assert "pasted, without speculation: the file has lines of vLLM's speculation" in alerts(app).replace("**", "")
    assert "Acceptance alone decides nothing." in app.info[0].value and "Decode speedup" not in numbers(app)


def upload(app: AppTest, *files: tuple[str, str]) -> AppTest:
    app.file_uploader(key="engine_upload").set_value([(name, text.encode(), "text/plain") for name, text in files])
    app.run()
    assert not app.exception, app.exception
    return app


def scrapes() -> tuple[tuple[str, str], ...]:
    names = ("vllm-metrics-t0.prom", "vllm-metrics-t1.prom", "vllm-metrics-baseline-nospec.prom")
    return tuple((name, sample(name)) for name in names)


def test_two_scrapes_and_a_scrape_of_the_baseline_are_a_difference_and_a_baseline(opened: Opener) -> None:
    """The baseline vanished, and the page asked for it."""
    app = upload(opened("engine", src="files"), *scrapes())
    assert "From vllm-metrics-t0.prom to vllm-metrics-t1.prom." in said(app)
    assert "vllm-metrics-baseline-nospec.prom: the baseline" in said(app)
    assert "Decode speedup" in numbers(app)
    assert app.session_state["engine_run"][1].stats.num_rounds == 8000


def test_a_third_scrape_between_two_is_named(opened: Opener) -> None:
    first, last, _ = scrapes()
    app = upload(opened("engine", src="files"), first, last, ("once more.prom", last[1]))
    assert "Between them, and so not needed:" in said(app)


def test_break_even_without_a_draft_length(opened: Opener) -> None:
    app = pasted(opened, sample("sglang-send-one.txt"))
    box = unescaped(app.info[0].value)
    assert "Acceptance alone decides nothing." in box and "plain steps" in box
    assert "Break-even cost of a step ρ*" in numbers(app)
    assert "Draft tokens per round (k) are not in the file" in said(app)


def test_positions_that_were_never_accepted_are_advice_without_a_time(opened: Opener) -> None:
    rates = ", ".join(["0.6", "0.4", "0.2", "0.12", "0.05", *["0"] * 10])
    app = opened("engine", src="hand", reads="per_position", rate=rates)
    assert "Positions 6 to 15 were never accepted: k = 5 gives the same 2.37 tokens a round" in said(app)


def test_instances_without_speculation_are_offered_as_the_baseline(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Target("vLLM", "m", (("model_name", "m"), ("job", "off")), "vllm:", "job off")
    on = Target("vLLM", "m", (("model_name", "m"), ("job", "on")), "vllm:", "job on", plain)
    counted = logs.parse(sample("vllm-metrics-t1.prom"))
    beside = logs.parse(sample("vllm-metrics-baseline-nospec.prom")).replace(batch_size=counted.batch_size)
    monkeypatch.setenv("SPECMODEL_PROMETHEUS_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(engine_live, "_fleet", lambda *_: ())
    monkeypatch.setattr(engine_live, "_targets", lambda *_: (on,))
    monkeypatch.setattr(engine_live, "_window", lambda *_: counted)
    monkeypatch.setattr(engine_live, "_plain", lambda *_: beside)
    app = opened("engine", src="live")
    assert "job off" in unescaped(app.checkbox(key="live_plain").label)
    assert "Decode speedup" in numbers(app) and app.session_state["model"] == on.key
    app.checkbox(key="live_plain").uncheck().run()
    assert "Decode speedup" not in numbers(app) and "Acceptance alone" in app.info[0].value


def window_of(tokens: float, step_ms: float) -> SpecStats:
    """A live window of 20,000 rounds with so many tokens a round, and steps that vary as little as they can."""
    accepted = 20_000 * (tokens - 1)
    return SpecStats(
        "vLLM", "Prometheus", num_speculative_tokens=3, num_rounds=20_000, num_draft_tokens=60_000,
        num_accepted_draft_tokens=accepted, num_steps=20_000, generated_tokens=20_000 * tokens,
        step_ms=step_ms, window_s=900,
    )  # fmt: skip


LIVE = Target("vLLM", "m", (("model_name", "m"),), "vllm:")


def live_page(opened: Opener, monkeypatch: pytest.MonkeyPatch, windows: dict[int, SpecStats]) -> AppTest:
    monkeypatch.setenv("SPECMODEL_PROMETHEUS_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(engine_live, "_fleet", lambda *_: ())
    monkeypatch.setattr(engine_live, "_targets", lambda *_: (LIVE,))
    monkeypatch.setattr(engine_live, "_window", lambda _server, _target, window_s, _moment: windows[window_s])
    return opened("engine", src="live", plain="10")


def test_a_loss_in_the_last_minutes_is_said_before_the_window_s_verdict(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = live_page(opened, monkeypatch, {900: window_of(2.5, 13), 180: window_of(1.1, 13)})
    boxes = [unescaped(each.value) for each in (*app.error, *app.success)]
    assert boxes[0].startswith("**In the last 3 min: No, speculation loses here") and "see below" in boxes[0]
    assert any(each.startswith("**Yes, it pays") for each in boxes)


def test_last_minutes_that_agree_are_a_note(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    app = live_page(opened, monkeypatch, {900: window_of(2.5, 13), 180: window_of(2.45, 13)})
    assert "The last 3 min say the same: 1.88×" in said(app) and not app.error


def test_while_prometheus_is_away_the_last_answer_stays_with_its_age_and_the_page_goes_on_asking(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = {900: window_of(2.5, 13), 180: window_of(2.5, 13)}
    app = live_page(opened, monkeypatch, windows)
    before = numbers(app)

    def away(*_: object) -> None:
        raise LiveError(Message("127.0.0.1:9 cannot be reached: is it running?"), "down")

    monkeypatch.setattr(engine_live, "_targets", away)
    app.run()
    assert not app.exception and "cannot be reached" in app.error[0].value.replace("\\", "")
    assert "the last answer, 1 min old" in app.warning[0].value and numbers(app) == before
    assert any("Refresh every" in each.label for each in app.toggle)
    live_page(opened, monkeypatch, windows)
    app.run()
    assert not app.error and numbers(app) == before


TABLE = "| k | t/s | accept |\n|--|--|--|\n| 0 | 50 | - |\n| 3 | 90 | 2.1 |\n| 5 | 95 | 2.6 |\n"


def test_a_table_shows_its_columns_asks_where_it_is_unsure_and_says_what_to_measure_next(opened: Opener) -> None:
    app = pasted(opened, TABLE)
    assert "fits several definitions" in app.warning[0].value
    assert [each.value for each in app.selectbox][:3] == ["k", "tokens_per_s", None]
    assert "Best: k = 5" in said(app) and "Measure next: the settings that tie, again." in said(app)
    app.selectbox[2].set_value("length_with_bonus").run()
    assert not app.exception and not app.warning
    assert app.session_state["columns"] == "..length_with_bonus"
    assert numbers(app)["Tokens per round τ"] == "2.60" and "Measure next: k = " in said(app)


def test_columns_of_a_link_count_and_those_of_one_table_are_not_those_of_the_next(opened: Opener) -> None:
    app = pasted(opened, TABLE, columns="..length_without_bonus")
    assert numbers(app)["Tokens per round τ"] == "3.60"
    app.text_area(key="pasted").set_value(TABLE.replace("accept", "accept len")).run()
    assert numbers(app)["Tokens per round τ"] == "2.60" and not app.session_state["columns"]


def test_a_refused_table_says_why_and_can_be_called_something_else(opened: Opener) -> None:
    app = pasted(opened, TABLE.replace("accept", "accept len").replace("2.1", "0.7"))
    assert "line 4" in app.error[0].value
    app.selectbox[2].set_value("ignore").run()
    assert not app.error and numbers(app)["Decode speedup"] == "1.90×"


def test_two_speeds_give_a_speedup_and_what_it_implies(opened: Opener) -> None:
    app = opened("engine", src="hand", reads="speeds", **{"without": "50, 51, 49", "with": "90, 91, 89"})
    assert not app.exception and numbers(app)["Decode speedup"] == "1.80×"
    assert "spread between repeated runs" in said(app) and "a round emits at least 1.80 tokens" in said(app)
    assert "Missing for more: the draft length k" in said(app)
    app.text_input(key="drafted").set_value("4")
    app.text_input(key="draftcost").set_value("0.1").run()
    assert "2.52 to 3.24 tokens a round, 38% to 56% of the drafts accepted" in said(app)
    app.text_input(key="draftcost").set_value("x").run()
    assert "is no cost of a draft" in app.error[0].value


def test_speeds_that_cannot_be_are_refused(opened: Opener) -> None:
    app = opened("engine", src="hand", reads="speeds", **{"without": "84,2", "with": "90"})
    assert "too far apart for repeats" in app.error[0].value
    app.text_input(key="without").set_value("fast").run()
    assert "no number of tokens per second" in app.error[0].value


def test_two_files_that_speculate_are_compared_at_a_click(opened: Opener) -> None:
    app = opened("engine", src="files")
    upload(
        app,
        ("one.csv", "k,tok/s,tau,batch\n0,50,,1\n3,90,2.4,1\n"),
        ("two.csv", "k,tok/s,tau,batch\n0,50,,1\n3,120,3.2,1\n"),
    )
    assert "two_runs" not in said(app) and not str(app.session_state["other"])
    app.selectbox(key="against").set_value("two.csv").run()
    assert not app.exception and "two.csv decodes 1.33 (" in unescaped(alerts(app))
    assert "the acceptance makes the difference" in alerts(app)
    assert "name:two.csv" in str(app.session_state["other"]) or ";" in str(app.session_state["other"])
    app.selectbox(key="against").set_value("").run()
    assert not str(app.session_state["other"])


def test_how_long_to_measure_says_enough_or_how_many_more(opened: Opener) -> None:
    app = opened("engine")  # five times as slow, by the times of its requests
    assert "Enough: the speedup is known to ±" in said(app) and "which side it is on is sure" in said(app)
    app = opened("engine", example="misfit", matters="5 %", perminute="30")
    assert "Not yet: " in said(app) and "min more" in said(app)
    app.text_input(key="matters").set_value("many").run()
    assert "is no number above 0" in app.error[-1].value
