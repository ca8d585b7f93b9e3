"""The Serving load page through AppTest: its controls, links, files of passes, and the engine that leads here."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.load import Drafter, Load
from specmodel.serving.passes import AffinePass
from specmodel.serving.target_model import TargetModel
from tests.conftest import SAMPLES
from tests.dashboard.conftest import Opener, below, go_to, numbers, said, warned

SGLANG_PASSES = (SAMPLES / "sglang-bench-speculative.jsonl").read_text(encoding="utf-8")


def group(app: AppTest, kind: type) -> Any:
    return app.session_state[f"group:{kind.__name__}"]


def upload(app: AppTest, key: str, text: str, name: str = "passes.csv") -> AppTest:
    app.file_uploader(key=key).upload(name, text.encode(), "text/csv").run()
    assert not app.exception, app.exception
    return app


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
    fields = {key.split(".")[0] for key in shown if key and key.startswith("field:")} - {"field:Measured"}
    wanted = {"roofline": {"field:TargetModel", "field:Accelerator"}, "fit": {"field:AffinePass"}, "points": set()}
    assert fields == wanted[query.get("cost", "roofline")]


def test_choosing_a_source_and_captured_sizes_changes_the_answer(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("serving", passes="smollm2_bf16", batch="1", k="2")
    times = [numbers(app)["Time per output token"]]
    app.selectbox(key="serving:cost").set_value("points").run()
    for sizes in ("", "1, 4, 8, 13", "8, 4"):
        app.text_input(key="serving:sizes").set_value(sizes).run()
        assert links[-1]["cost"] == "points" and links[-1].get("sizes", "") == sizes
        times.append(numbers(app)["Time per output token"])
    _roofline, exact, padded, refused = times
    assert len(set(times)) == 3 and padded != exact == refused
    assert "captured sizes must be numbers of at least 1 that rise" in warned(app)
    assert app.text_input(key="serving:sizes").value == "8, 4"


# The load, and what drafts


def test_the_load_is_chosen_by_one_control(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("serving", batch="4", prefill="10", alpha="0.95")
    assert "Speedup here" in numbers(app) and "load_by" not in links[-1]
    app.button_group(key="serving:load_by").set_value("rate").run()
    assert not app.exception and "Speedup at this rate" in numbers(app) and links[-1]["load_by"] == "rate"
    assert "per second it pays" in app.success[0].value
    again = opened("serving", **links[-1])
    assert numbers(again) == numbers(app) and not again.warning
    again.button_group(key="serving:load_by").set_value("batch").run()
    assert "Speedup here" in numbers(again) and group(again, Load).batch_size == 4


def test_what_cannot_be_served_is_red_and_an_example_is_a_batch_again(opened: Opener) -> None:
    app = opened("serving", rps="500")
    assert "saturate the engine" in app.error[0].value and not app.success
    app.button(key="preset:dense").click().run()
    assert not app.error and "Speedup here" in numbers(app)


def test_a_way_of_drafting_is_chosen_here_too(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("serving")
    before = numbers(app)
    app.selectbox(key="serving:way").set_value("eagle3").run()
    assert links[-1]["way"] == "eagle3" and "a tree of 60 drafts" in said(app) and numbers(app) != before
    assert not [box for box in app.selectbox if box.key == "serving:drafting"]
    app.selectbox(key="serving:way").set_value("block").run()
    assert links[-1]["method"] == "dflash" and '"dflash"' in app.code[0].value
    app.selectbox(key="serving:way").set_value("").run()
    assert numbers(app) == before and "way" not in links[-1]
    assert "measured" not in app.selectbox(key="serving:way").options


# Presets and numbers, and the link that carries them


def test_presets_change_the_answer(opened: Opener) -> None:
    app = opened("serving")
    before = numbers(app)
    app.selectbox(key="serving:gpu").set_value("l4").run()
    assert group(app, Accelerator).bandwidth_gb_s == accelerators()["l4"].values.bandwidth_gb_s
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
    assert numbers(again) == numbers(app) and not again.warning


CONFIG = """{"_name_or_path": "org/Some-70B", "model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
"num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 128256,
"torch_dtype": "bfloat16", "tie_word_embeddings": false}"""


def test_a_model_of_one_s_own_is_counted_from_its_config_json_and_goes_into_the_link(
    opened: Opener, links: list[dict[str, str]]
) -> None:
    app = opened("serving")
    app.session_state["numbers"] = True
    app.run()
    app.text_area("config_json").set_value("{no config").run()
    app.button("use_config").click().run()
    assert any("no JSON" in each.value for each in app.error)
    assert group(app, TargetModel) == target_models()["llama31_8b"].values
    app.text_area("config_json").set_value(CONFIG).run()
    app.button("use_config").click().run()
    assert not app.exception and any("Some\\-70B" in each.value for each in app.success)
    found = group(app, TargetModel)
    assert found.total_billions == pytest.approx(70.55, abs=0.01) and found.layers == 80
    assert links[-1]["llmname"] == "Some-70B"
    again = opened("serving", **links[-1])
    assert group(again, TargetModel) == found
    again.selectbox("serving:llm").set_value("qwen3_8b").run()
    assert group(again, TargetModel) == target_models()["qwen3_8b"].values and "llmname" not in links[-1]


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


def test_a_contradiction_typed_in_is_named_and_changes_nothing(opened: Opener) -> None:
    app = opened("serving", llm="deepseek_v4_flash", gpu="b200", gpus="2")
    before, model = numbers(app), group(app, TargetModel)
    app.number_input(key="field:TargetModel.active_experts").set_value(300).run()
    assert "300 active experts of 256" in warned(app)
    assert group(app, TargetModel) == model and numbers(app) == before
    assert app.number_input(key="field:TargetModel.active_experts").value == 6
    app.number_input(key="field:Accelerator.bandwidth_gb_s").set_value(0.0).run()
    assert "bandwidth_gb_s = 0.0 is outside 0.1 to 1,000,000 (Memory bandwidth)" in warned(app)
    assert numbers(app) == before


def test_a_link_to_passes_that_only_another_session_has_says_so_once(
    opened: Opener, links: list[dict[str, str]]
) -> None:
    app = opened("serving", cost="points", passes="engine")
    assert "The passes of an engine's file do not come with a link" in warned(app)
    assert app.selectbox(key="serving:passes").value == "deepseek_v4_flash" and "passes" not in links[-1]
    app.run()
    assert not app.warning


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


def test_a_file_that_cannot_be_read_is_named_and_the_last_one_stays(opened: Opener) -> None:
    app = opened("serving", cost="points", passes="upload")
    upload(app, "points_file", "tokens,ms\n1,20\n64,25\n")
    before = numbers(app)
    upload(app, "points_file", "tokens,ms\n1,20\n4,fast\n", name="broken.csv")
    errors = app.error[0].value.replace("\\", "")
    assert "broken.csv" in errors and "line 3, column ms: 'fast' is not a number" in errors
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


# The configuration, and from an engine


def test_the_engine_is_chosen_and_a_way_of_drafting_that_it_has(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("serving", engine="vLLM", method="pard")
    assert links[-1]["method"] == "pard" and "num_speculative_tokens_per_batch_size" in app.code[0].value
    app.selectbox(key="serving:engine").set_value("llama.cpp").run()
    assert "--spec-draft-n-max 3" in app.code[0].value and links[-1]["engine"] == "llama.cpp"
    assert app.selectbox(key="serving:method").value == links[-1]["method"] == "draft_model" and not app.exception


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
    assert app.selectbox(key="serving:cost").value == "operators"
    assert app.session_state["scenario"].alpha == pytest.approx(0.161, abs=0.001)
    assert "llama-server" in app.code[0].value


def test_an_engine_without_passes_after_one_with_them_is_not_shown_a_stranger_s(opened: Opener) -> None:
    app = opened("engine", src="paste")
    app.text_area(key="pasted").set_value(SGLANG_PASSES).run()
    app.button(key="to_serving").click().run()
    assert app.selectbox(key="serving:passes").value == "engine"
    go_to(app, "engine")
    app.text_area(key="pasted").set_value("").run()
    app.button_group(key="src").set_value("example").run()
    app.button(key="to_serving").click().run()
    assert not app.exception
    assert app.selectbox(key="serving:cost").value == "operators" and "Its file tells of too few passes" in warned(app)
    app.selectbox(key="serving:gpu").set_value("l4").run()
    assert not app.warning, "the visitor has chosen a machine"
