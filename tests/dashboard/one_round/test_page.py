"""The One round page: its sentences hold with one draft or many, with one α or one for each position."""

import re

import pytest

from specmodel.dashboard.one_round.questions import chances
from specmodel.model.scenario import Scenario
from tests.dashboard.conftest import Opener, alerts, said

SHAPE = Scenario(alpha=0.5, num_speculative_tokens=3, acceptance_shape=(0.8, 1.2))
SETTINGS = (
    {"k": "1"},
    {"k": "2"},
    {"k": "64", "alpha": "0.99"},
    {"k": "1", "alpha": "1"},
    {"alpha": "0"},
    {"alpha": "1"},
    {"overlap": "0.5"},
    {"shape": "0.8_1.2", "k": "1"},
    {"shape": "0.8_1.2", "k": "3"},
    {"shape": "2_0_1", "k": "8"},
    {"shape": "0.5", "alpha": "0", "k": "4"},
)


def test_the_chances_are_those_of_the_scenario() -> None:
    assert chances(SHAPE) == pytest.approx(SHAPE.acceptance.conditional_acceptance)
    assert chances(Scenario(alpha=0.9, acceptance_shape=(2,), num_speculative_tokens=2)) == [0.9, 1.0]
    assert chances(Scenario(num_speculative_tokens=0)) == []


@pytest.mark.parametrize("query", SETTINGS, ids=str)
def test_a_guess_can_be_the_answer_and_the_reason_is_true(opened: Opener, query: dict[str, str]) -> None:
    app = opened("one_round", **query)
    app.session_state["why"] = True
    scenario: Scenario = app.session_state["scenario"]
    every = scenario.acceptance.per_position_acceptance
    answers = {"kept": f"{sum(every):.2f}", "whole": f"{100 * every[-1]:.1f}"}
    for name, answer in answers.items():
        slider = next(each for each in app.slider if each.key == f"guess:one_round.{name}")
        assert slider.min <= float(answer) <= slider.max
        app.button(key=f"guess:one_round.{name}:reveal").click().run()
        assert f"It is **{answer}" in said(app)
    text, each = said(app), chances(scenario)
    alike = len(set(each)) == 1
    assert ("Fewer than" in text) == (alike and sum(every) < len(every) * each[0])
    assert ("Each draft is kept with chance" in text) == (alike and len(every) > 1)
    assert ("same chance, whatever the text" in text) == alike


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (
            {"k": "1"},
            [
                "The one draft of a round is kept with chance 0.6. How many drafts of a round",
                "With one draft in a round that is its chance.",
                "There is only 1 draft to be right: its chance is 0.6.",
            ],
        ),
        (
            {},
            [
                "Each draft is kept with chance 0.6 if all before it were. How many of 5",
                "Fewer than 5 × 0.6: a rejection throws away all drafts behind it, so draft number i counts only with "
                "chance 0.6^i.",
                "All 5 of them have to be right, one after another, so their chances are multiplied: "
                "0.6 × 0.6 × 0.6 × 0.6 × 0.6.",
                "Every draft is accepted with the same chance, whatever the text.",
            ],
        ),
        ({"k": "9"}, ["multiplied: 0.6 × 0.6 × 0.6 × … × 0.6."]),
        ({"alpha": "1"}, ["Nothing is ever rejected."]),
        ({"alpha": "0"}, ["The first draft is always rejected"]),
        (
            {"alpha": "0.5", "k": "3", "shape": "0.8_1.2"},
            [
                "the 3 drafts of a round are kept with these chances, one after another: 0.5, 0.4, 0.6.",
                "one after another 0.5, 0.2, 0.12. The answer is their sum.",
                "multiplied: 0.5 × 0.4 × 0.6.",
                "The chance of a draft depends on its place in the round, and not on the text.",
            ],
        ),
    ],
    ids=str,
)
def test_the_sentences_fit_the_scenario(opened: Opener, query: dict[str, str], words: list[str]) -> None:
    app = opened("one_round", **query)
    app.session_state["why"] = True
    for name in ("kept", "whole"):
        app.button(key=f"guess:one_round.{name}:reveal").click().run()
    shown = re.sub(r"\s+", " ", said(app))
    assert [each for each in words if each not in shown] == []


def test_without_drafts_nothing_is_said_of_them(opened: Opener) -> None:
    app = opened("one_round", k="0")
    assert "a round is one plain decoding step and emits one token" in alerts(app)
    assert "the drafts that are kept" not in alerts(app)
    assert "its last row is the answer" not in said(app)
