"""The whole app in a real browser: what AppTest cannot see."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import NewContext, change_page, in_address, opened, settled, upload, verdict

EXPLORE = {"": "Speedup", "draft_length": "Draft length", "vocabulary": "Vocabulary"}
SERVE = {"serving": "Serving load", "methods": "Methods"}
LEARN = {"one_round": "One round", "exactness": "Exactness", "live_text": "Live text", "drift": "Drift"}
PAGES = {**EXPLORE, **SERVE, "engine": "Your engine", "validation": "Validation", **LEARN, "reference": "Reference"}
CHARTS = {"": 3, "draft_length": 5, "vocabulary": 2}


@pytest.mark.parametrize(
    "path", ["speedup", *(pytest.param(each, marks=pytest.mark.deep) for each in list(EXPLORE)[1:])]
)
def test_a_deep_link_opens_its_page_and_survives_changing_it(page: Page, app_url: str, path: str) -> None:
    opened(page, f"{app_url}/{path}?alpha=0.8&k=3&pin=k:2")
    own = "" if path == "speedup" else path  # which leads to the root, with its query
    expect(page.locator(".js-plotly-plot")).to_have_count(CHARTS[own])
    for other, title in EXPLORE.items():
        if other == own:
            continue
        change_page(page, "Explore", title)
        expect(page.locator(".js-plotly-plot")).to_have_count(CHARTS[other])
        in_address(page, alpha="0.8", k="3", pin="k%3A2")
        expect(page.get_by_role("textbox", name="Acceptance probability")).to_have_value("0.80")


def test_a_slider_moves_the_answer_the_figures_and_the_address(page: Page, app_url: str) -> None:
    opened(page, app_url)
    expect(verdict(page)).to_contain_text("Yes, it pays: 1.42×")
    slider = page.get_by_role("slider", name="Acceptance probability")
    slider.focus()
    chart = page.locator(".js-plotly-plot").first
    chart.evaluate("(plot) => { plot.mark = 1; }")
    for _ in range(30):
        slider.press("ArrowLeft")
    expect(verdict(page)).to_contain_text("No, it costs time")
    in_address(page, alpha="0.3")
    assert chart.evaluate("(plot) => plot.mark") == 1, "the chart was built anew"


def test_the_link_can_be_copied_and_opened_by_a_colleague(new_context: NewContext, app_url: str) -> None:
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened(context.new_page(), f"{app_url}/?draft=7.5")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("status").filter(has_text="Link copied")).to_be_visible()
    link = page.evaluate("() => navigator.clipboard.readText()")
    colleague = opened(new_context().new_page(), link)
    expect(colleague.get_by_role("textbox", name="Draft step")).to_have_value("7.50")


@pytest.mark.deep
def test_a_preset_and_a_pinned_scenario(page: Page, app_url: str) -> None:
    opened(page, app_url)
    page.get_by_role("button", name="Pin to compare").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    page.get_by_role("button", name="Start from an example").click()
    page.get_by_role("button", name="A long draft").click()
    in_address(page, alpha="0.55", k="16", pin="default")
    expect(page.locator(".card .pinned").first).to_contain_text("pinned 1.42×")
    expect(page.locator(".js-plotly-plot .legend").first).to_contain_text("pinned")


def test_the_browser_language_and_the_control(new_context: NewContext, app_url: str) -> None:
    page = opened(new_context(locale="ja-JP").new_page(), app_url)
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.get_by_role("heading", level=2)).to_contain_text(re.compile("[ぁ-ん]"))
    page.get_by_text("English", exact=True).click()
    expect(page.get_by_role("heading", level=2)).to_have_text("When does speculation pay?")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    in_address(page, lang="en")
    change_page(page, "Explore", "Vocabulary")
    expect(page.get_by_role("heading", level=2)).to_have_text("Can a drafter with another tokenizer still pay?")


WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=400, height=900)
BACKGROUND = "(app) => getComputedStyle(app).backgroundColor"
# What Streamlit's own elements fail and the app cannot mend: the uploader's and the dataframe's inner markup
KNOWN = {"presentation-role-conflict", "empty-table-header"}
MAIN = "document.querySelector('[data-testid=stMain]')"
FITS = f"() => {MAIN}.scrollWidth - {MAIN}.clientWidth <= 1"
STILL = "() => document.getAnimations().every((each) => each.playState !== 'running')"


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_and_nothing_is_wider(page: Page, app_url: str, path: str) -> None:
    """In English and light with a lesson's answers, in Japanese and dark with its questions; opened in a narrow window,
    made wide, and narrow again; one load of the page."""
    page.set_viewport_size(NARROW)
    opened(page, f"{app_url}/{path}?guess=0&run=pair&pin=k:2", drawn="h2")
    nothing_is_wider(page)
    page.set_viewport_size(WIDE)
    nothing_is_wider(settled(page))
    nothing_violates(page)
    light = page.locator(".stApp").evaluate(BACKGROUND)
    page.get_by_text("日本語", exact=True).click()
    page.get_by_role("heading", level=2).hover()  # Streamlit's button below the mouse is fainter
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(light) => ({BACKGROUND})(document.querySelector('.stApp')) !== light", arg=light)
    nothing_is_wider(settled(page))
    page.set_viewport_size(NARROW)
    nothing_is_wider(page)
    page.set_viewport_size(WIDE)
    if path in LEARN:
        page.get_by_text("先に予想する", exact=True).click()
        expect(page.get_by_role("button", name="答えを見る")).to_be_visible()
    nothing_violates(settled(page))


def nothing_is_wider(page: Page) -> None:
    page.wait_for_function(FITS)


def nothing_violates(page: Page) -> None:
    """Axe finds nothing, once what fades in has done so."""
    for _ in range(10):
        page.wait_for_function(STILL)
        found = violations(page)
        if not found:
            return
        page.wait_for_timeout(500)
    pytest.fail(str(found), pytrace=False)


def violations(page: Page) -> list[tuple[str, str, str]]:
    found = [each for each in Axe().run(page).response["violations"] if each["id"] not in KNOWN]
    return [(each["id"], each["help"], each["nodes"][0]["html"][:200]) for each in found]


def test_a_bar_is_pulled_and_the_others_make_room(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/exactness?dists=edit&probs=5_5,3_3,2_2&guess=0")
    acceptance = page.locator(".card", has_text="Acceptance").first
    expect(acceptance).to_contain_text("100.0%")
    chart = page.locator(".js-plotly-plot").first
    chart.scroll_into_view_if_needed()
    chart.evaluate("(plot) => { plot.mark = 1; }")
    area = chart.locator(".nsewdrag").first.bounding_box()
    assert area is not None
    of_drafter, height = (
        area["x"] + area["width"] * (0.5 + 0.2) / 3,
        lambda share: area["y"] + area["height"] * (1 - share),
    )
    page.mouse.move(of_drafter, height(0.5))
    page.mouse.down()
    for share in (0.55, 0.65, 0.75):
        page.mouse.move(of_drafter, height(share))
    expect(acceptance).to_contain_text("75.")  # still held
    page.mouse.move(of_drafter, height(0.8))
    page.mouse.up()
    page.wait_for_function("() => /probs=5_8,3_1.2,2_0.8/.test(decodeURIComponent(location.search))")
    expect(acceptance).to_contain_text("70.0%")
    assert chart.evaluate("(plot) => plot.mark") == 1, "the chart was built anew"
    assert chart.evaluate("(plot) => plot._fullLayout.yaxis.range[1]") == 1, "it was zoomed instead"


def test_figures_leave_as_files_with_telling_names(page: Page, app_url: str) -> None:
    opened(page, app_url)
    chart = page.locator(".js-plotly-plot").first
    chart.hover()
    for name, ending in (("Download as PNG", "png"), ("Download as SVG", "svg")):
        with page.expect_download() as download:
            chart.locator(f'[data-title="{name}"]').click()
        assert download.value.suggested_filename == f"speculative-decoding_speedup_speedup.{ending}"


def test_a_table_leaves_with_its_parameters_and_link(page: Page, app_url: str, tmp_path: Path) -> None:
    opened(page, f"{app_url}/draft_length?alpha=0.55")
    with page.expect_download() as download:
        page.get_by_role("button", name="By draft length (CSV)").click()
    download.value.save_as(tmp_path / "table.csv")
    text = (tmp_path / "table.csv").read_text("utf-8")
    assert download.value.suggested_filename == "speculative-decoding_draft_length_by_draft_length.csv"
    assert "# alpha,0.55,Acceptance probability" in text
    assert "/draft_length?alpha=0.55" in text
    assert "\n2,1.8525,2159.5" in text


def saved(page: Page, button: str, file: Path) -> int:
    """Bytes of what a button downloads, once it is saved."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    download.value.save_as(file)
    return file.stat().st_size


