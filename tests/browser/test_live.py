"""Figures, cards and verdict while a slider moves: after any drag the page is the one that its link opens."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import in_address, opened, settled, verdict
from tests.conftest import ROOT

# page -> what its link holds beside
PAGES = {
    "": "pin=k:2",
    "draft_length": "",
    "vocabulary": "",
    "serving": "",
    "methods": "",
    "exactness": "guess=0",
    "drift": "guess=0",
    "live_text": "guess=0",
}
QUICK = ["", "draft_length"]
"""In every run; the others, and these again, with fifty drags in `tests/run.sh deep`."""
# All that a visitor can read of the charts, with what stands at each point, and of the text and numbers around them
SHOWN = """
() => {
  const texts = (node, what) => [...node.querySelectorAll(what)].map((each) => each.textContent);
  const rounded = (value) => typeof value === "number" ? Number(value.toPrecision(6)) : value;
  const list = (values) => values && [...values].map(rounded);
  const charts = [...document.querySelectorAll(".js-plotly-plot")].map((plot) => ({
    alt: plot.closest("[role=figure]").getAttribute("aria-label"),
    title: plot.closest("[role=figure]").previousElementSibling?.textContent,
    svg: texts(plot, ".main-svg text"),
    axes: Object.fromEntries(Object.entries(plot.layout).filter(([name]) => /^[xy]axis/.test(name))
      .map(([name, axis]) => [name, list(axis.range)])),
    shapes: JSON.stringify(plot.layout.shapes ?? null),
    paths: [...plot.querySelectorAll(".trace path, .points path")].map((path) =>
      (path.getAttribute("d") ?? "").replace(/-?[0-9.]+/g, (number) => Math.round(number))),
    hovers: plot._fullData.map((trace) => [trace.name, trace.hovertemplate, list(trace.x), list(trace.y),
      [].concat(trace.text ?? []).join("|"), [].concat(trace.hovertext ?? []).join("|"),
      JSON.stringify(trace.customdata ?? null, (key, value) => rounded(value))]),
  }));
  const blocks = [...document.querySelectorAll("[data-testid=stMain] *")].map((node) => node.shadowRoot)
    .filter((root) => root?.querySelector(".blocks"))
    .map((root) => [...root.querySelectorAll(".blocks > *")].map((each) => [each.className, each.textContent.trim()]));
  return { charts, blocks };
}
"""
RESTED = """
() => {
  const live = window.specmodelLive;
  return live && !live.ahead && !live.waiting.length && (!live.channel || live.channel.quiet)
    && !document.querySelector('[data-test-script-state="running"]');
}
"""
DRAWN = """
() => [...document.querySelectorAll(".js-plotly-plot")].every((plot) => plot.querySelector(".main-svg"))
  && document.querySelectorAll(".live-chart").length === document.querySelectorAll(".js-plotly-plot").length
"""


def address(app_url: str, page: str, query: str) -> str:
    return f"{app_url}/{page}?{query}"


def rest(page: Page) -> Page:
    """The page, once Python has said the same as the screen, and every chart is drawn."""
    settled(page)
    page.wait_for_function(RESTED)
    page.wait_for_function(DRAWN)
    page.wait_for_timeout(400)  # the address is written a moment after the run
    return page


def drag(page: Page, slider: Locator, shares: list[float]) -> None:
    """Hold the thumb and bring it to shares of the track, one after another."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for share in shares:
        page.mouse.move(box["x"] + box["width"] * share, y, steps=2)
        page.wait_for_timeout(15)
    page.mouse.up()


def sliders(page: Page) -> list[Locator]:
    return [each for each in page.locator(".live-slider input[type=range]").all() if each.is_visible()]


def shown(page: Page) -> Any:
    return page.evaluate(SHOWN)


def same_as_its_link(page: Page, fresh: Page) -> None:
    moved = shown(rest(page))
    opened(fresh, page.url)
    expect(fresh.locator(".live-chart")).to_have_count(len(moved["charts"]))
    opened_anew = shown(rest(fresh))
    for mine, theirs in zip(moved["charts"], opened_anew["charts"], strict=True):
        for what in mine:
            assert mine[what] == theirs[what], f"{theirs['title']}: {what} at {page.url}"
    assert moved["blocks"] == opened_anew["blocks"], page.url


def moves(page: Page, fresh: Page, rounds: int, seed: str) -> None:
    chance = random.Random(seed)
    for _ in range(rounds):
        slider = chance.choice(sliders(page))
        if chance.random() < 0.3:
            slider.focus()
            for key in chance.choices(["ArrowLeft", "ArrowRight", "PageUp", "PageDown"], k=3):
                page.keyboard.press(key)
        else:
            drag(page, slider, [chance.uniform(0.02, 0.98) for _ in range(chance.randint(2, 5))])
    same_as_its_link(page, fresh)


@pytest.mark.parametrize("path", QUICK)
def test_after_drags_the_page_is_the_one_that_its_link_opens(page: Page, app_url: str, path: str) -> None:
    opened(page, address(app_url, path, PAGES[path]))
    moves(rest(page), page.context.new_page(), 2, path)


@pytest.mark.deep
@pytest.mark.parametrize("path", PAGES)
def test_after_fifty_drags(page: Page, app_url: str, path: str) -> None:
    opened(page, address(app_url, path, PAGES[path]))
    fresh = page.context.new_page()
    for number in range(50):
        moves(rest(page), fresh, 1, f"{path} {number}")


