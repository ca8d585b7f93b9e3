"""The engine page in a real browser: files of every engine, a large upload, a link, and a live Prometheus."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from specmodel import logs
from tests.browser.conftest import NewContext, change_page, opened, settled
from tests.conftest import ROOT, SAMPLE_NAMES, SAMPLES, running_app
from tests.logs.prometheus.exporter import LARGE, SMALL, moving_exporter, prometheus_binary, running_prometheus

ANSWERED = '[data-testid="stAlert"]'
"""It stands below the box for files, which then takes them: a file given to a box that is not yet ready is lost."""
ENDINGS = {Path(name).suffix: name for name in SAMPLE_NAMES}


def give(page: Page, *files: str | dict[str, object]) -> None:
    given = [str(SAMPLES / file) if isinstance(file, str) else file for file in files]
    page.locator("input[type=file]").set_input_files(given)  # type: ignore[arg-type]
    settled(page)


def alerts(page: Page) -> str:
    return "\n".join(page.get_by_test_id("stAlert").all_inner_texts())


def test_a_sample_of_each_kind_of_file_is_recognised_understood_and_answered(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/engine?src=files", drawn=ANSWERED)
    for name in ENDINGS.values():
        give(page, name)
        expect(page.get_by_test_id("stFileChip")).to_have_count(1)
        try:
            stats = logs.parse((SAMPLES / name).read_bytes(), name=name)
        except logs.LogError as error:
            expect(page.get_by_test_id("stAlert").filter(has_text=str(error)[:60]).first).to_be_visible()
        else:
            if stats.speculation:
                expect(page.get_by_text(re.compile(rf"^{re.escape(stats.engine)} · ")).first).to_be_visible()
                expect(page.get_by_test_id("stAlert").first).to_be_visible()
            else:
                expect(page.get_by_test_id("stAlert").filter(has_text="no file tells of speculation")).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
        page.get_by_role("button", name=f"Remove {name}").click()
        expect(page.get_by_test_id("stFileChip")).to_have_count(0)
        expect(page.get_by_text("Give a file, paste a log, or type a rate")).to_be_visible()
        settled(page)


def test_a_log_and_its_baseline_become_a_link_that_a_colleague_opens(
    page: Page, new_context: NewContext, app_url: str
) -> None:
    opened(page, f"{app_url}/engine?src=files", drawn=ANSWERED)
    give(page, "vllm-bench-serve-spec.json", "vllm-bench-serve-baseline.json")
    expect(page.get_by_test_id("stAlert").first).to_contain_text("Yes, it pays: decoding 2.19× as fast.")
    page.wait_for_url(re.compile("src=link.*counts=engine"))
    colleague = opened(new_context().new_page(), page.url, drawn="h2")
    expect(colleague.get_by_test_id("stAlert").first).to_contain_text("decoding 2.19× as fast")
    other = opened(new_context().new_page(), f"{app_url}/engine?src=files", drawn=ANSWERED)
    expect(other.get_by_text("vllm-bench-serve-spec.json")).to_have_count(0)


@pytest.mark.deep
def test_a_bad_file_among_good_ones_is_named_and_the_rest_stays(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/engine?src=files", drawn=ANSWERED)
    give(page, "vllm-bench-serve-spec.json")
    expect(page.get_by_text("Acceptance alone decides nothing.")).to_be_visible()
    give(page, "vllm-log-diffusion.log")
    expect(page.get_by_test_id("stAlert").filter(has_text="diffusion")).to_be_visible()
    expect(page.get_by_text("Acceptance alone decides nothing.")).to_be_visible()


def test_a_large_log_is_read_while_a_bar_moves(page: Page, app_url: str) -> None:
    line = (SAMPLES / "vllm-log-0.9-to-0.10.1.log").read_bytes().splitlines(keepends=True)[1]
    body = (b"INFO 07-01 10:20:31 nothing to see in this line of the log\n" * 2000 + line) * 80
    opened(page, f"{app_url}/engine?src=files", drawn=ANSWERED)
    give(page, {"name": "big.log", "mimeType": "text/plain", "buffer": body})
    expect(page.get_by_text("vLLM · log lines")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("80 windows").first).to_be_visible()


def test_the_measured_engine_opens_in_the_explore_pages(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/engine", drawn="h2")
    page.get_by_role("button", name="Open this engine in the Explore pages").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("When does speculation pay?")
    page.wait_for_url(re.compile("shape=.*"))
    assert "k=4" in page.url and "target=9.57" in page.url
    expect(page.get_by_role("button", name="One α for every position")).to_be_visible()


@pytest.mark.deep
def test_files_are_still_there_after_a_visit_to_another_page(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/engine?src=files", drawn=ANSWERED)
    give(page, "vllm-bench-serve-spec.json", "vllm-bench-serve-baseline.json")
    expect(page.get_by_text("decoding 2.19× as fast")).to_be_visible()
    change_page(page, "Explore", "Draft length")
    expect(page.get_by_role("heading", level=2)).to_have_text("How many tokens should it draft?")
    change_page(page, "Measure", "Your engine")
    expect(page.get_by_text("decoding 2.19× as fast")).to_be_visible()
    page.get_by_role("button", name="Forget these files").click()
    expect(page.get_by_text("the answer then stands here")).to_be_visible()


def test_the_answer_can_be_pasted(page: Page, app_url: str) -> None:
    opened(page, f"{app_url}/engine?src=hand&reads=per_position&rate=0.8,0.6&engine=vLLM&method=mtp", drawn="h2")
    code = page.get_by_test_id("stCode").first.inner_text()
    match = re.search(r"--speculative-config\s+'(.*)'", code, re.DOTALL)
    assert match and json.loads(match[1]) == {"method": "mtp", "num_speculative_tokens": 2}


@pytest.fixture(scope="module")
def live_url() -> Iterator[str]:
    if prometheus_binary() is None:
        pytest.skip("no prometheus binary")
    with (
        moving_exporter() as exporter,
        running_prometheus(exporter.port) as prometheus,
        running_app(ROOT / "app.py", SPECMODEL_PROMETHEUS_URL=prometheus) as url,
    ):
        yield url


def test_a_live_prometheus_drives_the_page(page: Page, live_url: str) -> None:
    opened(page, f"{live_url}/engine?src=live&window=300", drawn="h2")
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name=f"vLLM · {LARGE.model}").click()
    wanted = f"{LARGE.acceptance_length:.2f}"
    card = page.locator(".card").filter(has_text="Tokens per round")
    expect(card).to_contain_text(wanted, timeout=20_000)
    expect(page.get_by_text("Acceptance by position over time").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(6, timeout=20_000)
    page.get_by_role("textbox", name="Plain decoding step (ms)").fill("30")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stAlert").first).to_contain_text("Yes, it pays", timeout=20_000)
    expect(page.get_by_text("Decode speedup over time").first).to_be_visible(timeout=20_000)


@pytest.mark.deep
def test_a_live_page_refreshes_itself(page: Page, live_url: str) -> None:
    opened(
        page, f"{live_url}/engine?src=live&window=300&model=vllm%3A%7Bmodel_name%3D%22{SMALL.model}%22%7D", drawn="h2"
    )
    table = page.get_by_test_id("stTable").first
    expect(table).to_be_visible(timeout=20_000)
    before = table.inner_text()
    page.wait_for_function(
        "(before) => document.querySelector('[data-testid=stTable]').innerText !== before", arg=before, timeout=30_000
    )
    expect(page.get_by_test_id("stException")).to_have_count(0)
