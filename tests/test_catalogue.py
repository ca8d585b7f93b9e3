"""Every text of the app is translated, and the tool that says so sees what it should."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from specmodel.dashboard.session.translation import LANGUAGES, translator
from tests import catalogue

TRANSLATED = sorted(LANGUAGES.keys() - {"en"})


def test_every_text_can_be_extracted():
    assert not catalogue.extract_app().problems


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogue_is_complete(language):
    left = catalogue.problems(catalogue.read(language), catalogue.extract_app().texts)
    if left:
        pytest.fail("\n".join(["`python tests/catalogue.py` updates the catalogue:", *left]), pytrace=False)


@pytest.mark.parametrize("language", TRANSLATED)
def test_translator_reads_the_catalogue(language):
    entries = catalogue.read(language)
    translations = {entry.id: entry.string for entry in entries if isinstance(entry.id, str) and entry.id}
    assert translations
    assert {text: translator(language)(text) for text in translations} == translations


def extracted(tmp_path: Path, source: str) -> catalogue.Found:
    path = tmp_path / "page.py"
    path.write_text(source, encoding="utf-8")
    return catalogue.extract([path])


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ('_("one " "text")', ["one text"]),
        ('view.t("a" if x else "b")', ["a", "b"]),
        ('_.plural("{n} draft", "{n} drafts", n)', [("{n} draft", "{n} drafts")]),
        ('Message("{what} is {n}", {"what": "time", "n": 3, "name": Verbatim("x")})', ["{what} is {n}", "time"]),
        ('alpha: float = param("label", help="help", unit="ms", default=1)', ["label", "help"]),
        ('reason = "slow"\nreason = N_("fast")\nMessage(reason, numbers)', ["fast", "slow"]),
        ('_(label)\n_("")\nprint("not shown")', []),
    ],
)
def test_extraction_finds(tmp_path, source, texts):
    found = extracted(tmp_path, source)
    assert sorted(found.texts, key=str) == sorted(texts, key=str)
    assert not found.problems


@pytest.mark.parametrize("argument", ['f"{n} drafts"', '"about " + name', '"%d drafts" % n', '"{} drafts".format(n)'])
def test_extraction_refuses(tmp_path, argument):
    found = extracted(tmp_path, f"\n_({argument})")
    assert len(found.problems) == 1
    assert found.problems[0].startswith("page.py:2: ")


@pytest.mark.parametrize(
    ("translation", "flags", "complaint"),
    [
        ("{share:.0%} 受理", [], None),
        ("", [], "empty"),
        ("{share:.0%} 受理", ["fuzzy"], "fuzzy"),
        ("{share:.1%} 受理", [], "other placeholders"),
        ("{rate:.0%} 受理", [], "other placeholders"),
    ],
)
def test_problems_of_an_entry(translation, flags, complaint):
    entries = Catalog("ja")
    entries.add("{share:.0%} accepted", translation, flags=flags)
    found = catalogue.problems(entries, {"{share:.0%} accepted": ["page.py"]})
    assert [problem.split(" in ")[0].split(":")[0] for problem in found] == ([complaint] if complaint else [])


def test_update_keeps_translations_and_drops_what_is_unused():
    old = Catalog("ja")
    old.add("kept", "残る")
    old.add("gone", "消える")
    old.add(("{n} draft", "{n} drafts"), ("下書き {n} 個",))
    texts: dict[catalogue.Id, list[str]] = {"kept": ["a.py"], "new": ["a.py"], ("{n} draft", "{n} drafts"): ["a.py"]}
    new = catalogue.updated(old, texts)
    assert catalogue.problems(old, texts) == ["missing: 'new' (a.py)", "unused: 'gone' = '消える'"]
    assert catalogue.problems(new, texts) == ["empty: 'new' (a.py)"]
