"""The Serving load page through AppTest: what it answers, from three sources of a pass, and what it refuses."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.load import Drafter, Load
from specmodel.serving.passes import AffinePass
from specmodel.serving.target_model import TargetModel
from tests.conftest import SAMPLES
from tests.dashboard.conftest import Opener, alerts, below, go_to, numbers, said, warned

FLASH = {"llm": "deepseek_v4_flash", "gpu": "b200", "mfu": "1", "mbu": "1", "step": "0", "alpha": "0.75", "ctx": "4096"}
SGLANG_PASSES = (SAMPLES / "sglang-bench-speculative.jsonl").read_text(encoding="utf-8")


def group(app: AppTest, kind: type) -> Any:
    return app.session_state[f"group:{kind.__name__}"]


def config(app: AppTest) -> dict[str, Any]:
    """What the vLLM snippet sets."""
    found = re.search(r"--speculative-config '(.*)'", app.code[0].value)
    assert found
    return dict(json.loads(found[1]))


def tiers(app: AppTest) -> list[tuple[str, str]]:
    table = app.table[0].value
    return list(zip(table.iloc[:, 0], table.iloc[:, 1], strict=True))


def same(found: str, wanted: str) -> bool:
    """Whether two texts of a link say the same, as a number or as a word."""
    try:
        return float(found) == float(wanted)
    except ValueError:
        return found == wanted


def upload(app: AppTest, key: str, text: str, name: str = "passes.csv") -> AppTest:
    app.file_uploader(key=key).upload(name, text.encode(), "text/csv").run()
    assert not app.exception, app.exception
    return app


# The regression of the issue


@pytest.mark.parametrize(
    ("batch", "k", "speedup"), [("1", "1", "1.17×"), ("4", "0", "1.00×"), ("32", "5", "1.35×"), ("128", "3", "1.74×")]
)
def test_best_draft_lengths_of_the_published_widget(opened: Opener, batch: str, k: str, speedup: str) -> None:
    app = opened("serving", batch=batch, **FLASH, gpus="2")
    assert numbers(app)["Best k here"] == k and below(app)["Best k here"] == speedup
    assert below(app)["Off at batch"] == "best k: 4–13"
    assert "beyond the largest" not in warned(app)


def test_free_checking_pays_at_every_batch(opened: Opener) -> None:
    free = {"cost": "fit", "fit_base": "20", "fit_token": "0", "fit_cached": "0", "fit_step": "0"}
    app = opened("serving", alpha="0.75", batch="128", **free)
    assert numbers(app)["Best k here"] == "5" and below(app)["Best k here"] == "2.19×"
    assert numbers(app)["Off at batch"] == numbers(app)["Off at request rate"] == "never"


def test_memory_caps_the_batch_of_one_accelerator_and_two_have_room(opened: Opener) -> None:
    app = opened("serving", batch="128", **FLASH)
    assert "A batch of 128 is beyond the largest one here, 96: memory holds no more requests." in warned(app)
    assert "requests that fit" in list(app.table[2].value.iloc[:, 0]) and app.table[2].value.iloc[3, 1] == "96"
    app.number_input(key="serving:count").set_value(2).run()
    assert "beyond the largest" not in warned(app)
    assert app.table[2].value.iloc[3, 1] == "1,693"


@pytest.mark.parametrize(
    ("query", "most", "reason"),
    [
        ({"maxseqs": "100"}, 100, "the engine is set to no more"),
        ({"cost": "points", "passes": "pair"}, 13, "no larger pass was measured"),
    ],
    ids=str,
)
def test_what_else_limits_the_batch_is_told(opened: Opener, query: dict[str, str], most: int, reason: str) -> None:
    app = opened("serving", batch="2000", **query)
    assert f"A batch of 2,000 is beyond the largest one here, {most:,}: {reason}." in warned(app)


def test_a_drafter_takes_room(opened: Opener) -> None:
    app = opened("serving", dsize="1.24", dkv="32768", ctx="8192")
    assert list(app.table[2].value.iloc[3, 1:]) == ["52", "39"]
    assert "The drafter takes the room of 13 requests of this context." in said(app)


# Verdicts


@pytest.mark.parametrize(
    ("query", "kind", "text"),
    [
        ({}, "success", "Yes, at this load it pays: 1.59× as fast with k = 5."),
        (
            {"cost": "fit", "batch": "200", "ctx": "1024"},
            "error",
            "No, at this load it costs time: 1.09× as long with k = 5.",
        ),
        ({"k": "0"}, "info", "Speculation is off."),
        ({"k": "1", "alpha": "0.1"}, "warning", "Too close to call at this load: 1.00× with k = 1."),
    ],
)
def test_every_verdict(opened: Opener, query: dict[str, str], kind: str, text: str) -> None:
    assert text in getattr(opened("serving", **query), kind)[0].value


# Three sources of the cost of a pass


@pytest.mark.parametrize(
    ("query", "own", "others"),
    [
        ({}, {"llm", "gpu", "count", "drafting"}, {"passes", "sizes"}),
        ({"cost": "fit"}, {"llm", "gpu", "count", "drafting"}, {"passes", "sizes"}),
        ({"cost": "points"}, {"passes", "sizes"}, {"llm", "gpu", "count", "drafting"}),
        ({"cost": "points", "passes": "pair"}, {"passes", "sizes", "drafting"}, {"llm", "gpu", "count"}),
    ],
)
def test_a_source_shows_its_own_controls(
    opened: Opener, query: dict[str, str], own: set[str], others: set[str]
) -> None:
    app = opened("serving", **query)
    shown = {each.key for kind in (app.selectbox, app.number_input, app.text_input) for each in kind}
    chosen = {key.removeprefix("serving:") for key in shown if key}
    assert own <= chosen and not others & chosen
    fields = {key.split(".")[0] for key in shown if key and key.startswith("field:")}
    wanted = {"roofline": {"field:TargetModel", "field:Accelerator"}, "fit": {"field:AffinePass"}, "points": set()}
    assert fields == wanted[query.get("cost", "roofline")]


def test_the_sources_answer_differently(opened: Opener) -> None:
    app = opened("serving", ctx="1024")
    found = []
    for source in ("roofline", "fit", "points"):
        app.selectbox(key="serving:cost").set_value(source).run()
        assert not app.exception
        found.append(numbers(app)["Time per output token"])
    assert found == ["4.78 ms", "5.12 ms", "3.47 ms"]
    assert "vLLM blog of 2026-08-14" in said(app)


def test_measured_tables_are_extrapolated_aloud_and_never_the_best(opened: Opener) -> None:
    app = opened("serving", cost="points", passes="pair", batch="3")
    assert "Extrapolated: this batch checks 18 tokens, the largest measured pass has 13." in warned(app)
    assert (int(numbers(app)["Best k here"]) + 1) * 3 <= 13
    assert all((int(k) + 1) * int(last.split("–")[-1]) <= 13 for last, k in tiers(app) if k != "off")


def test_captured_sizes_pad_a_pass(opened: Opener) -> None:
    app = opened("serving", cost="points", passes="smollm2_bf16", batch="1", k="2")
    before = numbers(app)["Time per output token"]
    app.text_input(key="serving:sizes").set_value("1, 4, 8, 13").run()
    padded = numbers(app)["Time per output token"]
    app.text_input(key="serving:sizes").set_value("").run()
    assert not app.warning and numbers(app)["Time per output token"] == before != padded


# Presets and numbers, and the link that carries them


def test_presets_change_the_answer(opened: Opener) -> None:
    app = opened("serving")
    before = numbers(app)
    app.selectbox(key="serving:gpu").set_value("l4").run()
    assert group(app, Accelerator) == accelerators()["l4"].values
    assert float(numbers(app)["Time per output token"][:-3]) > 5 * float(before["Time per output token"][:-3])
    app.selectbox(key="serving:llm").set_value("qwen3_30b_a3b").run()
    assert group(app, TargetModel) == target_models()["qwen3_30b_a3b"].values
    assert numbers(app) != before and "Qwen3-30B-A3B" in said(app)


def test_a_preset_and_its_edited_numbers_are_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("serving")
    app.selectbox(key="serving:gpu").set_value("mi300x").run()
    app.selectbox(key="serving:llm").set_value("deepseek_v4_flash").run()
    app.number_input(key="serving:count").set_value(2).run()
    app.number_input(key="field:Accelerator.bandwidth_gb_s").set_value(4321.5).run()
    app.number_input(key="field:TargetModel.active_experts").set_value(8).run()
    assert "Some of its numbers were changed." in said(app)
    wanted = {"gpu": "mi300x", "llm": "deepseek_v4_flash", "gpus": "2", "bw": "4321.5", "topk": "8"}
    assert wanted.items() <= links[-1].items()
    again = opened("serving", **links[-1])
    assert group(again, Accelerator) == group(app, Accelerator)
    assert group(again, TargetModel) == group(app, TargetModel)
    assert numbers(again) == numbers(app) and tiers(again) == tiers(app) and not again.warning


ROUND_TRIPS: list[dict[str, str]] = [
    {**FLASH, "gpus": "2", "batch": "32", "offcost": "0", "ties": "0.05"},
    {"cost": "fit", "fit_base": "12.25", "fit_cached": "7.5e-06", "drafting": "parallel", "dratio": "0.3"},
    {"cost": "points", "passes": "smollm2_fp32", "sizes": "1, 4, 8, 13", "drafting": "lookup", "maxseqs": "4"},
    {"rps": "2.25", "prefill": "40", "tokens": "250", "price": "1.1", "watts": "450", "engine": "SGLang"},
    {"dsize": "1.24", "dkv": "32768", "dms": "0.5", "overhead": "0.7", "pin": "k:3"},
]


@pytest.mark.parametrize("query", ROUND_TRIPS, ids=str)
def test_a_link_comes_back_as_it_was_and_shows_the_same(
    opened: Opener, links: list[dict[str, str]], query: dict[str, str]
) -> None:
    app = opened("serving", **query)
    assert "link" not in warned(app)
    assert all(same(links[-1][key], value) for key, value in query.items())
    again = opened("serving", **(copied := links[-1]))
    for kind in (Load, Drafter, Accelerator, TargetModel, AffinePass):
        assert group(again, kind) == group(app, kind)
    assert numbers(again) == numbers(app) and again.code[0].value == app.code[0].value
    assert links[-1] == copied


def test_what_was_chosen_survives_a_visit_to_another_page(opened: Opener) -> None:
    app = opened("serving", cost="points", passes="pair", sizes="1, 4, 16", drafting="lookup", batch="2")
    before = numbers(app)
    go_to(app, "methods")
    go_to(app, "serving")
    assert numbers(app) == before
    assert (
        app.selectbox(key="serving:passes").value == "pair" and app.text_input(key="serving:sizes").value == "1, 4, 16"
    )


# What is refused


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"llm": "deepseek_v4_flash", "topk": "300"}, "300 active experts of 256"),
        ({"experts": "8", "topk": "9"}, "9 active experts of 8: a token cannot use more experts than a layer has"),
        ({"active": "99"}, "99 billion active parameters of 8.03"),
        ({"bw": "0"}, "bandwidth_gb_s = '0' is outside 0.1 to 1,000,000 (Memory bandwidth)"),
        ({"bw": "nan"}, "bandwidth_gb_s = 'nan' is outside 0.1 to 1,000,000 (Memory bandwidth)"),
        ({"batch": "0"}, "batch_size = '0' is not a whole number from 1 to 2,048"),
        ({"batch": "2.5"}, "batch_size = '2.5' is not a whole number"),
        ({"rps": "-1"}, "request_rate = '-1' is outside"),
        ({"rps": "inf"}, "request_rate = 'inf' is outside"),
        ({"offcost": "1"}, "standing_cost = '1' is outside 0 to 0.99"),
        ({"gpu": "abacus"}, "gpu = abacus is none of a100_80gb"),
        ({"llm": "<b>"}, "llm = <b> is none of"),
        ({"cost": "guess"}, "cost = guess is none of roofline, fit, points"),
        ({"drafting": "never"}, "drafting = never is none of sequential, parallel, lookup, heads"),
    ],
    ids=str,
)
def test_a_broken_link_opens_with_the_default_and_says_so(
    opened: Opener, query: dict[str, str], complaint: str
) -> None:
    app = opened("serving", **query)
    assert complaint in warned(app)
    app.button(key="dismiss").click().run()
    assert complaint not in warned(app) and not app.exception


def test_a_contradiction_typed_in_is_named_and_changes_nothing(opened: Opener) -> None:
    app = opened("serving", **FLASH, gpus="2")
    before, model = numbers(app), group(app, TargetModel)
    app.number_input(key="field:TargetModel.active_experts").set_value(300).run()
    assert "300 active experts of 256" in warned(app)
    assert group(app, TargetModel) == model and numbers(app) == before
    assert app.number_input(key="field:TargetModel.active_experts").value == 6
    app.number_input(key="field:Accelerator.bandwidth_gb_s").set_value(0.0).run()
    assert "bandwidth_gb_s = 0.0 is outside 0.1 to 1,000,000 (Memory bandwidth)" in warned(app)
    assert numbers(app) == before


@pytest.mark.parametrize(
    ("sizes", "complaint"),
    [
        ("8, 4", "captured sizes must be numbers of at least 1 that rise; got [8.0, 4.0]"),
        ("0, 1", "captured sizes must be numbers of at least 1 that rise"),
        ("1, two", "'two' is not a number: captured sizes are numbers with commas between them"),
        ("1, nan", "captured sizes must be numbers of at least 1 that rise"),
    ],
)
def test_captured_sizes_that_cannot_be_are_named_and_left_out(opened: Opener, sizes: str, complaint: str) -> None:
    plain = numbers(opened("serving", cost="points"))
    app = opened("serving", cost="points", sizes=sizes)
    assert complaint in warned(app)
    assert numbers(app) == plain and app.text_input(key="serving:sizes").value == sizes


def test_a_pass_that_takes_no_time_is_refused(opened: Opener) -> None:
    app = opened("serving", cost="fit", fit_base="0", fit_token="0", fit_cached="0", fit_step="0")
    assert alerts(app)


def test_a_link_to_passes_that_only_another_session_has_says_so(opened: Opener) -> None:
    assert "engine" in warned(opened("serving", cost="points", passes="engine"))


@pytest.mark.parametrize(
    "query",
    [
        {"cost": "fit", "fit_cached": "1000", "ctx": "10000000"},
        {"cost": "fit", "fit_cached": "1000", "ctx": "131072", "tokens": "1000000"},
        {"f16": "0.001", "ctx": "10000000", "alpha": "0", "dratio": "100"},
    ],
    ids=str,
)
def test_very_slow_engines_are_still_answered(opened: Opener, query: dict[str, str]) -> None:
    assert "costs time" in alerts(opened("serving", **query)) or numbers(opened("serving", **query))


# A file of passes


def test_a_file_of_passes_is_used_and_kept(opened: Opener) -> None:
    app = opened("serving", cost="points", passes="upload", batch="4", k="3", alpha="0.8", dratio="0")
    assert "until then the page shows the first table" in said(app)
    upload(app, "points_file", "tokens,ms\n1,20\n4,20\n16,40\n")
    assert "passes of your file" in said(app)
    assert below(app)["Time per output token"] == "plain 20.00 ms"
    assert numbers(app)["Speedup here"] == "1.48×"  # 2.952 tokens for 40 ÷ 20 plain steps
    go_to(app, "methods")
    go_to(app, "serving")
    assert numbers(app)["Speedup here"] == "1.48×"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tokens,ms\n1,20\n4,fast\n", "line 3, column ms: 'fast' is not a number"),
        ("tokens,ms\n1,20\n0,20\n", "row 2 of the passes"),
        ("tokens,ms\n1,20\n4,nan\n", "row 2 of the passes"),
        ("tokens,seconds\n1,2\n", "ms"),
        ("ms\n2\n", "the table needs a column tokens"),
        ("", ""),
        ("\x00\x01", ""),
    ],
    ids=repr,
)
def test_a_file_that_cannot_be_read_is_named_and_the_last_one_stays(opened: Opener, text: str, complaint: str) -> None:
    app = opened("serving", cost="points", passes="upload")
    upload(app, "points_file", "tokens,ms\n1,20\n64,25\n")
    before = numbers(app)
    upload(app, "points_file", text, name="broken.csv")
    errors = "\n".join(box.value for box in app.error).replace("\\", "")
    assert "broken.csv" in errors and complaint in errors
    assert numbers(app) == before


def test_a_line_is_fitted_to_a_file_and_taken_over(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("serving", cost="fit")
    upload(app, "fit_file", "tokens,ms,context\n1,10.5,0\n2,11,0\n4,12,0\n4,16,1000\n")
    assert "The fitted line misses no point by more than 0.0%." in said(app)
    assert [float(each) for each in app.table[0].value.iloc[:, 3]] == [0] * 4
    app.button(key="use_fit").click().run()
    line = group(app, AffinePass)
    assert (line.base_ms, line.per_token_ms, line.per_cached_token_ms) == pytest.approx((10, 0.5, 0.004))
    assert "A line with your numbers." in said(app)
    assert float(links[-1]["fit_token"]) == pytest.approx(0.5)


# The schedule


def test_the_schedule_can_be_pasted_into_vllm(opened: Opener) -> None:
    app = opened("serving", **FLASH, gpus="2")
    found = config(app)
    schedule = found["num_speculative_tokens_per_batch_size"]
    assert [[f"{first}–{last}", str(k)] for first, last, k in schedule] == [list(each) for each in tiers(app)]
    assert schedule[0][0] == 1 and schedule[-1][1] == 1024
    assert all(before[1] + 1 == after[0] for before, after in pairwise(schedule))
    assert found["num_speculative_tokens"] == max(k for _, _, k in schedule)


@pytest.mark.parametrize(
    ("engine", "option"),
    [
        ("vLLM", "num_speculative_tokens_per_batch_size"),
        ("SGLang", "--speculative-num-steps 3"),
        ("llama.cpp", "--spec-draft-n-max 3"),
        ("TensorRT-LLM", "draft_len_schedule"),
    ],
)
def test_the_snippet_is_that_of_the_engine(opened: Opener, engine: str, option: str) -> None:
    app = opened("serving")
    app.selectbox(key="serving:engine").set_value(engine).run()
    assert option in app.code[0].value and not app.exception
    if engine == "SGLang":
        assert "SGLang takes no schedule by batch size here" in said(app)


def test_the_standing_cost_of_off_changes_the_schedule(opened: Opener) -> None:
    """Off costs nothing: it is off in the gutter. It costs 19 %: it is never off, and that is said."""
    free, loaded = opened("serving", **FLASH, gpus="2", offcost="0"), opened("serving", **FLASH, gpus="2")
    assert "off" in [k for _, k in tiers(free)] and "off" not in [k for _, k in tiers(loaded)]
    assert 0 in [k for _, _, k in config(free)["num_speculative_tokens_per_batch_size"]]
    assert "Off is taken to cost nothing" in said(free)
    assert re.search(r"keeps drafting at 1[01] batch sizes where the plain engine would be faster", said(loaded))
    assert "19% slower than the plain engine (measured elsewhere, not here)" in said(loaded)
    for name in ("Off at batch", "Off at request rate", "Speedup here"):
        assert numbers(free)[name] == numbers(loaded)[name], "it is the plain engine that they compare with"


def test_ties_make_the_schedule_shorter(opened: Opener) -> None:
    exact, tied = (opened("serving", **FLASH, gpus="2", ties=ties) for ties in ("0.001", "0.1"))
    assert len(tiers(exact)) > len(tiers(tied))


# By request rate


def test_below_saturation_the_running_batch_is_told(opened: Opener) -> None:
    app = opened("serving", cost="fit", ctx="1024", maxseqs="200", rps="1")
    assert "With k = 5: 26.7 requests in the engine, 26.68 s an answer." in said(app)
    assert "Without speculation: 37.6 requests in the engine, 37.57 s an answer." in said(app)
    assert "The batch swings: nine moments in ten it is between 17 and 38." in said(app)


def test_beyond_saturation_the_queue_grows(opened: Opener) -> None:
    fit = {"cost": "fit", "ctx": "1024", "maxseqs": "200"}
    saturated = below(opened("serving", **fit))["Off at request rate"]
    rate = 1.02 * float(saturated.removeprefix("saturated at "))
    app = opened("serving", **fit, rps=f"{rate:.4f}")
    assert "With k = 5: saturated, the queue grows without end." in said(app)
    assert re.search(r"Without speculation: [\d.]+ requests in the engine", said(app))
    everything = said(opened("serving", rps="500"))
    assert everything.count("saturated, the queue grows without end") == 2
    assert "The batch swings" not in everything


def test_several_solutions_are_told(opened: Opener) -> None:
    """The measured passes jump from 20.6 to 104 ms between 1,024 and 1,536 tokens: 65 requests of 16 tokens."""
    app = opened("serving", cost="points", k="15", alpha="0.7", rps="2.2")
    assert "57.3 requests in the engine, 26.04 s an answer. Other solutions at 64.6, 654.4" in said(app)
    assert "which one it is depends on the past" in said(app)
    assert "Other solutions" not in said(opened("serving", cost="points", k="15", alpha="0.7", rps="0.5"))


def test_the_rate_where_they_cross_and_where_it_saturates(opened: Opener) -> None:
    fit = {"cost": "fit", "ctx": "1024", "maxseqs": "200"}
    assert numbers(opened("serving", **fit))["Off at request rate"] == "≥ 2.10 /s"
    just_below, just_above = (opened("serving", **fit, rps=rate) for rate in ("2.08", "2.12"))
    latencies = [
        [float(each) for each in re.findall(r"([\d.]+) s an answer", said(app))] for app in (just_below, just_above)
    ]
    assert latencies[0][0] < latencies[0][1] and latencies[1][0] > latencies[1][1]


@pytest.mark.parametrize(
    "query",
    [{"cost": "points"}, {"cost": "points", "k": "15", "alpha": "0.7"}, {"dsize": "27"}],
    ids=str,
)
def test_off_is_advised_where_only_plain_decoding_is_not_saturated(opened: Opener, query: dict[str, str]) -> None:
    """Beyond the saturation with k drafts the queue grows without end, while the plain engine still serves."""
    app = opened("serving", **query)
    saturated = float(below(app)["Off at request rate"].removeprefix("saturated at ").replace(",", ""))
    app = opened("serving", **query, rps=str(saturated * 1.05))
    assert re.search(r"With k = \d+: saturated.*Without speculation: [\d.]+ requests", said(app))
    assert numbers(app)["Off at request rate"] != "never"


# Money, energy


def test_the_bill(opened: Opener) -> None:
    app = opened("serving", price="2", gpus="2", watts="500")
    table = app.table[1].value
    assert list(table.columns) == ["at this batch", "without", "k = 5", "best k = 3"]
    for column in table.columns[1:]:
        speed, money, wasted, energy, wasted_energy = (float(each.replace(",", "")) for each in table[column])
        assert money == pytest.approx(2 * 2 / 3600 * 1e6 / speed, abs=0.001)
        assert energy == pytest.approx(2 * 500 / speed, abs=0.001)
        assert (wasted == wasted_energy == 0) == (column == "without")
        assert wasted < money and wasted_energy < energy
    assert "assumed, not measured" in said(app)


# Beside another scenario, and from an engine


def test_a_pinned_scenario_is_compared(opened: Opener) -> None:
    app = opened("serving", k="3")
    app.button(key="pin").click().run()
    assert below(app)["Speedup here"] == "pinned 1.67×"
    assert not app.exception


def test_a_measured_engine_leads_here_with_its_numbers(opened: Opener) -> None:
    app = opened("engine", src="paste")
    app.text_area(key="pasted").set_value(SGLANG_PASSES).run()
    app.button(key="to_serving").click().run()
    assert not app.exception and app.header[0].value == "Where does batching eat the gain?"
    assert app.selectbox(key="serving:cost").value == "points" and app.selectbox(key="serving:passes").value == "engine"
    assert "Interpolated between the passes that your engine's file tells of." in said(app)
    scenario = app.session_state["scenario"]
    assert below(app)["Time per output token"] == "plain 9.80 ms" == f"plain {scenario.target_ms:.2f} ms"
    assert below(app)["Speedup here"] == f"k = {scenario.num_speculative_tokens}"
    assert group(app, Load).batch_size == 1
    assert group(app, Drafter).draft_cost_ratio == pytest.approx(scenario.draft_ms / scenario.target_ms)
    go_to(app, "engine")
    go_to(app, "serving")
    assert app.selectbox(key="serving:passes").value == "engine"


def test_an_engine_whose_file_tells_no_passes_keeps_the_source_and_brings_its_acceptance(opened: Opener) -> None:
    app = opened("engine")
    app.button(key="to_serving").click().run()
    assert app.selectbox(key="serving:cost").value == "roofline"
    assert app.session_state["scenario"].alpha == pytest.approx(0.161, abs=0.001)
    assert "llama-server" in app.code[0].value


def test_an_engine_without_passes_after_one_with_them_is_not_shown_a_stranger_s(opened: Opener) -> None:
    app = opened("engine", src="paste")
    app.text_area(key="pasted").set_value(SGLANG_PASSES).run()
    app.button(key="to_serving").click().run()
    go_to(app, "engine")
    app.text_area(key="pasted").set_value("").run()
    app.button_group(key="src").set_value("example").run()
    app.button(key="to_serving").click().run()
    assert not app.exception
    assert "DeepSeek" not in str(
        app.selectbox(key="serving:passes").value if app.selectbox(key="serving:cost").value == "points" else ""
    )