def test_a_report_needs_nothing_else(page: Page, new_context: NewContext, app_url: str, tmp_path: Path) -> None:
    """A drawn one is small, has no script and fits on paper, whatever the theme of the screen; one is interactive."""
    drawn, interactive = tmp_path / "drawn.html", tmp_path / "interactive.html"
    page.emulate_media(color_scheme="dark")
    opened(page, f"{app_url}/?alpha=0.7&pin=k:2")
    assert saved(page, "This page as a report", drawn) < 600_000
    saved(page, "Report with interactive figures", interactive)
    context = new_context()
    context.set_offline(True)
    report = context.new_page()
    report.goto(drawn.as_uri())
    report.emulate_media(media="print")
    report.set_viewport_size({"width": 720, "height": 1000})  # A4 without its margins
    assert report.evaluate("() => document.documentElement.scrollWidth") <= 720
    expect(report.locator(".figure > div > svg")).to_have_count(3)
    assert report.locator(".figure").first.locator("path.js-line").count() >= 7  # five k, pinned, plain decoding
    expect(report.locator("script")).to_have_count(0)
    expect(report.get_by_role("heading", level=1)).to_have_text("When does speculation pay?")
    for text in ("What was asked", "alpha=0.7", "Draft tokens per round k", "pinned 2"):
        expect(report.locator("body")).to_contain_text(text)
    report.goto(interactive.as_uri())
    expect(report.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(report.locator(".js-plotly-plot")).to_have_count(3)


BAD_FILES = {
    "wrong columns": (b"a,b\n1,2\n", "proposed"),
    "accepted above proposed": (b"proposed,accepted\n3,1\n3,9\n", "line 3: accepted = 9 is more than proposed = 3"),
    "negative": (b"proposed,accepted\n3,-1\n", "line 2"),
    "nan": (b"proposed,accepted\n3,nan\n", "line 2"),
    "text": (b"proposed,accepted\n3,three\n", "line 2"),
    "empty": (b"", "empty"),
    "binary": (b"\x00\x01\x02\xff" * 50, "binary"),
}


@pytest.mark.deep
@pytest.mark.expects_console_error("CanceledError")  # an upload that the next file takes the place of
def test_bad_files_are_named_and_the_last_good_one_stays(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/?run=upload")
    upload(page, b"proposed,accepted,draft_ms,verify_ms\n" + b"3,1,5,20\n3,3,5,21\n3,0,5,20\n" * 40)
    expect(page.get_by_text("Measured: 2.33 tokens per round")).to_be_visible()
    for data, words in BAD_FILES.values():
        upload(page, data)
        expect(page.get_by_test_id("stAlert").filter(has_text=words)).to_be_visible()
        expect(page.get_by_text("Measured: 2.33 tokens per round")).to_be_visible()
    page.get_by_label("Plain decoding step of the same engine (ms)").fill("18")
    page.keyboard.press("Enter")
    expect(page.locator(".js-plotly-plot .legend").first).to_contain_text("measured")
    page.get_by_role("button", name="Set the sliders from this run").click()
    in_address(page, k="3", target="18.0")


def test_an_upload_is_seen_by_nobody_else(page: Page, new_context: NewContext, app_url: str) -> None:
    opened(page, f"{app_url}/?run=upload")
    upload(page, b"proposed,accepted\n3,1\n3,2\n")
    expect(page.get_by_text("tokens per round").first).to_be_visible()
    other = opened(new_context().new_page(), f"{app_url}/?run=upload")
    expect(other.get_by_text("CSV of rounds")).to_be_visible()
    expect(other.get_by_text("Measured:")).to_have_count(0)


def test_a_round_plays_by_itself_and_stops(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/one_round?k=1&tokens=3&alpha=1&guess=0")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text("Round 1: 0 of 1 drafted.").first).to_be_visible(timeout=15_000)
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("Round 2: every draft was accepted").first).to_be_visible(timeout=15_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible(timeout=15_000)
    in_address(page, round="2")


@pytest.mark.expects_console_error("404")
def test_headers_forbid_other_hosts(page: Page, app_url: str) -> None:
    response = page.goto(app_url)
    assert response is not None
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    settled(page)
