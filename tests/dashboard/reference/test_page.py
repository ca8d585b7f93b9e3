"""The Reference page as it is opened, and the way to it from every "?" of the app."""

import ast
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import card
from specmodel.dashboard.parts.slider import Slider
from specmodel.dashboard.reference.entries import entries
from specmodel.dashboard.reference.numbers import panels
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import translator
from specmodel.model.outcome import Outcome
from tests.conftest import ROOT
from tests.dashboard.conftest import Opener, alerts, numbers

LINK = re.compile(r"\]\((reference\?[^)]*)\)")


def entry_of(link: str) -> str:
    return parse_qs(urlsplit(link).query)["entry"][0]


def helps(app: AppTest) -> list[str]:
    """The help texts of all that has one."""
    return [text for each in app.main if (text := getattr(each, "help", ""))]


def test_a_link_opens_its_entry_on_top(opened: Opener) -> None:
    app = opened("reference", entry="wrong-bonus-token")
    top = app.get("html")[0].proto.body
    assert 'class="top"' in top and "1.687×" in top
    app.button(key="reference:close").click().run()
    assert app.session_state["entry"] == ""
    assert not any(button.key == "reference:close" for button in app.button)


def test_a_search_and_a_kind_narrow_the_list(opened: Opener) -> None:
    app = opened("reference")
    whole = int(re.match(r"\*\*(\d+)", app.info[0].value)[1])  # type: ignore[index]
    app.text_input(key="reference:find").set_value("ボーナス").run()
    found = int(re.match(r"\*\*(\d+)", app.info[0].value)[1])  # type: ignore[index]
    assert 1 <= found < whole
    assert app.session_state["find"] == "ボーナス"
    app.selectbox(key="reference:entries").set_value("source").run()
    assert "No entry has “ボーナス” in it" in alerts(app)
    app.text_input(key="reference:find").set_value("").run()
    assert "Sources: " in alerts(app)


def test_it_shows_the_right_numbers(opened: Opener) -> None:
    assert numbers(opened("reference"))["Capped at k"] == "2.71"


@pytest.mark.parametrize("name", [key for key in pages() if key != "reference"])
def test_the_help_of_every_card_and_box_links_to_an_entry(opened: Opener, name: str) -> None:
    app = opened(name, guess="0")
    cards = [metric.help for metric in app.metric]
    assert cards and all(LINK.search(text) for text in cards)
    linked = [link for text in (*cards, *helps(app)) for link in LINK.findall(text)]
    assert {entry_of(link) for link in linked} <= set(entries("en"))


@pytest.mark.parametrize("name", pages())
def test_every_formula_of_the_why_links_to_its_entry(opened: Opener, name: str) -> None:
    app = opened(name, guess="0")
    app.session_state["why"] = True
    app.run()
    linked = [entry_of(link) for text in app.markdown for link in LINK.findall(text.value)]
    formulas = [entry for entry in linked if entry.startswith("formula-")]
    assert len(set(formulas)) == len(set(pages()[name].explains))
    assert set(formulas) <= set(entries("en"))


def test_no_card_and_no_definition_goes_without_its_entry() -> None:
    """Nor where no test looks: a card is made of a declared number or names its entry, a help text by `help_text`."""
    for path in sorted((ROOT / "specmodel" / "dashboard").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Card":
                assert len(node.args) == 5 or any(given.arg == "entry" for given in node.keywords), path
            if isinstance(node, ast.keyword) and node.arg == "help" and isinstance(node.value, ast.Call):
                given = [each for each in node.value.args if isinstance(each, ast.Attribute) and each.attr == "help"]
                assert not given, f"{path}: {ast.unparse(node)}"


def test_every_slider_links_to_an_entry() -> None:
    assert len(panels()) > 40
    for kind, name in panels():
        declared = declarations(kind)[name]
        data = Slider("x", declared, declared.default).data(translator("ja"))
        assert entry_of(data["entry"]) in entries("ja") and data["entry"].endswith("lang=ja")


def test_a_card_of_a_declared_number_names_its_entry() -> None:
    assert all(card(each, None, str, kind="exact").entry in entries("en") for each in declarations(Outcome).values())
