"""The sliders, the cards and the chart in a real browser, in the app of harness_components.py."""

import io
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from specmodel.base.params import Param
from specmodel.dashboard.parts.slider import Slider
from tests.browser.conftest import NewContext

HARNESS = Path(__file__).parent / "harness_components.py"
LAUNCHER = """import streamlit as st
from specmodel.dashboard.parts.assets import plotly_route

app = st.App({script!r}, routes=[plotly_route()])
"""
DRAWN = "() => [...document.querySelectorAll('.js-plotly-plot')].filter(plot => plot.calcdata).length === 2"


@pytest.fixture(scope="module")
def harness_url(start_app: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    launcher = tmp_path_factory.mktemp("harness") / "app.py"
    launcher.write_text(LAUNCHER.format(script=str(HARNESS)), "utf-8")
    settings = {"STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false", "STREAMLIT_RUNNER_POST_SCRIPT_GC": "false"}
    return start_app(launcher, PYTHONPATH=str(HARNESS.parents[2]), **settings)


@pytest.fixture
def opened(page: Page, harness_url: str) -> Page:
    page.goto(harness_url)
    page.wait_for_function(DRAWN)
    return page


def alpha_slider(page: Page) -> Locator:
    return page.get_by_role("slider", name="Acceptance alpha")


def alpha_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Acceptance alpha, exact value")


def context_slider(page: Page) -> Locator:
    """The one with stops: 128, 192, 256, 384 ... 131,072 at the positions 0, 1, 2, 3 ... 20."""
    return page.get_by_role("slider", name="Context")


def context_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Context, exact value")


def expect_context(page: Page, tokens: int) -> None:
    expect(page.get_by_text(f"context={tokens}", exact=True)).to_be_visible()
    expect(context_box(page)).to_have_value(f"{tokens:,}")
    expect(context_slider(page)).to_have_attribute("aria-valuetext", f"{tokens:,} tokens")


def expect_alpha(page: Page, alpha: float) -> None:
    expect(page.get_by_text(re.compile(rf"^alpha={alpha:g} "))).to_be_visible()


def heard(page: Page) -> dict[str, int]:
    """How many values Python has heard, and how many runs went through to their end."""
    counts = re.findall(r"(runs|live|final)=(\d+)", page.get_by_text("runs=").inner_text())
    return {name: int(count) for name, count in counts}


def drag(page: Page, slider: Locator, start: float, end: float, *, steps: int, pause: float = 0.016) -> None:
    """Press on the thumb and move it; the mouse stays down."""
    box = slider.bounding_box()
    assert box is not None
    x, width, y = box["x"] + 8, box["width"] - 16, box["y"] + box["height"] / 2
    page.mouse.move(x + start * width, y)
    page.mouse.down()
    for index in range(1, steps + 1):
        page.mouse.move(x + (start + (end - start) * index / steps) * width, y)
        time.sleep(pause)


def in_plot(page: Page, expression: str, index: int = 0) -> Any:
    """A JavaScript expression of `plot`, the element that plotly draws in."""
    return page.locator(".js-plotly-plot").nth(index).evaluate(f"(plot) => {expression}")


def in_theme(page: Page, scheme: Any) -> None:
    """Change the colours and wait until the charts have them and nothing fades any more."""
    now = "document.querySelector('.js-plotly-plot')._fullLayout.font.color"
    before = page.evaluate(f"[{now}, matchMedia('(prefers-color-scheme: {scheme})').matches]")
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"([colour, same]) => same || {now} !== colour", arg=before)
    page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")


def test_dragging_speaks_before_the_release_and_the_last_value_arrives(opened: Page) -> None:
    drag(opened, alpha_slider(opened), 0.6 / 0.95, 0.2, steps=30)
    expect(opened.get_by_text("final=0")).to_be_visible()
    expect(opened.get_by_text(re.compile("^alpha=0.19 "))).to_be_visible()
    assert heard(opened)["live"] >= 5
    opened.mouse.up()
    expect(opened.get_by_text("final=1")).to_be_visible()
    expect_alpha(opened, 0.19)
    assert "alpha=0.19" in opened.url


