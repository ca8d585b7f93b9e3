"""The entries of the Reference page: made of every declaration, each with one id, and found in both languages."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

import pytest

import specmodel
from specmodel.base.params import Param, Quantity, declarations
from specmodel.dashboard.parts.entries import function_entry, number_entry, term_entry
from specmodel.dashboard.reference import numbers
from specmodel.dashboard.reference.entries import MOVED, entries, nearest, resolved, search
from specmodel.dashboard.reference.entry import FORMULA, KINDS, PARAMETER, RESULT, Entry, Link, Rows
from specmodel.dashboard.reference.number_entries import places
from specmodel.dashboard.reference.sources import cited_in, docstring, drafting_entry, explained, sources
from specmodel.dashboard.reference.term_entries import NOTES, words
from specmodel.dashboard.reference.terms import TERMS
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import LANGUAGES
from specmodel.measured.definitions import DEFINITIONS
from specmodel.methods import methods
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario

NOT_IMPORTED = ("__main__", "frame.frame", "_worker")
CITATION = re.compile(r"[A-Z][\w-]+(?: et al\.| and [A-Z][\w-]+)? (?:19|20)\d\d\b|\b\d{4}\.\d{5}\b")
LASTING = [
    "acceptance-probability",
    "draft-tokens-per-round",
    "target-step",
    "draft-step",
    "vocabulary-overlap",
    "output-length",
    "extra-time-per-verified-token",
    "overhead-per-round",
    "speedup",
    "time-ratio",
    "tokens-per-round",
    "cost-of-a-round",
    "time-per-output-token",
    "wasted-drafts",
    "break-even",
    "batch-size",
    "context",
    "request-rate",
    "term-round",
    "term-bonus-token",
    "term-alpha",
    "term-accepted-per-drafted",
    "term-length-with-bonus",
    "term-per-position",
    "term-conditional",
    "term-drafting-eagle3",
    "formula-evaluate",
    "formula-mean-rounds",
    "source-leviathan-2023",
    "wrong-bonus-token",
    "wrong-capped",
    "wrong-rate-for-alpha",
    "wrong-rounds",
    "wrong-averaged-ratios",
    "wrong-free-verification",
    "wrong-other-batch",
]
"""Ids that links outside the app may hold: what a label is reworded to takes over its id, by `MOVED`."""


def every_declared() -> Iterator[Quantity]:
    """All numbers that any module of the package declares, whatever it is called."""
    for module in pkgutil.walk_packages(specmodel.__path__, "specmodel."):
        if not module.name.endswith(NOT_IMPORTED):
            for value in vars(importlib.import_module(module.name)).values():
                yield from (use.declared for use in numbers._declared_by(value, module.name))


def links(entry: Entry) -> Iterator[str]:
    for block in entry.body:
        if isinstance(block, Rows):
            for cell in (cell for row in (block.header, *block.rows) for cell in row):
                yield from (
                    each.href for each in (cell if isinstance(cell, tuple) else (cell,)) if isinstance(each, Link)
                )


def test_every_declared_number_has_one_entry_of_its_kind():
    known = entries("en")
    declared = list(every_declared())
    assert len(declared) > 250
    for each in declared:
        entry = known[number_entry(each)]
        assert entry.kind == PARAMETER if isinstance(each, Param) else entry.kind in (PARAMETER, RESULT)
        assert each.help in entry.text
        assert sum(title_of(other) == each.label for other in known.values()) == 1, each.label


def title_of(entry: Entry) -> str:
    """The label of a number's entry, without its symbol."""
    if entry.kind not in (PARAMETER, RESULT):
        return ""
    return numbers.by_entry()[entry.id][0].declared.label


def test_labels_that_differ_never_share_an_entry():
    for found in numbers.by_entry().values():
        assert len({use.declared.label for use in found}) == 1


def test_ids_are_unique_the_same_in_every_language_and_fit_into_a_link():
    known = [entries(language) for language in LANGUAGES]
    assert all(list(each) == list(known[0]) for each in known)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id) for id in known[0])
    assert {entry.kind for entry in known[0].values()} == set(KINDS)


@pytest.mark.parametrize("id", LASTING)
def test_an_id_that_links_hold_leads_somewhere(id):
    assert resolved(id) in entries("en")


def test_what_moved_is_gone_from_where_it_was_and_there_where_it_went():
    assert all(old not in entries("en") and new in entries("en") for old, new in MOVED.items())