ALPHA = "Acceptance probability"


def alpha(page: Page) -> Locator:
    return page.get_by_role("slider", name=ALPHA)


def asked(page: Page) -> list[str]:
    """The addresses of the live route that the page asks from now on."""
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url) if "/live/" in request.url else None)
    return addresses


def test_figures_cards_and_verdict_move_before_python_hears_and_nothing_else_does(page: Page, app_url: str) -> None:
    rest(opened(page, f"{app_url}/?pin=k:2"))
    addresses = asked(page)
    table = page.get_by_text("Table by acceptance", exact=True)
    table.click()
    expect(page.get_by_test_id("stTable")).to_be_visible()
    before = shown(rest(page))
    slider = alpha(page)
    box = slider.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.6, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.2, y, steps=8)
    page.wait_for_function("() => window.specmodelLive.ahead && !window.specmodelLive.channel.asking")
    expect(verdict(page)).to_contain_text("No, it costs time")
    expect(page.get_by_test_id("stTable")).to_have_css("opacity", "0.35")
    during = shown(page)
    assert all(was != now for was, now in zip(before["charts"], during["charts"], strict=True))
    page.mouse.up()
    after = shown(rest(page))
    expect(page.get_by_test_id("stTable")).to_have_css("opacity", "1")
    assert after["blocks"] == during["blocks"] and all("parts=" in each for each in addresses)


@pytest.mark.deep
def test_zoom_hidden_entries_and_the_pinned_curve_stay(page: Page, app_url: str) -> None:
    rest(opened(page, f"{app_url}/?pin=k:2"))
    plot = page.locator(".js-plotly-plot").first
    area = plot.locator(".nsewdrag").first.bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + area["width"] * 0.2, area["y"] + area["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.9, area["y"] + area["height"] * 0.8, steps=5)
    page.mouse.up()
    plot.locator(".legendtoggle").first.click()
    page.wait_for_function("() => document.querySelector('.js-plotly-plot')._fullData.some((t) => t.visible !== true)")
    kept = """(plot) => [plot.layout.xaxis.range, plot.layout.yaxis.range,
      plot._fullData.map(({ name, visible }) => [name, visible])]"""
    before = plot.evaluate(kept)
    drag(page, alpha(page), [0.5, 0.3, 0.8])
    page.keyboard.press("ArrowLeft")
    assert plot.evaluate(kept) == before
    assert rest(page).locator(".js-plotly-plot").first.evaluate(kept) == before
    expect(plot.locator(".legend")).to_contain_text("pinned")


@pytest.mark.expects_console_error("the server responded with a status of (404|503)")
@pytest.mark.parametrize("status", [pytest.param(404, marks=pytest.mark.deep), 503])
def test_where_the_route_does_not_answer_it_goes_to_python_alone(page: Page, app_url: str, status: int) -> None:
    def refused(route: Route) -> None:
        route.fulfill(status=status, headers={"Retry-After": "60"}, json={"error": "No.", "status": status})

    page.route("**/live/**", refused)
    rest(opened(page, app_url))
    addresses = asked(page)
    drag(page, alpha(page), [0.5, 0.2])
    expect(verdict(page)).to_contain_text("No, it costs time")
    alpha(page).press("ArrowRight")
    in_address(rest(page), alpha=page.get_by_role("textbox", name=ALPHA).input_value().rstrip("0"))
    assert len(addresses) == 1


@pytest.mark.deep
def test_what_is_pressed_next_finds_the_value(page: Page, app_url: str) -> None:
    rest(opened(page, app_url))
    alpha(page).press("ArrowLeft")
    page.get_by_text("Time ratio", exact=True).click()
    in_address(page, alpha="0.59", show="time_ratio")


@pytest.fixture(scope="module")
def switched_off(start_app: Callable[..., str]) -> str:
    return start_app(ROOT / "app.py", SPECMODEL_LIVE="0")


@pytest.mark.deep
def test_switched_off_the_page_is_as_before(page: Page, switched_off: str) -> None:
    rest(opened(page, switched_off))
    addresses = asked(page)
    drag(page, alpha(page), [0.5, 0.2])
    expect(verdict(page)).to_contain_text("No, it costs time")
    same_as_its_link(page, page.context.new_page())
    assert addresses == []


def test_a_guess_that_is_open_is_not_revealed(page: Page, app_url: str) -> None:
    rest(opened(page, f"{app_url}/exactness", drawn="h2"))
    addresses = asked(page)
    slider = sliders(page)[0]
    slider.press("ArrowRight")
    page.wait_for_url("**/exactness?*")
    rest(page)
    expect(page.get_by_role("button", name="Reveal")).to_be_visible()
    assert not any("numbers" in each or "verdict" in each for each in addresses)


def test_text_stays_where_a_part_of_it_comes_or_goes(page: Page, app_url: str) -> None:
    """On Serving a note is there or not; its frame must not change with it."""
    rest(opened(page, f"{app_url}/serving?alpha=0.3"))
    alpha(page).focus()
    for key in ("Home", "End"):
        page.keyboard.press(key)
        rest(page)
        expect(verdict(page)).to_be_visible()
        expect(page.locator(".card").first).to_be_visible()
