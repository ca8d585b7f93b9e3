"""From a key press on a slider to the redrawn page, drags and loads, in a real browser: this app beside an empty page.

Prints medians and 95th percentiles, taken in one run on one machine. Figures, not timed tests: what is asserted is that
charts are updated in place and follow a drag.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext, settled

PRESSES = 50
HERE = Path(__file__).parent
PAGES = (
    ("Speedup", "/", 3),
    ("Draft length", "/draft_length", 5),
    ("Vocabulary", "/vocabulary", 2),
    ("Serving", "/serving", 9),
)
LOADS = 6
MOVES = 120

# A press is done when what three presses changed on the screen has changed and been painted: figures, cards, verdict
WATCH = """
() => {
  const timing = window.timing = { pressed: 0, drawn: new Set(), awaited: null, done: null };
  const press = () => Object.assign(timing, { pressed: performance.now(), drawn: new Set(), done: null });
  document.addEventListener("keydown", press, true);
  const charts = [...document.querySelectorAll(".js-plotly-plot")];
  const finish = () => { timing.done ??= performance.now() - timing.pressed; };
  const seen = (name) => {
    timing.drawn.add(name);
    if (timing.awaited?.every((each) => timing.drawn.has(each))) requestAnimationFrame(finish);
  };
  const changes = { subtree: true, childList: true, characterData: true };
  [...document.querySelectorAll("*")].map((each) => each.shadowRoot).forEach((root, i) => {
    if (root?.querySelector(".blocks")) new MutationObserver(() => seen(`text ${i}`)).observe(root, changes);
  });
  const onScreen = charts.filter((chart) => chart.getBoundingClientRect().top < innerHeight);
  for (const event of ["plotly_afterplot", "plotly_animatingframe"]) {
    onScreen.forEach((chart, i) => chart.on(event, () => seen(i)));
  }
  if (!charts.length) {
    const text = document.querySelector("[data-testid=stMarkdown]");
    new MutationObserver(() => seen(0)).observe(text, changes);
  }
  return charts.length;
}
"""
DRAWS = """
() => {
  window.draws = [];
  const chart = document.querySelector(".js-plotly-plot");
  for (const event of ["plotly_afterplot", "plotly_animatingframe"]) {
    chart.on(event, () => draws.push(performance.now()));
  }
}
"""
MARK = "() => document.querySelectorAll('.js-plotly-plot').forEach((chart) => { chart.mark = true; })"
MARKED = "() => [...document.querySelectorAll('.js-plotly-plot')].filter((chart) => chart.mark).length"


def presses(page: Page, slider_name: str) -> tuple[int, np.ndarray]:
    """How many charts were watched, and ms of each press."""
    slider = page.get_by_role("slider", name=slider_name).first
    slider.focus()
    charts = int(page.evaluate(WATCH))
    for key in ("ArrowRight", "ArrowLeft", "ArrowRight"):  # what each of them changes before Python hears of it
        page.keyboard.press(key)
        page.wait_for_timeout(230)
        page.evaluate(
            "() => { timing.both = [...timing.drawn].filter((each) => timing.both?.includes(each) ?? true); }"
        )
        page.wait_for_timeout(1_500)
    page.evaluate("() => { timing.awaited = timing.both; }")
    assert page.evaluate("() => timing.awaited.length") > 0
    times = []
    for i in range(PRESSES):
        page.keyboard.press("ArrowRight" if i % 2 else "ArrowLeft")
        page.wait_for_function("() => timing.done !== null", polling=20, timeout=10_000)
        times.append(float(page.evaluate("() => timing.done")))
        page.wait_for_timeout(120)
    return charts, np.array(times)


def report(name: str, times: np.ndarray, floor: np.ndarray | None = None) -> None:
    median, late = np.percentile(times, [50, 95])
    ratio = f", {median / np.median(floor):.2f} times the floor" if floor is not None else ""
    print(f"\n{name:28s} median {median:6.1f} ms, 95th percentile {late:6.1f} ms{ratio}", end="")


def test_key_press_to_redrawn_figures(page: Page, start_app: Callable[[Path], str], app_url: str) -> None:
    page.goto(start_app(HERE / "floor_app.py"))
    settled(page)
    _, floor = presses(page, "Floor")
    report("empty Streamlit page (floor)", floor)
    for name, path, charts in PAGES:
        page.goto(app_url + path)
        settled(page)
        expect(page.locator(".js-plotly-plot")).to_have_count(charts)
        page.wait_for_timeout(1_500)
        page.evaluate(MARK)
        watched, times = presses(page, "Acceptance probability")
        report(name, times, floor)
        assert watched == page.evaluate(MARKED) == charts, "a chart was built anew instead of updated in place"
    print()


def dragged(page: Page, slider_name: str) -> np.ndarray:
    """Drag a slider over most of its track in 120 moves 16 ms apart; ms that each took. The button stays down."""
    box = page.get_by_role("slider", name=slider_name).first.bounding_box()
    if box is None:
        pytest.fail("the slider has no place on the page")
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.9, y)
    page.mouse.down()
    at = [time.perf_counter()]
    for step in range(MOVES):
        page.mouse.move(box["x"] + box["width"] * (0.9 - 0.8 * step / MOVES), y)
        page.wait_for_timeout(16)
        at.append(time.perf_counter())
    return np.diff(at) * 1000


def test_plots_follow_a_drag(page: Page, start_app: Callable[[Path], str], app_url: str) -> None:
    page.goto(start_app(HERE / "floor_app.py"))
    settled(page)
    floor = np.median(dragged(page, "Floor"))
    page.mouse.up()
    page.goto(app_url)
    settled(page)
    page.wait_for_timeout(1_500)
    page.evaluate(DRAWS)
    moves = dragged(page, "Draft step")
    during = page.evaluate("() => draws.slice()")
    page.mouse.up()
    gaps = np.diff(during)
    print(f"\ndrag: {len(during)} redraws for {MOVES} moves of the pointer,", end=" ")
    print(f"gap median {np.median(gaps):.0f} ms, longest {gaps.max():.0f} ms;", end=" ")
    print(f"a move takes {np.median(moves):.0f} ms, on the empty page {floor:.0f} ms")
    assert len(during) > 3, "the plots did not follow the drag"


def loads(new_context: NewContext, address: str, drawn: str) -> np.ndarray:
    """Seconds to the first figure, seconds after a reload, MB, requests: medians of loads with nothing in a cache."""
    found = []
    for _ in range(LOADS):
        context = new_context()
        page = context.new_page()
        size: list[float] = []
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda event, size=size: size.append(event["encodedDataLength"]))
        took = []
        for go in (lambda page=page: page.goto(address, wait_until="commit"), page.reload):
            started = time.perf_counter()
            go()
            page.locator(drawn).first.wait_for()
            took.append(time.perf_counter() - started)
            page.wait_for_timeout(1_500)
            if len(took) == 1:
                count, total = len(size), sum(size) / 1e6
        found.append((*took, total, count))
        context.close()
    return np.median(found, axis=0)


def test_a_page_opens(new_context: NewContext, start_app: Callable[[Path], str], app_url: str) -> None:
    floor = loads(new_context, start_app(HERE / "floor_app.py"), "[data-testid=stMarkdown]")
    ours = loads(new_context, app_url, ".js-plotly-plot .main-svg")
    for name, (first, again, size, count) in (("empty Streamlit page", floor), ("Speedup", ours)):
        print(
            f"\n{name:28s} first figure {first:.2f} s, reload {again:.2f} s, {size:.2f} MB, {count:.0f} requests",
            end="",
        )
    print(f"\nratio: {ours[0] / floor[0]:.2f} and {ours[1] / floor[1]:.2f}")
