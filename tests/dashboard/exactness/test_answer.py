"""What the Exactness page says is what the enumeration gives, whatever the link holds."""

import re
from typing import Any, TypeVar

import numpy as np
import pytest

from specmodel.dashboard.exactness.answer import answer, steps
from specmodel.dashboard.exactness.pair import can_be_pulled, pair_of
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.parts.answer import Cards, Chart, Note, Said, Table, Text
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import translator
from specmodel.ngram import language_models
from specmodel.sampling.draws import counted, play
from specmodel.sampling.temperature import policy, toy_logits
from specmodel.sampling.verify import verify

Kind = TypeVar("Kind")
Query = dict[str, str]
EN = translator("en")
CONTROLS = {"one_token", "blocks_and_several"}
EXTREMES: tuple[Query, ...] = (
    {},
    {"ttemp": "0"},
    {"ttemp": "0", "dtemp": "0"},
    {"vocab": "2", "unknown": "15", "topk_tokens": "1"},
    {"topp": "0.05", "draws": "10"},
    {"lenience": "0.01", "skill": "0"},
    {"dists": "edit", "probs": "1_0,0_1"},
    {"dists": "edit", "probs": "1_0,0_1", "unknown": "1"},
    {"dists": "edit", "probs": "nonsense"},
    {"dists": "text", "distkind": "japanese", "distprompt": "99"},
)


def part(kind: type[Kind], name: str, query: Query | None = None) -> Kind:
    made = answer(read_link(query or {})[0], EN)[name]
    assert isinstance(made, kind)
    return made


def numbers(query: Query | None = None) -> dict[str, str]:
    return {card.label: card.value for card in part(Cards, "numbers", query).cards}


def data(name: str, query: Query | None = None) -> dict[str, list[Any]]:
    """The plain numbers of a table: those of its CSV."""
    return {column: list(values) for column, values in (part(Table, name, query).data or {}).items()}


def the_pair(size: int = 6):
    target, draft = toy_logits(size, ExactnessLesson().skill, ExactnessLesson().seed)
    return policy(1.5 * target), policy(1.5 * draft)


def test_the_acceptance_is_the_overlap_of_the_sliders_pair() -> None:
    target, draft = the_pair()
    kept = np.minimum(target, draft).sum()
    assert numbers()["Acceptance"] == f"{kept:.1%}"
    assert float(numbers()["Distance of the output"]) < 1e-15
    assert f"which is rounding. {kept:.0%} of the draft tokens are kept" in part(Said, "verdict").headline
    assert numbers({"skill": "1"})["Acceptance"] == "100.0%"


def test_typed_numbers_come_back_by_their_link() -> None:
    assert numbers({"dists": "edit", "probs": "1_1,1_3"})["Acceptance"] == "75.0%"


def test_the_draws_are_those_of_the_seed() -> None:
    tokens = data("tokens_table", {"draws": "100"})
    played = play(verify(tokens["target"], tokens["draft"]), 100, seed=3)
    assert tokens["drawn"] == counted(played, len(tokens["target"])).tolist()
    assert "100 draws with seed 3" in part(Note, "output_note", {"draws": "100"}).text


def test_the_next_draw_is_another_and_stays_what_it_was() -> None:
    chosen = read_link({})[0]
    texts = [answer(chosen, EN, number)["draw"] for number in range(20)]
    assert texts[3] == answer(chosen, EN, 3)["draw"]
    assert all(isinstance(text, Text) for text in texts) and len(set(texts)) > 10
    ends = [re.search(r"(Kept|Rejected): \*\*[A-F]\*\*", str(text)) for text in texts]
    assert {end[1] for end in ends if end} == {"Kept", "Rejected"}


def test_a_token_that_markdown_would_read_is_drawn_as_it_is() -> None:
    models = read_link({"dists": "text", "distkind": "code", "distprompt": "5"})[0]
    drawn = [text.markdown for n in range(300) if isinstance(text := answer(models, EN, n)["draw"], Text)]
    assert any(r"' \*'" in text for text in drawn) and not any("' *'" in text for text in drawn)


def test_the_answers_to_the_questions() -> None:
    target, draft = the_pair()
    lenient = verify(target, draft, "lenient", lenience=0.3)
    right = [verify(target, draft).acceptance, target @ draft, lenient.acceptance - verify(target, draft).acceptance]
    questions = [step.question for step in steps(read_link({"lenience": "0.3"})[0], EN) if step.question]
    assert [question.answer for question in questions] == pytest.approx([100 * share for share in right], abs=0.051)


def test_the_rules_that_lose_nothing_keep_more_or_less() -> None:
    table = data("rules_table", {"unknown": "2"})
    assert max(table["total_variation"]) < 1e-15
    kept = dict(zip(table["rule"], table["acceptance"], strict=True))
    assert kept["exact_match"] < kept["rejection"]
    assert kept["union"] <= kept["tli"]
    text = part(Note, "rules_note", {"unknown": "2"}).text
    bound = re.search(r"union ÷ (\d+)%\) = ([\d.]+)%", text)
    assert bound is not None
    assert 100 * kept["tli"] <= float(bound[2]) + 0.05
    assert float(bound[2]) == pytest.approx(kept["union"] / float(bound[1]) * 1e4, abs=0.6)
    assert "4 of 6 tokens" in text


