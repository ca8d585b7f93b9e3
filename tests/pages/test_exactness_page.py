"""The Exactness page: what it says is what the enumeration gives, and guesses come before answers."""

import pytest

from specmodel.sampling import verify
from specmodel.sampling_policy import policy, toy_logits
from tests.pages.conftest import Opener, alerts, numbers


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
    asked = [button.key for button in app.button if str(button.key).endswith(":reveal")]
    assert len(asked) == 3
    for key in asked:
        app.button(key=str(key)).click().run()
    assert not app.exception
    assert numbers(app)["Acceptance"] == f"{verify(*the_pair()).acceptance:.1%}"
    said = " ".join(text.value for text in app.markdown)
    assert said.count("You guessed") == 3
    app.button(key="guess:exactness.one:again").click().run()
    assert not app.metric


def test_a_guess_is_kept_beside_its_answer(opened: Opener) -> None:
    app = opened("exactness")
    app.slider(key="guess:exactness.one").set_value(40.0).run()
    app.button(key="guess:exactness.one:reveal").click().run()
    assert any("You guessed 40; it is **72**." in text.value for text in app.markdown)


def test_before_a_class_one_part_is_shown_at_a_time(opened: Opener) -> None:
    app = opened("exactness", present="1", guess="0")
    assert [each.value for each in app.subheader] == ["One draft token"]
    app.button(key="part_next").click().run()
    assert [each.value for each in app.subheader] == ["What comes out"]
    app.button(key="part_leave").click().run()
    assert len(app.subheader) == 6


def test_the_rules_differ_and_only_leniency_is_not_exact(opened: Opener) -> None:
    app = opened("exactness", guess="0", unknown="2", lenience="0.5")
    table = app.table[1].value
    assert list(table["exact"]) == ["yes", "yes", "yes", "yes", "no"]
    shown = {rule: float(value.rstrip("%")) for rule, value in zip(table["rule"], table["acceptance"], strict=True)}
    assert shown["Exact match"] < shown["Rejection sampling"] < shown["Lenient"]
    assert shown["Union of the vocabularies"] <= shown["Shared tokens only (TLI)"]


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


def test_the_distributions_of_a_real_text(opened: Opener) -> None:
    app = opened("exactness", guess="0", dists="text", distkind="code")
    assert float(numbers(app)["Distance of the output"]) < 1e-15
    assert any("n-gram model of order 5" in text.value for text in app.caption)
