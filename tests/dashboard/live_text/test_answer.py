"""The Live text page as a function: what it says is what the models did, and a typed text stays with its visitor."""

import gc
import re
from functools import _lru_cache_wrapper
from typing import Any, TypeVar

import pytest

from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.live_text import run as live_text_run
from specmodel.dashboard.live_text.answer import answer, steps
from specmodel.dashboard.live_text.run import OWN, Store, held_out, run_of
from specmodel.dashboard.live_text.values import TextLesson
from specmodel.dashboard.parts.answer import Answer, Card, Cards, Html, Note, Notice, Said, Table, Text
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import translator
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.ngram import KINDS, LookupDrafter, decode, language_models, measure, speculate
from specmodel.ngram.corpora import PROMPTS
from tests.dashboard.live_text.conftest import text_of

Part = TypeVar("Part")
Query = dict[str, str]
EN = translator("en")
ORDER = TextLesson().draft_order
PAIR = language_models("english")
START = PAIR.corpus.prompts[0]
TRACE = speculate(PAIR.target, PAIR.drafter(ORDER), START, 120, 4, 1.0, 1)


def page(query: Query | None = None, own_text: str = "", store: Store | None = None, language: str = "en") -> Answer:
    return answer(read_link(query or {})[0], translator(language), own_text, store)


def part(kind: type[Part], made: Answer, name: str) -> Part:
    named = made[name]
    assert isinstance(named, kind)
    return named


def cards(made: Answer, name: str) -> dict[str, Card]:
    return {card.label: card for card in part(Cards, made, name).cards}


def opening(made: Answer) -> str:
    return part(Said, made, "opening").headline


def texts(made: Answer) -> tuple[str, str]:
    """The two texts as they are seen: with speculation, and of the target alone."""
    return text_of(part(Html, made, "speculative_text").markup), text_of(part(Html, made, "plain_text").markup)


def questions(query: Query | None = None) -> dict[str, Question]:
    return {step.key: step.question for step in steps(read_link(query or {})[0], EN) if step.question}


def test_the_numbers_are_those_of_the_text() -> None:
    made, counted = page(), measure([TRACE])
    assert f"**{counted.num_rounds} instead of 120**" in opening(made)
    assert {label: card.value for label, card in cards(made, "numbers").items()} == {
        "Tokens per round": f"{120 / counted.num_rounds:.2f}",
        "Target passes saved": f"{counted.target_passes_saved}",
        "Drafts kept": f"{counted.alpha:.0%}",
        "Wasted drafts": f"{counted.num_wasted_draft_tokens}",
    }
    assert list(cards(made, "opening_numbers").values())[:2] == list(cards(made, "numbers").values())[:2]


