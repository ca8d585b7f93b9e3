"""The Exactness page: what it says is what the enumeration gives, and guesses come before answers."""

import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from specmodel.ngram import language_models
from specmodel.sampling.temperature import policy, toy_logits
from specmodel.sampling.verify import verify
from tests.dashboard.conftest import Opener, alerts, guess_all, numbers, said


def the_pair(skill: float = 0.6, seed: int = 3, size: int = 6):
    target, draft = toy_logits(size, skill, seed)
    return policy(1.5 * target), policy(1.5 * draft)


def test_the_acceptance_is_the_overlap_of_the_sliders_pair(opened: Opener) -> None:
    app = opened("exactness", guess="0")
    assert numbers(app)["Acceptance"] == f"{verify(*the_pair()).acceptance:.1%}"
    assert float(numbers(app)["Distance of the output"]) < 1e-15
    assert "which is rounding" in alerts(app)


def test_a_perfect_drafter_is_always_kept(opened: Opener) -> None:
    assert numbers(opened("exactness", guess="0", skill="1"))["Acceptance"] == "100.0%"


def test_answers_wait_for_the_guesses(opened: Opener) -> None:
    app = opened("exactness")
    assert not app.metric and "asks for a guess first" in alerts(app)
    assert [each.value for each in app.subheader] == ["One draft token"]
    assert not app.table
    assert "After your guess: What comes out, Other rules" in said(app)
    assert len(guess_all(app)) == 3
    assert numbers(app)["Acceptance"] == f"{verify(*the_pair()).acceptance:.1%}"
    assert said(app).count("It is **") == 3  # nobody guessed
    app.button(key="guess:exactness.one:again").click().run()
    assert not app.metric


def test_a_guess_is_kept_beside_its_answer(opened: Opener) -> None:
    app = opened("exactness")
    app.slider(key="guess:exactness.one").set_value(40.0).run()
    app.button(key="guess:exactness.one:reveal").click().run()
    assert "You guessed 40; it is **72**." in said(app)
    app.button(key="try:exactness.one.A drafter that is the target").click().run()
    assert "You guessed 40 where it was 72; now it is **100**." in said(app)


def test_what_cannot_be_read_of_a_link_is_named(opened: Opener) -> None:
    assert "could not be read" in alerts(opened("exactness", guess="0", dists="edit", probs="1_2_3,4_5_6"))
    assert "could not be read" not in alerts(opened("exactness", guess="0", dists="edit", probs="1_2,4_5"))
    assert "distprompt" in alerts(opened("exactness", guess="0", dists="text", distprompt="-1"))


def test_experiments_with_made_up_models_are_not_offered_for_others(opened: Opener) -> None:
    keys = [str(button.key) for button in opened("exactness", guess="0", dists="edit").button]
    assert "try:exactness.one.An unrelated drafter" not in keys
    assert "try:exactness.breaks.Lenience 1" in keys


def test_before_a_class_one_part_is_shown_at_a_time(opened: Opener) -> None:
    app = opened("exactness", present="1", guess="0")
    assert [each.value for each in app.subheader] == ["One draft token"]
    app.button(key="part_next").click().run()
    assert [each.value for each in app.subheader] == ["What comes out"]
    app.button(key="part_leave").click().run()
    assert len(app.subheader) == 6


def table(app: AppTest, column: str) -> pd.DataFrame:
    """The table that has this column, by its first one."""
    found: pd.DataFrame = next(each.value for each in app.table if column in each.value.columns)
    return found.set_index(found.columns[0])


def shares(column: "pd.Series[str]") -> dict[str, float]:
    return {str(name): float(value.rstrip("%")) for name, value in column.items()}