def test_one_value_at_a_time_and_no_run_is_stopped_before_its_charts(page: Page, harness_url: str) -> None:
    page.goto(f"{harness_url}/?slow=0.15")
    page.wait_for_function(DRAWN)
    before = heard(page)
    began = time.monotonic()
    drag(page, alpha_slider(page), 0.6 / 0.95, 0.1, steps=40, pause=0.03)
    seconds = time.monotonic() - began
    page.wait_for_timeout(1000)
    during = heard(page)
    assert 3 <= during["live"] <= seconds / 0.15 + 2
    assert during["runs"] - before["runs"] == during["live"]
    page.mouse.up()
    expect(page.get_by_text("final=1")).to_be_visible()


def test_an_older_echo_does_not_pull_the_thumb_back(page: Page, harness_url: str) -> None:
    page.goto(f"{harness_url}/?slow=0.3")
    page.wait_for_function(DRAWN)
    slider = alpha_slider(page)
    slider.evaluate(
        """(range) => {
            window.positions = [];
            const watch = () => { window.positions.push(Number(range.value)); requestAnimationFrame(watch); };
            watch();
        }"""
    )
    drag(page, slider, 0.6 / 0.95, 0.05, steps=60)
    page.mouse.up()
    expect(page.get_by_text("final=1")).to_be_visible()
    page.wait_for_timeout(500)
    positions = page.evaluate("window.positions")
    assert positions == sorted(positions, reverse=True)


def test_the_keyboard_moves_it_with_one_run_a_press(opened: Page) -> None:
    runs = heard(opened)["runs"]
    keys = {"ArrowRight": 0.61, "ArrowDown": 0.6, "PageUp": 0.7, "PageDown": 0.6, "Home": 0, "End": 0.95}
    for presses, (key, value) in enumerate(keys.items(), 1):
        alpha_slider(opened).press(key)
        expect_alpha(opened, value)
        expect(opened.get_by_text(f"live=0 final={presses} ")).to_be_visible()
        assert heard(opened)["runs"] == runs + presses
    opened.wait_for_timeout(300)
    assert heard(opened)["runs"] == runs + len(keys)


def test_a_held_key_is_final_only_when_it_is_let_go(opened: Page) -> None:
    alpha_slider(opened).focus()
    for _ in range(12):
        opened.keyboard.down("ArrowRight")
        opened.wait_for_timeout(30)
    expect_alpha(opened, 0.72)
    assert heard(opened)["final"] == 1
    opened.keyboard.up("ArrowRight")
    expect(opened.get_by_text("final=2")).to_be_visible()
    expect_alpha(opened, 0.72)


def test_an_exact_value_can_be_typed(opened: Page) -> None:
    box = alpha_box(opened)
    typed_as = {"0.7": "0.70", ".123456": "0.123456", "0,5": "0.50", "０．２５": "0.25"}
    for times, (typed, shown) in enumerate(typed_as.items(), 1):
        box.fill(typed)
        box.press("Enter")
        expect_alpha(opened, float(shown))
        expect(box).to_have_value(shown)
        expect(alpha_slider(opened)).to_have_attribute("aria-valuetext", shown)
        expect(opened.get_by_text(f"live=0 final={times} ")).to_be_visible()


def test_a_bad_value_is_named_and_the_old_one_stays(opened: Page) -> None:
    box = alpha_box(opened)
    message = opened.get_by_role("alert").filter(has_text="Acceptance alpha")
    for typed in ("1.5", "-0.1", "many", "", "1e999", "0x1"):
        box.fill(typed)
        box.press("Enter")
        expect(message).to_have_text(f"Acceptance alpha: “{typed}” is not a number from 0 to 1.")
        expect(box).to_have_attribute("aria-invalid", "true")
        opened.get_by_role("heading", name="Charts").click()
        expect(box).to_have_value("0.60")
        expect(message).to_be_visible()
        assert heard(opened)["final"] == 0
    box.fill("0.5")
    box.press("Enter")
    expect_alpha(opened, 0.5)
    expect(message).to_have_count(0)


def test_a_typed_value_beyond_the_track_stretches_it(opened: Page) -> None:
    box = opened.get_by_role("textbox", name="Draft step, exact value")
    box.fill("1,250.5 ms")
    box.blur()
    expect(opened.get_by_text("draft_ms=1250.5")).to_be_visible()
    slider = opened.get_by_role("slider", name="Draft step")
    expect(slider).to_have_attribute("max", "1250.5")
    expect(slider).to_have_attribute("aria-valuetext", "1,250.50 ms")
    opened.get_by_role("button", name="Preset").click()
    expect(slider).to_have_attribute("max", "10")


