"""The way from every "?" to the Reference page, in a real browser, and the page itself."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext, in_address, opened, settled
from tests.browser.test_app import nothing_is_wider, nothing_violates
from tests.conftest import ROOT


def test_the_help_of_a_slider_and_of_a_card_leads_to_its_entry(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/?alpha=0.7")
    for name, title in {"Acceptance probability α": "Acceptance probability α", "Speedup": "Speedup"}.items():
        page.get_by_role("button", name=f"Help: {name}", exact=True).focus()
        page.keyboard.press("Tab")
        with page.context.expect_page() as other:
            page.keyboard.press("Enter")
        expect(settled(other.value).locator(".rf .top h3")).to_have_text(title)
        other.value.close()
    in_address(page, alpha="0.7")


@pytest.mark.deep
def test_behind_a_base_path_the_links_lead_there_too(page: Page, start_app: Callable[..., str]) -> None:
    base = start_app(ROOT / "app.py", STREAMLIT_SERVER_BASE_URL_PATH="/some/path")
    for path in ("/", "/draft_length"):
        opened(page, f"{base}{path}")
        page.locator(".card .help").first.focus()
        with page.context.expect_page() as other:
            page.locator(".card .tip a").first.click()
        expect(settled(other.value).locator(".rf .top h3")).to_be_visible()
        assert other.value.url.startswith(f"{base}/reference?")
        other.value.close()


def test_a_tap_on_the_link_of_a_help_text_arrives(new_context: NewContext, app_url: str) -> None:
    context = new_context(has_touch=True, viewport={"width": 400, "height": 900})
    page = opened(context.new_page(), f"{app_url}/draft_length")
    page.locator(".card .help").first.tap()
    with context.expect_page() as other:
        page.locator(".card .tip a").first.tap()
    expect(settled(other.value).locator(".rf .top h3")).to_be_visible()


@pytest.mark.deep
def test_a_formula_of_the_why_leads_to_its_entry(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/?lang=ja")
    page.get_by_test_id("stExpander").last.locator("summary").click()
    with page.context.expect_page() as other:
        page.get_by_role("link", name="リファレンス").first.click()
    expect(settled(other.value).locator(".rf .top h3")).to_have_text("evaluate")
    expect(other.value.locator("html")).to_have_attribute("lang", "ja")


@pytest.mark.deep
def test_what_is_searched_is_in_the_address_and_an_entry_unfolds(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/reference", drawn="h2")
    page.get_by_label("Search the reference").fill("accept len")
    page.keyboard.press("Enter")
    in_address(page, find="accept+len")
    first = page.locator(".rf details").first
    expect(first).to_contain_text("Acceptance length, bonus token included")
    first.locator("summary").click()
    expect(first.get_by_text("SGLang")).to_be_visible()


@pytest.mark.deep
def test_folded_kinds_are_sent_when_they_are_opened(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/reference", drawn="h2")
    expect(page.locator(".rf details")).to_have_count(0)
    page.get_by_text("Sources", exact=True).click()
    expect(page.locator(".rf details").first).to_be_visible()
    expect(page.locator(".rf details").first).to_contain_text("Leviathan et al. 2023")


@pytest.mark.deep
@pytest.mark.parametrize("query", ["entry=acceptance-probability&find=draft", "entries=term&lang=ja", "entries=wrong"])
def test_axe_finds_nothing_in_the_lists_and_they_fit_on_a_phone(page: Page, app_url: str, query: str) -> None:
    opened(page, f"{app_url}/reference?{query}", drawn=".rf details")
    for summary in page.locator(".rf details summary").all()[:8]:
        summary.click()
    nothing_violates(page)
    page.set_viewport_size({"width": 400, "height": 900})
    nothing_is_wider(page)
    page.set_viewport_size({"width": 1440, "height": 900})
