"""A lesson in a real browser: before a class with the keyboard alone, and trying something out and back."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import settled


def part(page: Page, number: int, last: int) -> None:
    expect(page.get_by_text(re.compile(rf"^{number} / {last} · about \d+ min$"))).to_be_visible(timeout=15_000)
    settled(page)


def listening(page: Page) -> None:
    """Wait until the keys are heard: their script comes after the page."""
    loaded = "() => performance.getEntriesByType('resource').some((each) => each.name.endsWith('/keys.js'))"
    page.wait_for_function(loaded)
    page.wait_for_timeout(500)


def type_size(page: Page) -> float:
    size = page.get_by_role("heading", level=2).evaluate("(heading) => parseFloat(getComputedStyle(heading).fontSize)")
    return float(size)


def test_a_class_is_led_by_keys_from_page_to_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/exactness?guess=0&present=1&part=5&textprompt=own")
    part(page, 5, 6)
    listening(page)
    sidebar, menu = page.get_by_test_id("stSidebar"), page.get_by_test_id("stHeader")
    expect(sidebar).to_be_hidden()
    expect(menu).to_be_hidden()
    large = type_size(page)
    for key, number in (("ArrowRight", 6), ("ArrowLeft", 5), ("PageDown", 6), ("PageUp", 5), ("ArrowRight", 6)):
        page.keyboard.press(key)
        part(page, number, 6)
    page.keyboard.press("ArrowRight")
    part(page, 1, 4)
    expect(page.get_by_role("heading", level=2)).to_have_text("What does it do to real text?")
    page.wait_for_url(re.compile(r"/live_text\?"))

    typing = page.get_by_role("textbox", name="My own text")
    typing.fill("ab")
    for key in ("ArrowLeft", "ArrowRight", "PageDown", "Escape"):
        typing.press(key)
    page.wait_for_timeout(1000)
    part(page, 1, 4)
    expect(typing).to_have_value("ab")

    typing.blur()
    page.keyboard.press("PageUp")
    part(page, 6, 6)
    page.keyboard.press("Escape")
    expect(sidebar).to_be_visible()
    expect(menu).to_be_visible()
    expect(page.get_by_role("heading", level=3)).to_have_count(6)
    assert large == 1.25 * type_size(page)


def test_something_is_tried_and_put_back(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/one_round?guess=0&alpha=0.7&k=4")
    expect_sliders(page, "0.70", "4")
    page.get_by_role("button", name="Twice as many drafts").click()
    expect_sliders(page, "0.60", "10")
    expect(looked_at(page)).to_contain_text("ten keep 1.49")
    page.get_by_role("button", name="As before").click()
    expect_sliders(page, "0.70", "4")
    expect(looked_at(page)).to_have_count(0)
    page.wait_for_url(re.compile(r"alpha=0\.7&k=4"))


def expect_sliders(page: Page, alpha: str, k: str) -> None:
    sidebar = page.get_by_test_id("stSidebar")
    for name, value in (("Acceptance probability", alpha), ("Draft tokens per round", k)):
        expect(sidebar.get_by_role("textbox", name=name)).to_have_value(value, timeout=15_000)
        expect(sidebar.get_by_role("slider", name=name)).to_have_attribute(
            "aria-valuetext", re.compile(rf"^{re.escape(value)}\b")
        )


def looked_at(page: Page) -> Locator:
    return page.get_by_test_id("stAlert").filter(has_text="Five drafts keep")