def test_dragging_over_stops_is_even_and_offers_nothing_between_them(opened: Page) -> None:
    slider = context_slider(opened)
    slider.evaluate(
        """(range) => {
            window.shown = new Set();
            range.addEventListener("input", () => window.shown.add(range.getAttribute("aria-valuetext")));
        }"""
    )
    drag(opened, slider, 8 / 20, 16 / 20, steps=30)
    expect_context(opened, 32_768)
    expect(opened.get_by_text("final=0")).to_be_visible()
    assert slider.evaluate("(range) => getComputedStyle(range).getPropertyValue('--fill')") == "0.8"
    opened.mouse.up()
    expect(opened.get_by_text("final=1")).to_be_visible()
    expect_context(opened, 32_768)
    assert set(opened.evaluate("[...window.shown]")) - {"2,048 tokens"} == {
        f"{tokens:,} tokens" for tokens in (3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768)
    }


def test_the_keyboard_moves_it_from_stop_to_stop(opened: Page) -> None:
    runs = heard(opened)["runs"]
    keys = {
        "ArrowRight": 3072, "ArrowDown": 2048, "PageUp": 4096, "PageDown": 2048, "Home": 128, "End": 131_072
    }  # fmt: skip
    for presses, (key, tokens) in enumerate(keys.items(), 1):
        context_slider(opened).press(key)
        expect_context(opened, tokens)
        expect(opened.get_by_text(f"live=0 final={presses} ")).to_be_visible()
    opened.wait_for_timeout(300)
    assert heard(opened)["runs"] == runs + len(keys)


def test_a_value_between_two_stops_is_exact_and_the_keys_leave_it_for_a_stop(opened: Page) -> None:
    keys = {"ArrowLeft": 2048, "ArrowRight": 3072, "PageUp": 4096, "PageDown": 1536}
    for times, (key, tokens) in enumerate(keys.items(), 1):
        context_box(opened).fill("2304")
        context_box(opened).press("Enter")
        expect_context(opened, 2304)
        expect(context_slider(opened)).to_have_value("8.25")
        context_slider(opened).press(key)
        expect_context(opened, tokens)
        expect(opened.get_by_text(f"live=0 final={2 * times} ")).to_be_visible()


def test_a_link_between_two_stops_is_shown_exactly_and_the_box_steps_to_the_next(page: Page, harness_url: str) -> None:
    page.goto(f"{harness_url}/?context=2304")
    page.wait_for_function(DRAWN)
    expect_context(page, 2304)
    expect(context_slider(page)).to_have_value("8.25")
    assert heard(page)["final"] == 0
    context_box(page).press("ArrowDown")
    expect_context(page, 2048)


@pytest.mark.parametrize(
    ("typed", "outer", "inward", "inner"), [(200_000, "End", "ArrowLeft", 131_072), (1, "Home", "ArrowRight", 128)]
)
def test_a_typed_value_beyond_the_stops_is_one_more_stop(
    opened: Page, typed: int, outer: str, inward: str, inner: int
) -> None:
    slider = context_slider(opened)
    expect(slider).to_have_attribute("max", "20")
    context_box(opened).fill(str(typed))
    context_box(opened).blur()
    expect_context(opened, typed)
    expect(slider).to_have_attribute("max", "21")
    expect(slider).to_have_value("21" if outer == "End" else "0")
    slider.press(inward)
    expect_context(opened, inner)
    slider.press(outer)
    expect_context(opened, typed)
    opened.get_by_role("button", name="Preset").click()
    expect_context(opened, 4096)
    expect(slider).to_have_attribute("max", "20")
    expect(slider).to_have_value("10")


@pytest.mark.parametrize("stops", [(1, 4, 2), (1, 2, 2), (0, 1), (1, 100), (1, 1.5)])
def test_stops_that_are_no_rising_values_of_the_domain_are_refused(stops: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="batch: the stops"):
        Slider("batch", Param("batch", "Batch", "", low=1, high=64, stops=stops, integer=True), 1)