def test_both_texts_are_shown() -> None:
    assert texts(page()) == (START + TRACE.text, START + decode(PAIR.target, START, 120, 1.0, 1).text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("drafter", ["model", "lookup"])
def test_at_temperature_0_the_texts_are_identical(kind: str, drafter: str) -> None:
    made = page({"textkind": kind, "textdraft": drafter, "text_temp": "0"})
    fast, alone = texts(made)
    assert fast == alone
    agreement = part(Notice, made, "agreement")
    assert agreement.kind == "success" and "Identical: all 120 tokens" in agreement.markdown
    assert "checked" in opening(made)
    both = "400 of 400 draws of the target alone are it, and 400 of 400 with speculation"
    assert both in part(Text, made, "fit").markdown


def test_a_difference_at_temperature_0_would_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = decode(PAIR.target, "Return the", 120, 0, 1)
    monkeypatch.setattr(live_text_run, "decode", lambda *_: wrong)
    made = page({"text_temp": "0"})
    agreement = part(Notice, made, "agreement")
    assert agreement.kind == "error" and "must not be at temperature 0" in agreement.markdown
    assert "must not be at temperature 0" in opening(made)
    assert "Identical" not in agreement.markdown


def test_at_temperature_1_the_distributions_are_tested() -> None:
    made = page()
    assert "The two texts part at token" in part(Notice, made, "agreement").markdown
    p_value = re.search(r"p = ([\d.]+) with speculation", part(Text, made, "fit").markdown)
    assert p_value and 0.001 < float(p_value[1]) <= 1
    assert "Simulated: 400 continuations of 2 tokens" in part(Note, made, "same_note").text
    table = part(Table, made, "continuations_table")
    assert table.data and sum(table.data["alone"]) == sum(table.data["speculative"]) == 400
    assert list(table.columns["with speculation, drawn"]) == [str(times) for times in table.data["speculative"]]
    assert sum(table.data["target"]) == pytest.approx(1)


@pytest.mark.parametrize(
    "query",
    [{}, {"text_order": "5"}, {"text_temp": "0"}, {"text_temp": "0.01", "textkind": "code"}, {"lesson_seed": "7"}],
    ids=str,
)
def test_the_answer_says_what_is_true_of_this_text(query: Query) -> None:
    made = page(query)
    fast, alone = texts(made)
    parts_at = re.search(r"target alone at token (\d+)", opening(made))
    assert (fast == alone) == (parts_at is None) == ("the same" in opening(made))
    if parts_at:
        assert f"The two texts part at token {parts_at[1]}:" in part(Notice, made, "agreement").markdown


def test_the_target_as_drafter_is_always_kept_and_writes_the_same_text() -> None:
    made = page({"text_order": "5", "text_temp": "1", "text_k": "3"})
    assert "Here the text is the same as the target's alone, token by token" in opening(made)
    assert "tested below" in opening(made)
    numbers = cards(made, "numbers")
    assert (numbers["Drafts kept"].value, numbers["Tokens per round"].value) == ("100%", "4.00")


@pytest.mark.parametrize(
    ("query", "own_text", "words"),
    [
        ({"text_temp": "0.05", "textkind": "code"}, "", "400 of 400 with speculation"),
        ({"text_temp": "2", "textkind": "code", "textprompt": "own"}, "は", "no continuation that is likely enough"),
    ],
    ids=str,
)
def test_where_nothing_can_be_tested_no_test_is_announced(query: Query, own_text: str, words: str) -> None:
    """The models learn from text that changes with every version: one of the prompts has to do, and there are few."""
    made_of = (page({"textprompt": str(place), **query}, own_text) for place in range(PROMPTS))
    untested = (made for made in made_of if "Chi-square test against" not in part(Text, made, "fit").markdown)
    made = next(untested)
    assert words in part(Text, made, "fit").markdown
    assert "tested below" not in opening(made) and "does not change" in opening(made)


def test_a_text_on_which_nothing_is_saved_says_so() -> None:
    query = {"textdraft": "lookup", "text_temp": "2", "text_len": "10", "text_k": "1"}
    for seed in map(str, range(1, 10)):
        made = page({"lesson_seed": seed, **query})
        saved = cards(made, "numbers")["Target passes saved"].value
        assert ("It saves nothing" in opening(made)) == (saved == "0")
        if saved == "0":
            return
    pytest.fail("every text saved passes")


def test_every_kind_stands_beside_the_others() -> None:
    made = page({"text_order": "3"})
    on_kinds = list(cards(made, "opening_numbers").values())[2:]
    table = part(Table, made, "kinds_table")
    assert [card.label for card in on_kinds] == [f"Drafts kept, {kind.label}" for kind in KINDS.values()]
    assert list(table.columns["kind of text"]) == [kind.label for kind in KINDS.values()]
    assert list(table.columns["kept of those looked at"]) == [card.value for card in on_kinds]
    assert table.data and list(table.data) == ["kind", "looked_at", "accepted", "drafted", "rounds", "tokens"]


def test_held_out_numbers_are_told_from_those_of_this_text() -> None:
    made = page()
    on_kinds = list(cards(made, "opening_numbers").values())[2:]
    assert all(card.below.startswith("held-out: ") for card in on_kinds)
    assert "the numbers are of this text, as far as it is shown" in part(Note, made, "text_note").text
    assert "looks at in held-out texts of “English prose”" in questions()["kinds"].text


def test_the_origin_of_the_models_stands_on_the_page() -> None:
    text = part(Note, page({"textkind": "japanese"}), "origin").text
    assert "trained here on the Japanese of this application" in text
    assert "looks at 5 tokens" in text and f"of order {ORDER}" in text
    assert "copies what followed" in part(Note, page({"textdraft": "lookup"}), "origin").text


@pytest.mark.parametrize("drafter", ["model", "lookup"])
@pytest.mark.parametrize(("kind", "k"), [("english", "3"), ("code", "4")])
def test_the_explore_pages_get_the_acceptance_that_was_measured(drafter: str, kind: str, k: str) -> None:
    query: Query = {"textdraft": drafter, "textkind": kind, "text_k": k}
    made, scenario = page(query), run_of(read_link(query)[0]).as_scenario(Scenario(vocabulary_overlap=0.5))
    measured = held_out(kind, drafter, 0 if drafter == "lookup" else ORDER, int(k), 1.0, 1)
    assert scenario.num_speculative_tokens == int(k)
    every = scenario.acceptance.per_position_acceptance
    assert every == pytest.approx(measured.acceptance.per_position_acceptance, abs=1e-5)
    below = cards(made, "opening_numbers")[f"Drafts kept, {KINDS[kind].label}"].below
    assert f"held-out: {evaluate(scenario).mean_acceptance_length:.2f} tokens a round" == below
    worth = part(Text, made, "worth").markdown
    if drafter == "lookup":
        assert scenario.draft_ms == 0 and "the draft step there becomes 0 ms" in worth and "22.00 ms" in worth
        assert "nothing was found counts as one whose drafts were all rejected" in worth
        assert evaluate(scenario).speedup == pytest.approx(measured.num_tokens / measured.num_rounds, rel=1e-4)
    else:
        assert scenario.draft_ms == 3 and "22.00 ms for a step of the target, 3.00 ms for a draft" in worth


def test_lookup_with_costly_verification_says_what_that_does() -> None:
    worth = [part(Text, page({"textdraft": "lookup", **more}), "worth").markdown for more in ({"verify": "0.5"}, {})]
    assert ["comes out too low" in text for text in worth] == [True, False]


def test_lookup_counts_only_what_it_proposed() -> None:
    trace = speculate(PAIR.target, LookupDrafter(PAIR.vocabulary), START, 120, 4, 1.0, 1)
    wasted = cards(page({"textdraft": "lookup"}), "numbers")["Wasted drafts"]
    assert wasted.below == f"of {measure([trace]).num_draft_tokens} drafted"
    number, place = next(
        (event.round, place) for place, event in enumerate(trace.events, 1) if not trace.rounds[event.round].drafted
    )
    narration = part(Notice, page({"textdraft": "lookup", "textat": str(place)}), "narration").markdown
    assert f"Round {number + 1}: the drafter found nothing to propose" in narration


@pytest.mark.parametrize("drafter", ["model", "lookup"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "query",
    [
        {"text_k": "1", "text_order": "1", "text_len": "10"},
        {"text_k": "16", "text_order": "5", "text_len": "10"},
        {"text_k": "12", "text_order": "5", "text_len": "400"},
        {"text_temp": "0"},
        {"text_temp": "2"},
    ],
    ids=str,
)
def test_a_guess_can_be_the_answer(drafter: str, kind: str, query: Query) -> None:
    asked = questions({"textdraft": drafter, "textkind": kind, **query})
    assert "text" in asked
    for question in asked.values():
        assert question.low <= float(format(question.answer, question.format)) <= question.high > question.low


def test_what_is_guessed_is_what_was_measured() -> None:
    assert questions()["text"].show(questions()["text"].answer) == f"{measure([TRACE]).num_rounds} passes"
    asked = questions({"textkind": "japanese"})["kinds"]
    assert "How many will it keep in those of “Python code”?" in asked.text
    alpha = held_out("code", "model", ORDER, 4, 1.0, 1).alpha
    assert alpha is not None and asked.answer == pytest.approx(100 * alpha)


@pytest.mark.parametrize(("drafter", "words"), [("model", "when 1 token is"), ("lookup", "when at most 1 token is")])
def test_one_draft_is_asked_about_in_the_singular(drafter: str, words: str) -> None:
    assert f"{words} drafted before each?" in questions({"textdraft": drafter, "text_k": "1"})["text"].text


@pytest.mark.parametrize(
    "query",
    [
        {"text_k": "16", "text_len": "600", "text_order": "1"},
        {"text_temp": "2", "textkind": "japanese"},
        {"text_temp": "0.01", "textkind": "code", "text_k": "1"},
        {"text_len": "10", "text_k": "16", "text_order": "4"},
        {"textdraft": "lookup", "text_len": "10", "text_k": "1", "text_temp": "2"},
    ],
    ids=str,
)
def test_every_part_is_made_of_extreme_numbers(query: Query) -> None:
    store: Store = {}
    for language in ("en", "ja"):
        made = page(query, "", store, language)
        asked = steps(read_link(query)[0], translator(language), "", store)
        controls = {"buttons", "texts", "kinds", "take"}
        assert {name for step in asked for name in step.parts} - controls <= set(made) == set(made.parts)


# A text of the visitor's own


def test_a_typed_text_is_continued_as_it_is() -> None:
    made = page({"textprompt": OWN}, "<b>zebra</b> *x* $1$")
    assert all(text.startswith("<b>zebra</b> *x* $1$") for text in texts(made))
    assert "Your text stays in this session" in part(Note, made, "origin").text
    assert made.facts and ("text to continue", "<b>zebra</b> *x* $1$", "opening") in made.facts


@pytest.mark.parametrize("query", [{}, {"textprompt": OWN}], ids=str)
def test_without_a_typed_text_an_opening_is_continued(query: Query) -> None:
    for own_text in ("", "  "):
        made = page(query, own_text)
        assert texts(made)[0].startswith(START)
        assert ("Until you type one" in part(Note, made, "origin").text) == bool(query)
    assert texts(page({}, "zebra"))[0].startswith(START)


def test_what_is_played_is_kept_in_the_store_of_the_visitor_until_something_else_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store: dict[str, Any] = {}
    first = list(page({"textprompt": OWN}, "zebra", store).values())
    kept = dict(store)
    assert set(kept) == {"trace", "plain", "continuations"}
    monkeypatch.setattr(live_text_run, "speculate", None)  # nothing is played again
    assert len(list(page({"textprompt": OWN}, "zebra", store).values())) == len(first)
    assert all(store[name] is kept[name] for name in kept)
    monkeypatch.undo()
    list(page({"textprompt": OWN}, "horse", store).values())
    assert set(store) == set(kept) and "zebra" not in repr([values for values, _ in store.values()])


def test_no_cache_that_visitors_share_holds_a_typed_text() -> None:
    typed = "zebra crossing"
    made = page({"textprompt": OWN}, typed)
    assert len(list(made.values())) == len(made) and steps(read_link({"textprompt": OWN})[0], EN, typed)
    caches = [thing for thing in gc.get_objects() if isinstance(thing, _lru_cache_wrapper)]
    shared = [cache for cache in caches if cache.__module__.startswith("specmodel.")]
    assert held_out in shared and held_out.cache_info().currsize
    keys = {cache: repr([list(held) for held in gc.get_referents(cache) if isinstance(held, dict)]) for cache in shared}
    assert "'english'" in keys[held_out]
    assert [cache for cache, text in keys.items() if typed in text] == []
    chosen = read_link({"textprompt": OWN})[0]
    assert run_of(chosen, typed).store is not run_of(chosen, typed).store
