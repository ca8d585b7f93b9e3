"""Figures, cards and verdict while a slider moves: after any drag the page is the one that its link opens."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import in_address, opened, settled, verdict
from tests.conftest import ROOT

# page -> what its link holds beside, and how far apart its sliders are moved
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
() => !document.documentElement.dataset.live && !window.specmodelLive?.waiting.length
  && !document.querySelector('[data-test-script-state="running"]')
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
    page.wait_for_timeout(300)  # the address is written a moment after the run
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


@pytest.mark.parametrize("path", PAGES)
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
