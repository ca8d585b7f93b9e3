"""Serving load and Methods in a real browser: sliders and addresses, a file of passes, the schedule, a colleague."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewContext, change_page, in_address, opened, settled, upload, verdict
from tests.browser.test_app import SERVE
from tests.conftest import SAMPLES

FLASH = "llm=deepseek_v4_flash&gpu=b200&mfu=1&mbu=1&step=0&alpha=0.75&ctx=4096&gpus=2"
SGLANG_PASSES = SAMPLES / "sglang-bench-speculative.jsonl"
CHARTS = {"serving": 9, "methods": 3}
ALWAYS = {"Batch size", "Context"}


def card(page: Page, label: str) -> Locator:
    return page.locator(".card").filter(has=page.locator("dt", has_text=re.compile(f"^{re.escape(label)}")))


def choose(page: Page, box: str, option: str) -> None:
    """Choose from a list. It closes when the page scrolls, so the scrolling to it has to be over before the click."""
    settled(page)
    field = page.get_by_role("combobox", name=box, exact=True)
    field.scroll_into_view_if_needed()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    field.click()
    page.get_by_role("option", name=option, exact=True).click()


def sliders(page: Page) -> set[str]:
    """The names of the sliders that a visitor sees, without their symbols."""
    names = re.findall(r'slider "(.+?)"', page.get_by_test_id("stSidebar").aria_snapshot())
    return {re.sub(r" \S$", "", name) for name in names}


def code(page: Page) -> str:
    return page.get_by_test_id("stCode").first.inner_text()


@pytest.mark.deep
@pytest.mark.parametrize("path", SERVE)
def test_a_page_draws_all_its_figures_within_the_window(page: Page, app_url: str, path: str) -> None:
    opened(page, f"{app_url}/{path}")
    expect(page.locator(".js-plotly-plot .main-svg").locator("visible=true")).not_to_have_count(0)
    expect(page.locator(".js-plotly-plot")).to_have_count(CHARTS[path])
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.deep
def test_the_gutter_of_a_deep_link_survives_changing_the_page(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?{FLASH}&batch=4")
    expect(card(page, "Best k here")).to_contain_text("0")
    expect(card(page, "Off at batch")).to_contain_text("1–15")
    change_page(page, "Serve", "Methods")
    expect(page.get_by_role("heading", level=2)).to_have_text("Which way of drafting fits?")
    in_address(page, llm="deepseek_v4_flash", gpu="b200", gpus="2", batch="4", ctx="4096")
    change_page(page, "Explore", "Speedup")
    expect(page.get_by_role("heading", level=2)).to_have_text("When does speculation pay?")
    in_address(page, llm="deepseek_v4_flash", alpha="0.75")
    change_page(page, "Serve", "Serving load")
    expect(card(page, "Off at batch")).to_contain_text("1–15")
    in_address(page, gpus="2", batch="4")


def test_a_slider_moves_the_answer_the_figures_and_the_address(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?ctx=1024")
    expect(verdict(page)).to_contain_text("Yes, at this load it pays: 1.51× as fast with k = 5.")
    chart = page.locator(".js-plotly-plot").first
    chart.evaluate("(plot) => { plot.mark = 1; }")
    box = page.get_by_role("textbox", name="Batch size")
    box.fill("256")
    box.press("Enter")
    expect(verdict(page)).to_contain_text("No, at this load it costs time")
    in_address(page, batch="256")
    slider = page.get_by_role("slider", name="Batch size")
    slider.focus()
    slider.press("ArrowLeft")
    in_address(page, batch="192")
    assert chart.evaluate("(plot) => plot.mark") == 1, "the chart was built anew"


@pytest.mark.deep
def test_the_sidebar_shows_what_the_page_uses(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving")
    on_serving = sliders(page)
    assert on_serving >= ALWAYS | {"Acceptance probability", "Draft tokens per round", "Output length"}
    assert not on_serving & {"Target step", "Draft step", "Request rate"}
    page.get_by_role("radio", name="by request rate").click()
    expect(page.get_by_role("slider", name="Request rate")).to_be_visible()
    expect(page.get_by_role("slider", name="Batch size")).to_have_count(0)
    in_address(page, load_by="rate")
    change_page(page, "Serve", "Methods")
    expect(page.get_by_role("heading", level=2)).to_have_text("Which way of drafting fits?")
    settled(page)
    expect(page.get_by_role("slider", name="Acceptance probability")).to_have_count(0)
    assert sliders(page) == ALWAYS
    change_page(page, "Explore", "Speedup")
    expect(page.get_by_role("slider", name="Target step")).to_be_visible()
    assert not sliders(page) & {*ALWAYS, "Request rate"}
    change_page(page, "Measure", "Your engine")
    expect(page.get_by_role("heading", level=2)).to_have_text("Should speculation be on in your engine?")
    expect(page.get_by_role("slider")).to_have_count(0)


@pytest.mark.deep
def test_folded_sliders_work_and_are_in_the_address(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?{FLASH}")
    expect(page.get_by_text("keeps drafting at")).to_be_visible()
    page.get_by_text("Engine, drafter and price").click()
    box = page.get_by_role("textbox", name="Standing cost of off")
    box.fill("0")
    box.press("Enter")
    expect(page.get_by_text("Off is taken to cost nothing")).to_be_visible()
    page.wait_for_url(re.compile(r"[?&]offcost=0(\.0)?(&|$)"))
    expect(page.get_by_test_id("stTable").first).to_contain_text("off")


# Presets and numbers


@pytest.mark.deep
def test_a_preset_and_an_edited_number_reach_a_colleague(page: Page, new_context: NewContext, app_url: str) -> None:
    opened(page, f"{app_url}/serving")
    before = card(page, "Time per output token").inner_text()
    choose(page, "Accelerator", "AMD Instinct MI300X")
    in_address(page, gpu="mi300x")
    expect(card(page, "Time per output token")).not_to_have_text(before)
    page.get_by_role("button", name="Numbers and sources").click()
    box = page.get_by_role("spinbutton", name="Memory bandwidth (GB/s)")
    box.fill("2650")
    box.press("Enter")
    expect(page.get_by_text("Some of its numbers were changed.")).to_be_visible()
    page.wait_for_url(re.compile(r"[?&]bw=2650"))
    page.keyboard.press("Escape")
    shown = card(page, "Time per output token").inner_text()
    colleague = opened(new_context().new_page(), page.url)
    expect(card(colleague, "Time per output token")).to_have_text(shown, use_inner_text=True)
    in_address(colleague, gpu="mi300x")


@pytest.mark.deep
def test_a_number_that_contradicts_the_others_is_named_and_nothing_is_lost(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?{FLASH}&batch=32")
    expect(card(page, "Speedup here")).to_contain_text("1.35×")
    page.get_by_role("button", name="Numbers and sources").click()
    box = page.get_by_role("spinbutton", name="Experts of one token K")
    box.fill("300")
    box.press("Enter")
    expect(page.get_by_test_id("stAlert").filter(has_text="300 active experts of 256")).to_have_count(1)
    expect(box).to_have_value("6")
    page.keyboard.press("Escape")
    expect(card(page, "Speedup here")).to_contain_text("1.35×")
    page.get_by_role("button", name="Understood").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="300 active experts")).to_have_count(0)


@pytest.mark.deep
def test_a_bad_link_is_named_and_the_rest_of_it_is_used(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?bw=nan&batch=64&gpu=abacus")
    expect(page.get_by_test_id("stAlert").filter(has_text="bandwidth_gb_s = 'nan' is outside")).to_be_visible()
    expect(page.get_by_test_id("stAlert").filter(has_text="gpu = abacus is none of")).to_be_visible()
    expect(page.get_by_role("textbox", name="Batch size")).to_have_value("64")


# Measured passes


@pytest.mark.deep
def test_a_file_of_passes(page: Page, new_context: NewContext, app_url: str) -> None:
    opened(page, f"{app_url}/serving?cost=points&passes=upload&batch=4&k=3&alpha=0.8&dratio=0")
    expect(page.get_by_text("until then the page shows the first table")).to_be_visible()
    upload(page, b"tokens,ms\n1,20\n4,20\n16,40\n", "passes.csv")
    expect(page.get_by_text("Interpolated between the passes of your file.")).to_be_visible()
    expect(card(page, "Speedup here")).to_contain_text("1.48×")
    box = page.get_by_role("textbox", name="Captured sizes")
    box.fill("8, 4")
    box.press("Enter")
    message = "captured sizes must be numbers of at least 1 that rise"
    expect(page.get_by_test_id("stAlert").filter(has_text=message)).to_be_visible()
    expect(card(page, "Speedup here")).to_contain_text("1.48×")
    box.fill("4, 16")
    box.press("Enter")
    expect(page.get_by_test_id("stAlert").filter(has_text=message)).to_have_count(0)
    upload(page, b"tokens,ms\n1,20\n4,fast\n", "broken.csv")
    refused = page.get_by_test_id("stAlert").filter(has_text="broken.csv")
    expect(refused).to_contain_text("line 3, column ms: 'fast' is not a number")
    expect(card(page, "Speedup here")).to_contain_text("1.48×")
    change_page(page, "Serve", "Methods")
    expect(page.get_by_text("Interpolated between the passes of your file.")).to_be_visible()
    expect(page.get_by_role("heading", level=2)).to_have_text("Which way of drafting fits?")
    in_address(page, cost="points", passes="upload")
    other = opened(new_context().new_page(), page.url)
    expect(other.get_by_text("until then the page shows the first table")).to_be_visible()


@pytest.mark.deep
def test_a_measured_engine_opens_under_load(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/engine?src=files")
    settled(page)
    page.locator("input[type=file]").set_input_files([SGLANG_PASSES])
    page.get_by_role("button", name="…under load").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Where does batching eat the gain?")
    expect(page.get_by_text("Interpolated between the passes that your engine's file tells of.")).to_be_visible()
    expect(card(page, "Time per output token")).to_contain_text("plain 9.80 ms")
    in_address(page, cost="points", passes="engine", batch="1")


# The schedule and the request rate


@pytest.mark.deep
def test_the_schedule_can_be_pasted(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?{FLASH}&offcost=0")
    match = re.search(r"--speculative-config\s+'(.*)'", code(page), re.DOTALL)
    assert match
    schedule = json.loads(match[1])["num_speculative_tokens_per_batch_size"]
    assert schedule[0][0] == 1 and schedule[-1][1] == 1024 and 0 in [k for _, _, k in schedule]
    choose(page, "Engine", "TensorRT-LLM")
    refused = page.get_by_test_id("stAlert").filter(has_text="TensorRT-LLM wants the longest K, 4, in the first tier")
    expect(refused).to_be_visible()
    expect(page.get_by_test_id("stCode").first).to_contain_text("max_draft_len: 4")
    in_address(page, engine="TensorRT-LLM")
    choose(page, "Engine", "llama.cpp")
    expect(page.get_by_test_id("stCode").first).to_contain_text("llama-server")
    expect(refused).to_have_count(0)
    opened(page, f"{app_url}/serving?ctx=1024&engine=TensorRT-LLM")
    expect(page.get_by_test_id("stCode").first).to_contain_text("draft_len_schedule")


@pytest.mark.deep
def test_a_request_rate_beyond_saturation_is_said(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/serving?ctx=1024&load_by=rate")
    expect(page.get_by_text(re.compile(r"With k = 5: [\d.]+ requests in the engine"))).to_be_visible()
    box = page.get_by_role("textbox", name="Request rate")
    box.fill("50")
    box.press("Enter")
    expect(verdict(page)).to_contain_text("No: 50.00 requests per second saturate the engine")
    expect(page.get_by_text("With k = 5: saturated, the queue grows without end.")).to_be_visible()
    in_address(page, rps="50.0", load_by="rate")


@pytest.mark.deep
def test_a_table_leaves_with_what_it_rests_on(page: Page, app_url: str, tmp_path: Path) -> None:
    opened(page, f"{app_url}/serving?{FLASH}&batch=32")
    with page.expect_download() as download:
        page.get_by_role("button", name="By batch size (CSV)").click()
    download.value.save_as(tmp_path / "table.csv")
    text = (tmp_path / "table.csv").read_text("utf-8")
    assert "# batch_size,32" in text and "# experts,256" in text
    assert re.search(r"/serving\?\S*llm=deepseek_v4_flash", text)
    assert "first,last,num_speculative_tokens" in text


# Methods


@pytest.mark.deep
def test_methods_are_filtered_sorted_and_linked(page: Page, new_context: NewContext, app_url: str) -> None:
    opened(page, f"{app_url}/methods?batch=32")
    expect(card(page, "Methods that pay here")).to_contain_text("of 12 shown")
    legend = page.locator(".js-plotly-plot .legend").first
    expect(legend).to_contain_text("Medusa")
    page.get_by_role("button", name="Nothing to train").click()
    expect(legend).not_to_contain_text("Medusa")
    in_address(page, only="untrained")
    choose(page, "Sort by", "Tokens per round")
    in_address(page, sort="tau")
    choose(page, "What it is asked", "Code")
    page.wait_for_url(re.compile("kind=code"))
    shown = card(page, "Fastest at this batch").inner_text()
    colleague = opened(new_context().new_page(), page.url)
    expect(card(colleague, "Fastest at this batch")).to_have_text(shown, use_inner_text=True)
    expect(colleague.locator(".js-plotly-plot .legend").first).not_to_contain_text("Medusa")


@pytest.mark.deep
def test_a_number_of_a_method_is_changed_linked_and_put_back(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/methods?look=ngram")
    box = page.get_by_role("spinbutton", name="Rounds with a match")
    expect(box).not_to_have_value(re.compile("^0?$"))  # until its number has come
    published = box.input_value()
    box.fill("0.9")
    box.press("Enter")
    expect(page.get_by_text("Changed by you: Rounds with a match.")).to_be_visible()
    in_address(page, ngram_found="0.9")
    page.get_by_role("button", name="Back to the published numbers").click()
    expect(box).to_have_value(published)
    expect(page.get_by_text("Changed by you")).to_have_count(0)
    page.wait_for_function("() => !location.search.includes('ngram_found')")


@pytest.mark.deep
def test_a_method_goes_to_explore_and_from_there_under_load(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/methods?look=eagle")
    page.get_by_role("button", name="Take it to the Explore pages").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("When does speculation pay?")
    expect(verdict(page)).to_contain_text("Yes, it pays: 2.54× as fast.")
    page.wait_for_url(re.compile("shape="))
    change_page(page, "Serve", "Serving load")
    expect(verdict(page)).to_contain_text("with EAGLE, a tree of 25")


@pytest.mark.deep
def test_the_tree_of_sequoia(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/methods?look=ngram")
    levels = page.get_by_role("spinbutton", name="Levels, root counted")
    levels.fill("4")
    levels.press("Enter")
    sentence = page.get_by_text("The best tree of 16 nodes in 4 levels emits 2.865 tokens a round on average.")
    expect(sentence).to_be_visible()
    in_address(page, levels="4")
    nodes = page.get_by_role("spinbutton", name="Nodes, root counted")
    nodes.fill("32")
    nodes.press("Enter")
    in_address(page, nodes="32", levels="4")
    expect(sentence).to_have_count(0)
    expect(page.locator(".js-plotly-plot").last.locator(".scatterlayer .point")).to_have_count(32)
