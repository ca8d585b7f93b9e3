"""Every browser test also fails on an unexpected console error and on a request that leaves this machine.

Contexts have to come from the fixtures `page`, `context` or `new_context`: only those are watched.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, ConsoleMessage, Locator, Page, expect

# On a sub-page Streamlit's frontend first asks below the page's own path and is told 404.
PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")


expect.set_options(timeout=20_000)  # two tests at a time on two cores: slow is not wrong


def settled(page: Page) -> Page:
    """The page, once its script is not running.

    A run that is about to start is not seen: after moving a control, `expect(...)` the change instead.
    """
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    return page


NewContext = Callable[..., BrowserContext]


def opened(page: Page, address: str, drawn: str = ".js-plotly-plot .main-svg") -> Page:
    page.goto(address)
    settled(page)
    expect(page.locator(drawn).first).to_be_visible()
    return page


def change_page(page: Page, section: str, title: str) -> None:
    page.get_by_role("button", name=section, exact=True).click()
    page.get_by_role("menuitem", name=title, exact=True).click()


def verdict(page: Page) -> Locator:
    return page.get_by_test_id("stAlert").first


def in_address(page: Page, **values: str) -> None:
    for key, value in values.items():
        page.wait_for_url(re.compile(rf"[?&]{key}={re.escape(value)}(&|$)"), timeout=10_000)


def upload(page: Page, data: bytes, name: str = "rounds.csv") -> None:
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})


class Watch:
    """Notes what a browser context must not do."""

    def __init__(self, expected_errors: list[str]) -> None:
        self.expected_errors = expected_errors
        self.seen: list[str] = []
        self.listeners: dict[str, Callable[[Any], None]] = {
            "console": self.on_console,
            "weberror": lambda error: self.seen.append(f"uncaught in the page: {error.error}"),
            "request": lambda request: self.on_address(request.url),
            "page": lambda page: page.on("websocket", lambda socket: self.on_address(socket.url)),
        }

    def attach(self, context: BrowserContext) -> BrowserContext:
        for event, listener in self.listeners.items():
            context.on(event, listener)  # type: ignore[call-overload]
        return context

    def detach(self, context: BrowserContext) -> None:
        for event, listener in self.listeners.items():
            context.remove_listener(event, listener)

    def on_console(self, message: ConsoleMessage) -> None:
        address = message.location.get("url", "")
        probe = message.text.startswith("Failed to load resource") and PROBE.search(address)
        expected = any(re.search(pattern, f"{message.text} {address}") for pattern in self.expected_errors)
        if message.type == "error" and not probe and not expected:
            self.seen.append(f"console error: {message.text} ({address})")

    def on_address(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.seen.append(f"a request left this machine: {address}")


@pytest.fixture
def watch(request: pytest.FixtureRequest) -> Iterator[Watch]:
    """Fails the test, when it is over, for what its contexts did and must not."""
    watch = Watch([str(mark.args[0]) for mark in request.node.iter_markers("expects_console_error")])
    yield watch
    if watch.seen:
        pytest.fail("\n".join(watch.seen), pytrace=False)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """No compiler that pays only for pages open longer than a test: a tenth of what the tests cost."""
    args = [*browser_type_launch_args["args"], "--js-flags=--no-opt --no-maglev"]
    return {**browser_type_launch_args, "args": args}


@pytest.fixture(scope="session")
def profile(
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, Any],
    browser_context_args: dict[str, Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[BrowserContext]:
    """One visitor's browser for all tests, with a profile on the disk: only that keeps compiled scripts, and compiling
    Streamlit's anew is a third of what a page costs."""
    folder = tmp_path_factory.mktemp("profile")
    context = browser_type.launch_persistent_context(folder, **browser_type_launch_args, **browser_context_args)
    yield context
    context.close()


@pytest.fixture
def context(profile: BrowserContext, watch: Watch) -> Iterator[BrowserContext]:
    """The one visitor's browser, watched; without pages, cookies and permissions of other tests."""
    yield watch.attach(profile)
    for page in profile.pages:
        page.close()
    profile.clear_cookies()
    profile.clear_permissions()
    watch.detach(profile)


@pytest.fixture
def new_context(watch: Watch, browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[NewContext]:
    """`new_context(**options)`: another visitor's browser, watched, closed after the test."""
    opened: list[BrowserContext] = []

    def new_context(**options: Any) -> BrowserContext:
        opened.append(watch.attach(browser.new_context(**{**browser_context_args, **options})))
        return opened[-1]

    yield new_context
    for context in opened:
        context.close()


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """The same visitor for every test unless it asks for another: English, light, 1440 px wide."""
    viewport = {"width": 1440, "height": 900}
    return {**browser_context_args, "locale": "en-US", "color_scheme": "light", "viewport": viewport}
