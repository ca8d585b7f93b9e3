"""What the Reference page says for a link."""

import pytest

from specmodel.dashboard.parts.answer import Html
from specmodel.dashboard.reference import html
from specmodel.dashboard.reference.answer import LONGEST, MOST, answer
from specmodel.dashboard.reference.entries import entries
from specmodel.dashboard.reference.entry import KINDS, Entry, Link, Prose, Rows
from specmodel.dashboard.session.chosen import read_link, write_link
from specmodel.dashboard.session.translation import translator
from tests.dashboard.answers import numbers, texts, warnings


def opened(language="en", **query):
    return answer(read_link(query)[0], translator(language))


def test_it_counts_its_entries_and_lists_each_kind():
    found = opened()
    assert f"{len(entries('en'))} entries." in texts(found)
    assert [name for name in found if name.startswith("kind_")] == [f"kind_{kind}" for kind in KINDS]
    assert "entry" not in found and "unknown" not in found
    assert numbers(found)["The bonus token forgotten"] == "2.401×"


def test_an_entry_of_the_link_stands_on_top_in_the_language_of_the_page():
    assert "Acceptance probability α" in opened(entry="acceptance-probability")["entry"].markup
    assert "受理確率 α" in opened("ja", entry="acceptance-probability")["entry"].markup
    assert next(iter(opened(entry="acceptance-probability"))) == "entry"


def test_an_entry_that_is_not_there_is_named_with_the_one_that_may_be_meant():
    found = opened(entry="acceptance-probabilty")
    assert "entry" not in found
    assert "no entry “acceptance-probabilty”" in warnings(found) and "Did you mean" in warnings(found)
    assert "Did you mean" not in warnings(opened(entry="%%"))


def test_a_search_lists_what_it_finds_and_says_so_where_that_is_nothing():
    found = opened(find="ボーナストークン", entries="term")
    assert "Bonus token" in found["list"].markup and "kind_term" not in found
    nothing = opened(find="<b>elephants</b>")
    assert "list" not in nothing and "<b>elephants</b>" in warnings(nothing)
    assert "\\<b\\>" in nothing["nothing"].markdown
    assert "0 entries" in texts(nothing)


def test_a_search_that_finds_most_lists_the_first_of_them():
    found = opened(find="a")
    assert f"The first {MOST} of" in texts(found)
    assert found["list"].markup.count("<details") == MOST


def test_no_kind_has_more_entries_than_are_listed():
    kinds = [entry.kind for entry in entries("en").values()]

    for kind in KINDS:
        assert opened(entries=kind)["list"].markup.count("<details") == kinds.count(kind)


def test_a_long_search_is_cut_off():
    assert len(opened(find="x" * 10_000)["nothing"].markdown) < 10 * LONGEST


def test_texts_of_entries_are_escaped():
    entry = Entry("x", "term", "<i>`a<b`", (Prose("1 < 2 & `<script>`"), Rows((("<td>", Link("<a>", 'q?"><b>')),))))
    markup = html.top(entry, str)
    assert "&lt;i&gt;<code>a&lt;b</code>" in markup and "<code>&lt;script&gt;</code>" in markup
    assert 'href="q?&quot;&gt;&lt;b&gt;"' in markup and "<script>" not in markup


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_part_is_heavy(language):
    for kind in KINDS:
        part = opened(language, entries=kind)["list"]
        assert isinstance(part, Html) and len(part.markup.encode()) < 250_000


def test_search_entry_and_kind_are_in_the_link():
    query = {"entry": "speedup", "find": "accept len", "entries": "term"}
    assert write_link(read_link(query)[0]) == query


def test_the_table_holds_what_was_found_with_its_ids():
    table = opened(find="Leviathan", entries="source")["table"]
    assert table.data["id"][0] == "source-leviathan-2023"
    assert "Fast Inference" in table.data["text"][0]