def test_python_moves_it_and_the_other_page_keeps_it(opened: Page) -> None:
    alpha_slider(opened).press("ArrowRight")
    expect_alpha(opened, 0.61)
    opened.get_by_role("button", name="Preset").click()
    expect(alpha_slider(opened)).to_have_value("0.85")
    expect(alpha_box(opened)).to_have_value("0.85")
    opened.get_by_role("link", name="other page").click()
    expect(opened.get_by_role("heading", name="Other")).to_be_visible()
    alpha_slider(opened).press("ArrowRight")
    expect_alpha(opened, 0.86)
    opened.get_by_role("link", name="charts page").click()
    opened.wait_for_function(DRAWN)
    expect_alpha(opened, 0.86)
    expect(alpha_slider(opened)).to_have_value("0.86")
    expect(opened.get_by_role("slider", name="Draft step")).to_have_value("1.5")


def test_a_group_is_folded_until_asked_for_or_opened(page: Page, opened: Page, harness_url: str) -> None:
    slider = opened.get_by_role("slider", name="Overhead")
    expect(slider).to_be_hidden()
    opened.get_by_text("More costs").click()
    slider.press("ArrowRight")
    expect(opened.get_by_text("final=1 last=[('overhead', 0.1, True)]")).to_be_visible()
    slider.press("ArrowLeft")
    expect(opened.get_by_text("final=2")).to_be_visible()
    expect(slider).to_be_visible()
    page.goto(f"{harness_url}/?overhead=2")
    expect(page.get_by_role("textbox", name="Overhead, exact value")).to_have_value("2.00")
    expect(page.get_by_role("slider", name="Overhead")).to_be_visible()


def test_two_sliders_moved_at_once_both_arrive(page: Page, harness_url: str) -> None:
    page.goto(f"{harness_url}/?slow=0.2")
    page.wait_for_function(DRAWN)
    alpha_slider(page).press("ArrowRight")
    page.get_by_role("slider", name="Draft step").press("ArrowRight")
    expect(page.get_by_text("alpha=0.61 draft_ms=3.1")).to_be_visible()
    expect(page.get_by_text("final=2")).to_be_visible()


def test_a_card_tells_its_definition_and_what_is_pinned(opened: Page) -> None:
    card = opened.locator(".card").first
    expect(card.locator(".value")).to_have_text("1.42×")
    expect(card.locator(".pinned")).to_have_text("pinned 1.54×")
    expect(opened.locator(".card").last.locator(".pinned")).to_be_hidden()
    button = opened.get_by_role("button", name="Help: Speedup")
    tip = opened.get_by_role("tooltip")
    button.focus()
    expect(tip).to_have_text("Time without ÷ time with speculation.")
    expect(button).to_have_accessible_description("Time without ÷ time with speculation.")
    button.press("Escape")
    expect(tip).to_have_count(0)


def test_cards_stand_two_in_a_row_on_a_phone(opened: Page) -> None:
    opened.set_viewport_size({"width": 400, "height": 800})
    expect(opened.locator(".card")).to_have_count(4)
    boxes = [card.bounding_box() for card in opened.locator(".card").all()]
    assert len({round(box["y"]) for box in boxes if box}) == 2


def test_margins_follow_longer_labels(opened: Page) -> None:
    """They are kept between updates, so a longer label has to make room for itself."""
    box = opened.get_by_role("textbox", name="Draft step, exact value")
    before = in_plot(opened, "plot._fullLayout._size.l")
    opened.evaluate("() => Plotly.relayout(document.querySelector('.js-plotly-plot'), {'yaxis.range': [1e5, 2e5]})")
    opened.wait_for_function(
        "(before) => document.querySelector('.js-plotly-plot')._fullLayout._size.l > before", arg=before
    )
    box.fill("4")
    box.press("Enter")
    expect(opened.get_by_text("draft_ms=4")).to_be_visible()
    left = opened.locator(".js-plotly-plot").first.evaluate(
        "(plot) => Math.min(...[...plot.querySelectorAll('.ytick text')].map(t => t.getBoundingClientRect().left))"
        " - plot.getBoundingClientRect().left"
    )
    assert left >= 0


STOPS = pytest.param("Context", 8 / 20, 4, marks=pytest.mark.deep)