@pytest.mark.parametrize("name", ["Scenario.alpha", "alpha", "vocabulary_overlap", "Load.batch_size", "batch", "rps"])
def test_code_and_link_keys_lead_to_an_entry(name):
    assert name in entries("en")[resolved(name)].text
    assert resolved("nothing.of_the_kind") == ""


def test_every_function_that_a_page_explains_has_an_entry_with_its_formulas():
    functions = {function for page in pages().values() for function in page.explains}
    assert {function_entry(function) for function in functions} == {
        id for id, entry in entries("en").items() if entry.kind == FORMULA
    }
    assert all(
        docstring(function).split("\n")[0] in entries("en")[function_entry(function)].text for function in functions
    )


def test_every_link_of_an_entry_leads_to_an_entry_a_page_or_a_publication():
    for language in LANGUAGES:
        for entry in entries(language).values():
            for href in links(entry):
                place, _, query = href.partition("?")
                assert href.startswith("https://") or place in pages(), (entry.id, href)
                if place == "reference":
                    asked = dict(parse_qsl(query))
                    assert asked.get("entry", "speedup") in entries("en"), (entry.id, href)
                    assert asked["lang"] == language


def test_every_rate_and_every_way_of_drafting_is_a_term():
    known = entries("en")
    assert all(each.meaning in known[term_entry(key)].text for key, each in DEFINITIONS.items())
    assert all(each.wins in known[drafting_entry(each.key)].text for each in methods())


def test_the_words_of_others_belong_to_terms_that_are_there():
    keys = {term.key for term in TERMS} | set(DEFINITIONS)
    assert set(words()) <= keys
    noted = {word.note for each in words().values() for word in each}
    assert noted - {""} == set(NOTES)
    assert {word.kind for each in words().values() for word in each} == {"engine", "paper"}
    papers = [word.who for each in words().values() for word in each if word.kind == "paper"]
    assert [who for who in papers if not cited_in(who)] == []


def test_what_is_cited_is_a_source_and_every_source_is_cited():
    texts = [
        *map(docstring, explained()),
        *(f"{each.citation} {row.source}" for each in methods() for row in each.rows),
    ]
    texts += [word.who for each in words().values() for word in each]
    missing = {found for text in texts for found in CITATION.findall(text) if not cited_in(text)}
    assert missing == set()
    cited = {source.key for text in texts for source in cited_in(text)}
    assert {source.key for source in sources()} - cited == set()


def test_a_parameter_tells_where_it_stands_its_default_its_domain_and_its_link_key():
    text = entries("en")["draft-tokens-per-round"].text
    assert "Scenario.num_speculative_tokens" in text
    assert "whole numbers, 0 to 64" in text and "Speedup, Draft length" in text
    overlap = numbers.by_entry()[number_entry(declarations(Scenario)["vocabulary_overlap"])][0]
    on = [pages()[key].title for key in numbers.panels()[Scenario, "vocabulary_overlap"]]
    assert [getattr(each, "text", each) for each in places(overlap, str)] == on


def test_a_result_tells_what_computes_it():
    entry = entries("en")[number_entry(declarations(Outcome)["tpot_ms"])]
    assert "reference?entry=formula-evaluate&lang=en" in set(links(entry))


@pytest.mark.parametrize(
    ("find", "kind", "first"),
    [
        ("speedup", "", "speedup"),
        ("SPEEDUP", "", "speedup"),
        ("高速化率", "", "speedup"),
        ("ボーナストークン", "term", "term-bonus-token"),
        ("ｂｏｎｕｓ　ｔｏｋｅｎ", "term", "term-bonus-token"),
        ("accept len", "term", "term-length-with-bonus"),
        ("Künsch", "", "source-kunsch-1989"),
        ("kunsch", "source", "source-kunsch-1989"),
        ("num_speculative_tokens", "parameter", "draft-tokens-per-round"),
        ("γ", "term", "term-num-speculative-tokens"),
        ("Fast Inference", "source", "source-leviathan-2023"),
        ("accepted proposed taken", "wrong", "wrong-rate-for-alpha"),
    ],
)
def test_the_search_finds_words_of_both_languages(find, kind, first):
    assert search(find, kind)[0] == first


def test_a_search_keeps_to_its_kind_and_may_find_nothing():
    assert {entries("en")[id].kind for id in search("token", "result")} == {RESULT}
    assert search("elephants", "") == []
    assert len(search(" ", "")) == len(entries("en"))


def test_the_nearest_entry_of_a_mistyped_id():
    assert nearest("Speed up") == "speedup"
    assert nearest("%%%") == ""