def test_a_drafter_that_knows_no_token_it_drafts_has_no_tli() -> None:
    query = {"dists": "edit", "probs": "1_1,1_3", "unknown": "1", "dtemp": "0"}
    assert data("rules_table", query)["rule"] == ["rejection", "exact_match", "union"]
    assert "TLI lies" not in part(Note, "rules_note", query).text


def test_what_breaks_it_is_off_until_it_is_told_the_truth() -> None:
    table = part(Table, "breaks_table", {"lenience": "0.5"})
    assert list(table.columns["exact"]) == ["yes", "no", "no", "no"]
    assert list(table.columns["verified"])[2] == "lenience 0.50"
    kept = data("breaks_table", {"lenience": "0.5"})["acceptance"]
    assert kept[0] < kept[2]
    told = part(Table, "breaks_table", {"lenience": "1", "told": "1"})
    assert list(told.columns["exact"]) == ["yes", "yes", "yes", "no"]


def test_blocks_keep_what_their_bars_add_up_to() -> None:
    alpha, table = verify(*the_pair()).acceptance, data("blocks_table")
    by_token, by_block = table["mean_accepted"]
    assert by_token == pytest.approx(sum(alpha**i for i in range(1, 5)))
    bars = [sum(trace["y"]) for trace in part(Chart, "blocks").figure["data"]]
    assert bars == pytest.approx([by_token, by_block], rel=1e-5)
    assert by_block > by_token
    assert max(table["total_variation"]) < 1e-12


@pytest.mark.parametrize(("size", "drafts"), [("2", 4), ("10", 4), ("12", 3), ("16", 3)])
def test_blocks_are_as_long_as_can_be_enumerated(size: str, drafts: int) -> None:
    assert f"drafts kept of {drafts}" in part(Table, "blocks_table", {"vocab": size}).columns


@pytest.mark.parametrize(("query", "listed"), [({}, 10), ({"dtemp": "0"}, 1)])
def test_the_likeliest_blocks_are_those_that_can_be_drafted(query: Query, listed: int) -> None:
    drafted = [float(text.rstrip("%")) for text in part(Table, "block_by_block", query).columns["drafted"]]
    assert len(drafted) == listed and drafted == sorted(drafted, reverse=True) and min(drafted) > 0
    assert f"the {listed} likeliest blocks" in part(Note, "block_by_block_note", query).text


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("query", EXTREMES, ids=str)
def test_extreme_numbers_have_an_answer(query: Query, language: str, untranslated: set[str]) -> None:
    chosen, _ = read_link(query)[0], translator(language)
    made, plan = answer(chosen, _), steps(chosen, _)
    names = {name for step in plan for name in (*step.parts, *(step.question.given if step.question else ()))}
    assert names - CONTROLS <= set(made)
    assert set(made.parts) - set(made) == (set() if can_be_pulled(chosen) else {"pull_note"})
    assert "nan" not in str([made[name] for name in made if not isinstance(made[name], Chart)])
    for question in filter(None, (step.question for step in plan)):
        wide = question.with_answer_in_range()
        assert wide.low <= wide.answer <= wide.high
    assert untranslated == set()


@pytest.mark.parametrize("cut", [{}, {"topk_tokens": "2"}, {"topp": "0.5"}, {"ttemp": "0"}, {"dtemp": "0"}], ids=str)
def test_bars_are_pulled_while_they_are_the_visitors_own_numbers(cut: Query) -> None:
    assert not can_be_pulled(read_link(cut)[0])
    assert can_be_pulled(read_link({"dists": "edit", **cut})[0]) == (not cut)


@pytest.mark.parametrize(("kind", "place"), [("english", 0), ("japanese", 0), ("code", 5)])
def test_the_distributions_of_a_real_text_are_the_models_own(kind: str, place: int) -> None:
    query = {"dists": "text", "distkind": kind, "distprompt": str(place)}
    models = language_models(kind)
    tokens = models.vocabulary.encode(models.corpus.prompts[place])
    target, draft = models.target.next_probs(tokens), models.draft.next_probs(tokens)
    assert numbers(query)["Acceptance"] == f"{verify(target, draft).acceptance:.1%}"
    assert float(numbers(query)["Distance of the output"]) < 1e-15
    assert data("rules_table", query)["acceptance"][1] == pytest.approx(target @ draft)
    by_token = data("tokens_table", query)
    assert by_token["token"][-1] == "others"
    assert sum(by_token["output"]) == pytest.approx(1) and sum(by_token["drawn"]) == ExactnessLesson().draws
    assert max(by_token["target"][:-1]) == pytest.approx(target.max())
    assert max(by_token["draft"][:-1]) == pytest.approx(draft.max())
    assert "n-gram model of order 5" in part(Note, "source", query).text
    assert len(pair_of(read_link(query)[0]).names) == target.size