def test_the_rules_that_lose_nothing_keep_more_or_less(opened: Opener) -> None:
    app = opened("exactness", guess="0", unknown="2")
    found = table(app, "looks at")
    assert all(float(value) < 1e-15 for value in found["distance of the output"])
    kept = shares(found["acceptance"])
    assert kept["Exact match"] < kept["Rejection sampling"]
    assert kept["Union of the vocabularies"] <= kept["Shared tokens only (TLI)"]
    bound = re.search(r"union ÷ (\d+)%\) = ([\d.]+)%", said(app))
    assert bound is not None
    assert kept["Shared tokens only (TLI)"] <= float(bound[2])
    assert float(bound[2]) == pytest.approx(kept["Union of the vocabularies"] / float(bound[1]) * 100, abs=0.6)


def test_what_breaks_it_is_off_until_it_is_told_the_truth(opened: Opener) -> None:
    rows = table(opened("exactness", guess="0", lenience="0.5"), "exact")
    assert list(rows["exact"]) == ["yes", "no", "no", "no"]
    assert shares(rows["acceptance"])["right"] < shares(rows["acceptance"])["lenience 0.50"]
    rows = table(opened("exactness", guess="0", lenience="1", told="1"), "exact")
    assert list(rows["exact"]) == ["yes", "yes", "yes", "no"]


def test_blocks_keep_what_their_bars_add_up_to(opened: Opener) -> None:
    app = opened("exactness", guess="0")
    target, draft = the_pair()
    alpha, found = verify(target, draft).acceptance, table(app, "distance of the text")
    assert float(found["drafts kept of 4"]["token by token"]) == pytest.approx(
        sum(alpha**i for i in range(1, 5)), abs=5e-4
    )
    assert float(found["drafts kept of 4"]["as a block"]) > float(found["drafts kept of 4"]["token by token"])
    assert all(float(value) < 1e-12 for value in found["distance of the text"])


@pytest.mark.parametrize(("size", "drafts"), [("2", 4), ("10", 4), ("12", 3), ("16", 3)])
def test_blocks_are_as_long_as_can_be_enumerated(opened: Opener, size: str, drafts: int) -> None:
    assert (
        f"drafts kept of {drafts}" in table(opened("exactness", guess="0", vocab=size), "distance of the text").columns
    )


@pytest.mark.parametrize(
    "query",
    [
        {"ttemp": "0"},
        {"ttemp": "0", "dtemp": "0"},
        {"vocab": "2", "unknown": "15", "topk_tokens": "1"},
        {"topp": "0.05", "draws": "10"},
        {"lenience": "0.01", "skill": "0"},
        {"dists": "edit", "probs": "1_0,0_1"},
        {"dists": "edit", "probs": "nonsense"},
        {"dists": "text", "distkind": "japanese", "distprompt": "99"},
    ],
    ids=str,
)
def test_extreme_numbers_draw(opened: Opener, query: dict[str, str]) -> None:
    assert len(opened("exactness", guess="0", **query).metric) == 4


def test_typed_numbers_come_back_by_their_link(opened: Opener) -> None:
    app = opened("exactness", guess="0", dists="edit", probs="1_1,1_3")
    assert numbers(app)["Acceptance"] == "75.0%"


@pytest.mark.parametrize(("kind", "place"), [("english", 0), ("japanese", 0), ("code", 5)])
def test_the_distributions_of_a_real_text_are_the_models_own(opened: Opener, kind: str, place: int) -> None:
    app = opened("exactness", guess="0", dists="text", distkind=kind, distprompt=str(place))
    pair = language_models(kind)
    tokens = pair.vocabulary.encode(pair.corpus.prompts[place])
    target, draft = pair.target.next_probs(tokens), pair.draft.next_probs(tokens)
    assert numbers(app)["Acceptance"] == f"{verify(target, draft).acceptance:.1%}"
    assert float(numbers(app)["Distance of the output"]) < 1e-15
    kept = table(app, "looks at")["acceptance"]
    assert kept["Exact match"] == f"{verify(target, draft, 'exact_match').acceptance:.1%}"
    by_token = table(app, "kept once drafted")
    assert list(by_token.index)[-1] == "others"
    assert sum(shares(by_token["comes out"]).values()) == pytest.approx(100, abs=0.05)
    assert "n-gram model of order 5" in said(app)
