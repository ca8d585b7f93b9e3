"""From a key press on a slider to the redrawn page, in a real browser: this app beside an empty Streamlit page.

Prints median and 95th percentile of 50 presses each, taken in one run on one machine. A figure, not a timed test: what
it does assert is that charts are updated in place.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settled

PRESSES = 50
HERE = Path(__file__).parent
PAGES = (("Speedup", "/", 3), ("Draft length", "/draft_length", 5), ("Vocabulary", "/vocabulary", 2))

WATCH = """
() => {
  const timing = window.timing = { pressed: 0, drawn: new Set(), done: null };
  const press = () => Object.assign(timing, { pressed: performance.now(), drawn: new Set(), done: null });
  document.addEventListener("keydown", press, true);
  const charts = [...document.querySelectorAll(".js-plotly-plot")];
  const finish = () => { timing.done ??= performance.now() - timing.pressed; };
  const seen = (name) => {
    timing.drawn.add(name);
    if (timing.drawn.size >= Math.max(charts.length, 1)) requestAnimationFrame(finish);
  };
  for (const event of ["plotly_afterplot", "plotly_animatingframe"]) {
    charts.forEach((chart, i) => chart.on(event, () => seen(i)));
  }
  if (!charts.length) {
    const text = document.querySelector("[data-testid=stMarkdown]");
    new MutationObserver(() => seen(0)).observe(text, { subtree: true, childList: true, characterData: true });
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


def test_plots_follow_a_drag(page: Page, app_url: str) -> None:
    page.goto(app_url)
    settled(page)
    page.wait_for_timeout(1_500)
    page.evaluate(DRAWS)
    box = page.get_by_role("slider", name="Acceptance probability").bounding_box()
    if box is None:
        pytest.fail("the slider has no place on the page")
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.6, y)
    page.mouse.down()
    for step in range(60):
        page.mouse.move(box["x"] + box["width"] * (0.6 - 0.4 * step / 60), y)
        page.wait_for_timeout(33)
    during = page.evaluate("() => draws.slice()")
    page.mouse.up()
    gaps = np.diff(during)
    print(f"\n2 s drag: {len(during)} redraws before release,", end=" ")
    print(f"gap median {np.median(gaps):.0f} ms, longest {gaps.max():.0f} ms")
    assert len(during) > 3, "the plots did not follow the drag"
