"""Every card of every page carries its number as data: what kind of number it is, and the value that it shows."""

import re
from urllib.parse import parse_qsl

import pytest

import specmodel as sm
from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import Card, Cards
from specmodel.dashboard.parts.known import known, known_ranges
from specmodel.dashboard.parts.linked import linked_answer
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import translator
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats
from specmodel.model.outcome import Outcome

BARE = [(key, "") for key in pages()]
LINKS = [
    ("speedup", "alpha=0.1&k=12"),
    ("speedup", "k=0"),
    ("speedup", "run=pair&pin=alpha:0.8"),
    ("draft_length", "tokens=100000"),
    ("vocabulary", "overlap=0.2"),
    ("serving", "batch=256"),
    ("serving", "batch=2048"),
    ("serving", "rps=2"),
    ("serving", "rps=5000"),
    ("serving", "cost=points&passes=pair&batch=64"),
    ("serving", "cost=fit&k=0"),
    ("serving", "llm=deepseek_v3&gpu=l4"),
    ("methods", "batch=64"),
    ("engine", "example=ngram"),
    ("engine", "example=misfit"),
    ("engine", "plain=20&took=25"),
    ("engine", "src=hand&rate=60%25&drafted=4&plain=20&took=31"),
    ("one_round", "round=3&stage=9"),
    ("exactness", "dists=text"),
    ("live_text", "textat=0"),
    ("live_text", "textat=12"),
    ("drift", "workload=groups&k=0"),
]
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?")


def cards_of(key: str, query: str, language: str = "en") -> list[Card]:
    answer = linked_answer(key, read_link(dict(parse_qsl(query)))[0], translator(language))
    return [card for part in answer.values() if isinstance(part, Cards) for card in part.cards]


def shown(card: Card) -> tuple[float, float] | None:
    """The number that a card's text shows, and half a step of its last digit; None where it shows none."""
    found = NUMBER.search(card.value)
    if found is None:
        return None
    text = found[0].replace(",", "")
    mantissa, _, exponent = text.partition("e")
    decimals = len(mantissa.partition(".")[2])
    factor = 10.0 ** int(exponent or 0)
    rest = card.value[found.end() :]
    factor *= 0.01 if "%" in rest else 1000 if card.unit == "ms" and rest.strip() == "s" else 1
    return float(mantissa) * factor, 0.5 * 10.0**-decimals * factor


@pytest.mark.parametrize(("key", "query"), BARE + LINKS)
def test_a_card_holds_the_number_that_it_shows(key: str, query: str) -> None:
    for card in cards_of(key, query):
        number = card.known
        assert number is not None and card.name, card
        assert number.kind in ("exact", "simulated", "measured", "assumed", "extrapolated")
        if number.ranges is not None:
            assert number.value is None and bool(number.ranges) == bool(shown(card)), card
            continue
        seen = shown(card)
        assert (seen is None) == (number.value is None), card
        if seen is not None and number.value is not None:
            assert abs(seen[0] - number.value) <= seen[1] * 1.001, card
        if number.low is not None and number.high is not None and number.value is not None:
            assert number.low <= number.value <= number.high, card


@pytest.mark.parametrize("key", pages())
def test_names_of_a_row_differ_and_no_number_hangs_on_the_language(key: str) -> None:
    english, japanese = cards_of(key, ""), cards_of(key, "", "ja")
    assert [(card.name, card.unit, card.known) for card in english] == [
        (card.name, card.unit, card.known) for card in japanese
    ]
    answer = linked_answer(key, read_link({})[0], translator("en"))
    for part in answer.values():
        if isinstance(part, Cards):
            assert len({card.name for card in part.cards}) == len(part.cards)


def test_the_links_reach_every_kind() -> None:
    kinds = {card.known.kind for key, query in BARE + LINKS for card in cards_of(key, query) if card.known}
    assert kinds == {"exact", "simulated", "measured", "assumed", "extrapolated"}


@pytest.mark.parametrize("key", ["speedup", "vocabulary"])
def test_the_scenarios_numbers_are_those_of_evaluate(key: str) -> None:
    outcome = sm.evaluate(sm.Scenario(alpha=0.37, num_speculative_tokens=7))
    found = {card.name: card.known for card in cards_of(key, "alpha=0.37&k=7")}
    named = found.keys() & declarations(Outcome).keys()
    assert len(named) >= 4
    for name in named:
        assert found[name] == known("exact", getattr(outcome, name))


def test_a_measured_number_has_its_interval_and_what_was_typed_makes_it_assumed() -> None:
    stats = SpecStats(
        "vllm", "log", num_speculative_tokens=3, num_rounds=1000, num_draft_tokens=3000, num_accepted_draft_tokens=1800,
        accepted_per_position=(760, 590, 450), step_ms=12.5,
    )  # fmt: skip
    base = f"src=link&counts={pack_stats(stats)}"
    found = {card.name: card.known for card in cards_of("engine", base)}
    rate = found["rate"]
    assert rate is not None and rate.kind == "measured" and rate.value == 0.6
    assert rate.low is not None and rate.high is not None and 0.4 < rate.low < 0.6 < rate.high < 0.8
    typed = {card.name: card.known for card in cards_of("engine", f"{base}&plain=9.8")}
    assert typed["rate"] == rate and typed["speedup"] is not None and typed["speedup"].kind == "assumed"


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("cost=fit&batch=8&fixed=0.2", "exact"),  # line and fixed cost are as they were said
        ("cost=fit&batch=8", "assumed"),  # what a round costs beyond its passes is not known
        ("batch=8", "assumed"),  # served costs were off by a third
        ("cost=points&passes=pair&batch=64", "extrapolated"),
    ],
)
def test_under_load_a_number_is_as_sure_as_the_costs(query: str, kind: str) -> None:
    assert {card.known.kind for card in cards_of("serving", query) if card.known} == {kind}
    assert {card.known.kind for card in cards_of("methods", query) if card.known} == {"assumed"}


def test_numbers_that_are_none_and_half_intervals_are_left_out() -> None:
    assert known("exact", float("nan"), 1, 2).value is None
    assert known("measured", 1, None, 2) == known("measured", 1, 1, float("inf")) == known("measured", 1)
    assert known_ranges("exact", [(0.5, float("inf"))]).ranges == ((0.5, None),)