@pytest.mark.parametrize(("name", "start", "most"), [("Acceptance alpha", 0.6 / 0.95, 0.4), STOPS])
def test_a_finger_drags_sideways_and_scrolls_the_page_up_and_down(
    new_context: Callable[..., Any], harness_url: str, name: str, start: float, most: float
) -> None:
    page = new_context(has_touch=True).new_page()
    page.goto(harness_url)
    page.wait_for_function(DRAWN)
    slider = page.get_by_role("slider", name=name)
    expect(slider).to_have_css("touch-action", "pan-y")
    box = slider.bounding_box()
    assert box is not None
    touch = page.context.new_cdp_session(page)

    def send(kind: str, x: float, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    x, y = box["x"] + 8 + start * (box["width"] - 16), box["y"] + 12
    send("touchStart", x, y)
    for step in range(1, 11):
        send("touchMove", x - 8 * step, y)
        page.wait_for_timeout(20)
    expect(page.get_by_text("final=0")).to_be_visible()
    send("touchEnd", 0, 0)
    expect(page.get_by_text("final=1")).to_be_visible()
    reached = slider.input_value()
    assert float(reached) < most
    send("touchStart", x, y)
    for step in range(1, 11):
        send("touchMove", x + step / 10, y - 10 * step)
        page.wait_for_timeout(20)
    send("touchEnd", 0, 0)
    page.wait_for_timeout(300)
    expect(slider).to_have_value(reached)


def test_the_help_text_shows_on_hover_and_on_focus_and_is_not_clipped(opened: Page) -> None:
    button = opened.get_by_role("button", name="Help: Acceptance alpha")
    tip = opened.get_by_role("tooltip")
    expect(tip).to_have_count(0)
    button.hover()
    expect(tip).to_contain_text("The chance that a draft is accepted")
    assert tip.evaluate(
        "(tip) => { const box = tip.getBoundingClientRect(); const root = tip.getRootNode();"
        " return root.elementFromPoint(box.right - 4, box.top + 8) === tip && box.left >= 0; }"
    )
    opened.mouse.move(900, 500)
    expect(tip).to_have_count(0)
    button.focus()
    expect(tip).to_be_visible()
    button.press("Escape")
    expect(tip).to_have_count(0)


def test_a_chart_is_updated_in_place_and_keeps_zoom_and_hidden_entries(opened: Page) -> None:
    plot = opened.locator(".js-plotly-plot").first
    plot.evaluate(
        """(plot) => {
            plot.mark = "same";
            window.blank = 0;
            const watch = () => {
                for (const one of document.querySelectorAll(".live-chart")) {
                    if (one.querySelectorAll(".scatterlayer .js-line").length < 3) window.blank += 1;
                }
                requestAnimationFrame(watch);
            };
            watch();
        }"""
    )
    plot.locator(".legendtoggle").first.click()
    opened.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullData[0].visible === 'legendonly'")
    box = plot.bounding_box()
    assert box is not None
    opened.mouse.move(box["x"] + 200, box["y"] + 100)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 400, box["y"] + 250, steps=5)
    opened.mouse.up()
    opened.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range[0] > 1")
    zoom = in_plot(opened, "plot._fullLayout.xaxis.range")
    old = in_plot(opened, "Array.from(plot._fullData[1].y)")
    alpha_slider(opened).press("ArrowRight")
    opened.wait_for_function(
        "(old) => document.querySelector('.js-plotly-plot')._fullData[1].y[50] !== old", arg=old[50]
    )
    assert in_plot(opened, "plot._fullLayout.xaxis.range") == zoom
    assert in_plot(opened, "plot._fullData[0].visible") == "legendonly"
    assert in_plot(opened, "plot.mark") == "same"
    assert opened.evaluate("window.blank") == 0


def test_a_theme_flip_recolours_the_chart_and_keeps_its_zoom(opened: Page) -> None:
    opened.evaluate("() => Plotly.relayout(document.querySelector('.js-plotly-plot'), {'xaxis.range': [2, 5]})")
    in_theme(opened, "dark")
    assert in_plot(opened, "plot._fullLayout.font.color") == opened.locator(".live-chart").first.evaluate(
        "(host) => getComputedStyle(host).getPropertyValue('--st-text-color').trim()"
    )
    assert in_plot(opened, "plot.data[0].line.color") == "#3b82c4"
    assert in_plot(opened, "plot._fullLayout.xaxis.range") == [2, 5]


@pytest.mark.deep
def test_a_chart_follows_the_width_when_the_sidebar_folds(opened: Page) -> None:
    before = in_plot(opened, "plot._fullLayout.width")
    opened.get_by_test_id("stSidebar").hover()
    opened.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    opened.wait_for_function(
        "(before) => document.querySelector('.js-plotly-plot')._fullLayout.width > before + 100", arg=before
    )
    expect(opened.locator(".live-chart").first).to_have_css("height", "360px")


