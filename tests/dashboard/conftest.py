"""What the page tests share: opening a page as a link does, and the link that a session would copy."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from specmodel.dashboard.frame import share
from tests.conftest import ROOT

FRAME = ROOT / "specmodel" / "dashboard" / "frame" / "frame.py"
Opener = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def packages_are_searched_once() -> Iterator[None]:
    """Each AppTest looks through all that is installed for Streamlit components: half of the time of opening a page."""
    with pytest.MonkeyPatch.context() as patch:
        found_once = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found_once)
        yield


@pytest.fixture
def opened() -> Opener:
    """`opened(name, locale, **query)`: the page of that name, opened by a link with this query."""

    def opened(name: str = "speedup", locale: str = "en-US", **query: str) -> AppTest:
        app = AppTest.from_file(str(FRAME), default_timeout=30)
        app.context = {"locale": locale}
        for key, value in query.items():
            app.query_params[key.rstrip("_")] = value
        if name != "speedup":
            go_to(app, name)
        else:
            app.run()
        assert not app.exception, app.exception
        return app

    return opened


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The query of the link after every run of the test; the last one is what the visitor would copy now."""
    found: list[dict[str, str]] = []
    draw = share.share_link

    def recording(query: Mapping[str, str], *others: Any) -> None:
        found.append(dict(query))
        draw(query, *others)

    monkeypatch.setattr(share, "share_link", recording)
    return found


def go_to(app: AppTest, name: str) -> AppTest:
    """Change to another page of the same session."""
    app.switch_page(str(ROOT / "pages" / f"{name}.py")).run()
    return app


def waiting(app: AppTest) -> list[str]:
    """The buttons of the questions that wait for a guess."""
    return [str(button.key) for button in app.button if str(button.key).endswith(":reveal")]


def guess_all(app: AppTest) -> list[str]:
    """Answer question after question as it appears; their buttons."""
    answered: list[str] = []
    while found := waiting(app):
        assert len(found) == 1, "a question is open and the page went on"
        answered += found
        app.button(key=found[0]).click().run()
        assert not app.exception
    return answered


def numbers(app: AppTest) -> dict[str, str]:
    """The cards: label -> value."""
    return {metric.label: metric.value for metric in app.metric}


def below(app: AppTest) -> dict[str, str]:
    """The line below each card: label -> text."""
    return {metric.label: metric.delta for metric in app.metric}


def unescaped(text: str) -> str:
    """Markdown as a visitor sees it."""
    return re.sub(r"\\(.)", r"\1", text)


def alerts(app: AppTest) -> str:
    """Every coloured box of the page, as a visitor sees it."""
    boxes = (box.value for kind in (app.success, app.error, app.warning, app.info) for box in kind)
    return unescaped("\n".join(boxes))


def warned(app: AppTest) -> str:
    """What the page warns of, as a visitor sees it."""
    return unescaped("\n".join(box.value for box in app.warning))


def said(app: AppTest) -> str:
    """Small print and text of the page, as a visitor sees it."""
    return unescaped("\n".join(text.value for kind in (app.caption, app.markdown) for text in kind))
