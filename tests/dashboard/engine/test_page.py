"""The engine page through AppTest: its sources, what it says of each, and what it refuses."""

import gzip

import pytest
from streamlit.testing.v1 import AppTest

from specmodel import logs
from specmodel.base.messages import Message
from specmodel.dashboard.engine import live as engine_live
from specmodel.dashboard.engine.examples import EXAMPLES
from specmodel.dashboard.engine.files import EngineFile, read_small, scrape_pairs
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
    assert "The counts cannot tell it from k = 0" in said(app)
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
    assert "independent" in said(app)
    assert "count" in said(app) and "per stream chunk" in said(app)


def test_a_plain_step_that_is_typed_decides(opened: Opener) -> None:
    app = pasted(opened, sample("vllm-metrics-t1.prom"))
    assert "Acceptance alone decides nothing." in app.info[0].value
    app.text_input(key="plain").set_value("9.8 ms").run()
    assert "Yes, it pays" in app.success[0].value
    app.text_input(key="plain").set_value("4").run()
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


def test_typed_positions_have_no_interval(opened: Opener) -> None:
    app = opened("engine", src="hand", reads="per_position", rate="0.8, 0.6")
    assert "As typed, so without intervals." in said(app)
    assert not any(metric.delta for metric in app.metric)


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
    assert "Every point was measured with its own draft length." in said(app)


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