def test_the_height_is_reserved_before_plotly_has_loaded(page: Page, harness_url: str) -> None:
    held: list[Any] = []
    page.route("**/plotly-*.min.js", lambda route: held.append(route))
    page.goto(harness_url)
    expect(page.locator(".live-chart")).to_have_count(2)
    while not held:
        page.wait_for_timeout(20)
    expect(page.get_by_text("Break-even acceptance α*")).to_be_visible()  # the cards above have their height
    expect(page.get_by_text("runs=")).to_be_visible()
    tops = "() => [...document.querySelectorAll('.live-chart')].map(host => host.getBoundingClientRect().top)"
    reserved = page.evaluate(tops)
    assert reserved[1] - reserved[0] >= 360
    held[0].continue_()
    page.wait_for_function(DRAWN)
    assert page.evaluate(tops) == reserved
    assert len(held) == 1


@pytest.mark.deep
@pytest.mark.expects_console_error("plotly")
def test_a_failed_load_says_so(page: Page, harness_url: str) -> None:
    page.route("**/plotly-*.min.js", lambda route: route.abort())
    page.goto(harness_url)
    expect(page.get_by_role("alert").filter(has_text="could not be drawn")).to_have_count(2)


def test_a_chart_is_downloaded_under_its_name_on_an_opaque_background(opened: Page) -> None:
    def downloaded(kind: str) -> bytes:
        opened.locator(".js-plotly-plot").first.hover()
        with opened.expect_download() as download:
            opened.locator(f'.modebar-btn[data-title="Download as {kind}"]').first.click()
        assert download.value.suggested_filename == f"speedup-first.{kind.lower()}"
        return Path(download.value.path()).read_bytes()

    schemes: list[Any] = ["light", "dark"]
    for scheme in schemes:
        in_theme(opened, scheme)
        image = Image.open(io.BytesIO(downloaded("PNG"))).convert("RGBA")
        assert image.size[0] == 2200 and image.size[1] > 960 + 96
        assert set(image.getchannel("A").tobytes()) == {255}
        assert (max(image.convert("L").crop((0, 0, 4, 4)).tobytes()) > 200) == (scheme == "light")
        drawing = downloaded("SVG")
        assert b"Speedup" in drawing and b"Target 22 ms" in drawing
        assert b"alpha 0.6" in drawing and opened.url.encode() in drawing


def test_a_chart_offers_these_buttons_and_no_upload(opened: Page) -> None:
    buttons = opened.locator(".js-plotly-plot").first.locator(".modebar-btn")
    titles = [button.get_attribute("data-title") for button in buttons.all()]
    assert titles == ["Zoom", "Pan", "Reset axes", "Download as PNG", "Download as SVG"]


def test_every_part_has_a_name_and_axe_finds_nothing(opened: Page) -> None:
    expect(opened.get_by_role("figure", name="The first chart: speedup against draft tokens")).to_be_visible()
    draft = opened.get_by_role("slider", name="Draft step")
    expect(draft).to_have_attribute("aria-valuetext", "3.00 ms")
    alpha_box(opened).fill("nonsense")
    alpha_box(opened).press("Enter")
    opened.locator(".js-plotly-plot").first.hover()
    schemes: list[Any] = ["light", "dark"]
    for scheme in schemes:
        in_theme(opened, scheme)
        found = Axe().run(opened).response["violations"]
        assert not found, json.dumps(found, indent=1)[:3000]


def test_unmounted_charts_are_purged_and_plotly_loads_once(new_context: NewContext, harness_url: str) -> None:
    page = new_context().new_page()  # which has loaded nothing yet
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "plotly-" in request.url else None)
    page.goto(harness_url)
    page.wait_for_function(DRAWN)
    page.evaluate("() => { window.kept = document.querySelector('.js-plotly-plot'); }")
    page.get_by_role("link", name="other page").click()
    page.wait_for_function("() => !window.kept._fullLayout")
    page.get_by_role("link", name="charts page").click()
    page.wait_for_function(DRAWN)
    assert len(asked) == 1


def test_the_scripts_load_on_the_address_of_a_sub_page(new_context: NewContext, harness_url: str) -> None:
    page = new_context().new_page()  # which has loaded nothing yet
    page.goto(f"{harness_url}/other")
    alpha_slider(page).press("ArrowRight")
    expect_alpha(page, 0.61)
    page.get_by_role("link", name="charts page").click()
    page.wait_for_function(DRAWN)
