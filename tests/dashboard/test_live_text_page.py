"""The Live text page: what it shows is what the models did, the position is in the link, a typed text is not."""

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from specmodel.dashboard.live_text.declared import TEXT_END, TextLesson
from specmodel.model.outcome import evaluate
from specmodel.ngram import KINDS, LookupDrafter, decode, language_models, measure, speculate
from tests.dashboard.conftest import Opener, alerts, below, go_to, numbers, said

ORDER = TextLesson().draft_order
TRACE = speculate(
    language_models("english").target,
    language_models("english").drafter(ORDER),
    language_models("english").corpus.prompts[0],
    120, 4, 1.0, 1,
)  # fmt: skip


def marked(app: AppTest) -> list[str]:
    """The two texts: with speculation, and of the target alone."""
    bodies = [each.proto.body for each in app.get("html")]
    return [body for body in bodies if 'role="group"' in body]


def seen(markup: str) -> str:
    body = re.sub(r"<style>.*?</style>|<del.*?</del>|<span class=\"n\">↵</span>", "", markup, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body))


def guesses(app: AppTest) -> list[str]:
    return [str(button.key) for button in app.button if str(button.key).endswith(":reveal")]


def test_the_numbers_are_those_of_the_text(opened: Opener) -> None:
    app = opened("live_text", guess="0")
    counted = measure([TRACE])
    assert f"**{counted.num_rounds} instead of 120**" in alerts(app)
    assert numbers(app)["Tokens per round"] == f"{120 / counted.num_rounds:.2f}"
    assert numbers(app)["Target passes saved"] == f"{counted.target_passes_saved}"
    assert numbers(app)["Drafts kept"] == f"{counted.alpha:.0%}"
    assert numbers(app)["Wasted drafts"] == f"{counted.num_wasted_draft_tokens}"


def test_both_texts_are_shown(opened: Opener) -> None:
    fast, alone = marked(opened("live_text", guess="0"))
    pair = language_models("english")
    start = pair.corpus.prompts[0]
    assert seen(fast) == start + TRACE.text
    assert seen(alone) == start + decode(pair.target, start, 120, 1.0, 1).text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("drafter", ["model", "lookup"])
def test_at_temperature_0_the_texts_are_identical(opened: Opener, kind: str, drafter: str) -> None:
    app = opened("live_text", guess="0", textkind=kind, textdraft=drafter, text_temp="0")
    fast, alone = marked(app)
    assert seen(fast) == seen(alone)
    assert "Identical: all 120 tokens" in alerts(app) and "checked" in alerts(app)
    assert "400 of 400 draws of the target alone are it, and 400 of 400 with speculation" in said(app)


def test_a_difference_at_temperature_0_would_be_said(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    from specmodel.dashboard.live_text import run as live_text_input

    wrong = decode(language_models("english").target, "Return the", 120, 0, 1)
    monkeypatch.setattr(live_text_input, "decode", lambda *_: wrong)
    app = opened("live_text", guess="0", text_temp="0")
    assert "must not be at temperature 0" in "\n".join(box.value for box in app.error)
    assert "Identical" not in alerts(app)


def test_at_temperature_1_the_distributions_are_tested(opened: Opener) -> None:
    app = opened("live_text", guess="0")
    assert "The two texts part at token" in alerts(app)
    p_value = float(re.search(r"p = ([\d.]+) with speculation", said(app))[1])  # type: ignore[index]
    assert 0.001 < p_value <= 1
    assert "Simulated: 400 continuations of 2 tokens" in said(app)
    table = app.table[0].value
    for way in ("target alone, drawn", "with speculation, drawn"):
        assert sum(map(int, table[way])) == 400


def test_the_player_goes_token_by_token_and_its_place_is_in_the_link(
    opened: Opener, links: list[dict[str, str]]
) -> None:
    app = opened("live_text", guess="0")
    assert "textat" not in links[-1]
    app.button(key="text_start").click().run()
    assert links[-1]["textat"] == "0" and "The text to continue" in alerts(app)
    assert set(numbers(app).values()) >= {"–"}
    for number in range(1, 5):
        app.button(key="text_forward").click().run()
        assert f"Round 1: {number} of 4 drafted" in alerts(app)
        assert marked(app)[0].count('class="drafted"') == number
    app.button(key="text_forward").click().run()
    assert "Round 1:" in alerts(app) and 'class="drafted"' not in marked(app)[0]
    assert below(app)["Tokens per round"].endswith(", rounds 1")
    app.button(key="text_round").click().run()
    assert "Round 2:" in alerts(app) and links[-1]["textat"] == "10"
    app.button(key="text_back").click().run()
    assert "Round 2: 4 of 4 drafted" in alerts(app)
    app.button(key="text_end").click().run()
    assert "textat" not in links[-1] and app.button(key="text_forward").disabled
    app.button(key="text_back").click().run()
    assert links[-1]["textat"] == str(len(TRACE.events) - 1)


def test_a_link_opens_where_it_was_copied(opened: Opener) -> None:
    app = opened("live_text", guess="0", textat="7")
    assert "Round 2: 2 of 4 drafted" in alerts(app)
    assert opened("live_text", guess="0", textat=str(TEXT_END)).button(key="text_end").disabled


def test_thrown_away_drafts_can_be_hidden(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("live_text", guess="0")
    assert "<del" in marked(app)[0]
    app.toggle(key="text_waste").set_value(False).run()
    assert "<del" not in marked(app)[0] and links[-1]["textwaste"] == "0"


def test_a_typed_text_is_continued_and_stays_out_of_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("live_text", guess="0")
    app.selectbox(key="live_text:textprompt").set_value("own").run()
    assert "Until you type one" in said(app)
    app.text_input(key="live_text:typed").set_value("<b>zebra</b> *x* $1$").run()
    assert not app.exception
    assert len(marked(app)) == 2 and all(seen(text).startswith("<b>zebra</b> *x* $1$") for text in marked(app))
    assert "<b>" not in "".join(marked(app))
    assert not any("zebra" in value for link in links for value in link.values())
    go_to(go_to(app, "drift"), "live_text")
    assert app.text_input(key="live_text:typed").value == "<b>zebra</b> *x* $1$"


def test_a_link_to_a_typed_text_continues_an_opening(opened: Opener) -> None:
    app = opened("live_text", guess="0", textprompt="own")
    assert seen(marked(app)[0]).startswith(language_models("english").corpus.prompts[0])


def test_a_typed_text_is_cut_at_its_limit(opened: Opener) -> None:
    app = opened("live_text", guess="0", textprompt="own", text_len="20")
    app.text_input(key="live_text:typed").set_value("ab " * 200).run()
    assert app.text_input(key="live_text:typed").value == ("ab " * 200)[:200]


def test_every_kind_stands_beside_the_others(opened: Opener) -> None:
    app = opened("live_text", guess="0", text_order="3")
    shown = numbers(app)
    assert {f"Drafts kept, {kind.label}" for kind in KINDS.values()} <= shown.keys()
    assert list(app.table[1].value["kind of text"]) == [kind.label for kind in KINDS.values()]
    assert list(app.table[1].value["kept of those looked at"]) == [
        shown[f"Drafts kept, {kind.label}"] for kind in KINDS.values()
    ]


def test_the_origin_of_the_models_stands_on_the_page(opened: Opener) -> None:
    app = opened("live_text", guess="0", textkind="japanese")
    assert "trained here on the Japanese of this application" in said(app)
    assert "looks at 5 tokens" in said(app) and f"of order {ORDER}" in said(app)


@pytest.mark.parametrize("drafter", ["model", "lookup"])
def test_the_measured_acceptance_goes_to_the_explore_pages(opened: Opener, drafter: str) -> None:
    from specmodel.dashboard.live_text.run import held_out

    app = opened("live_text", guess="0", textdraft=drafter, text_k="3")
    app.button(key="take_text").click().run()
    scenario = app.session_state["scenario"]
    measured = held_out("english", drafter, 0 if drafter == "lookup" else ORDER, 3, 1.0, 1)
    assert scenario.num_speculative_tokens == 3
    assert scenario.acceptance.per_position_acceptance == pytest.approx(
        measured.acceptance.per_position_acceptance, abs=1e-5
    )


@pytest.mark.parametrize("drafter", ["model", "lookup"])
@pytest.mark.parametrize("kind", ["english", "code"])
def test_the_explore_pages_show_the_tokens_per_round_that_were_measured(
    opened: Opener, drafter: str, kind: str
) -> None:
    app = opened("live_text", guess="0", textdraft=drafter, textkind=kind)
    beside = below(app)[f"Drafts kept, {KINDS[kind].label}"]
    measured = re.search(r"held-out: ([\d.]+) tokens a round", beside)[1]  # type: ignore[index]
    text = said(app)
    app.button(key="take_text").click().run()
    assert app.header[0].value == "When does speculation pay?"
    scenario, speedup = app.session_state["scenario"], numbers(app)["Speedup"]
    assert f"{evaluate(scenario).mean_acceptance_length:.2f}" == measured
    if drafter == "lookup":
        assert "the draft step there becomes 0 ms" in text and "22.00 ms" in text
        assert "nothing was found counts as one whose drafts were all rejected" in text
        assert scenario.draft_ms == 0 and speedup == f"{measured}×"
    else:
        assert "22.00 ms for a step of the target, 3.00 ms for a draft" in text
        assert scenario.draft_ms == 3 and float(speedup[:-1]) == pytest.approx(float(measured) / (34 / 22), abs=0.01)


def test_lookup_with_costly_verification_says_what_that_does(opened: Opener) -> None:
    assert "comes out too low" in said(opened("live_text", guess="0", textdraft="lookup", verify="0.5"))
    assert "comes out too low" not in said(opened("live_text", guess="0", textdraft="lookup"))


@pytest.mark.parametrize(
    "query",
    [{}, {"text_order": "5"}, {"text_temp": "0"}, {"text_temp": "0.01", "textkind": "code"}, {"lesson_seed": "7"}],
    ids=str,
)
def test_the_answer_says_what_is_true_of_this_text(opened: Opener, query: dict[str, str]) -> None:
    app = opened("live_text", guess="0", **query)
    fast, alone = marked(app)
    answer = app.info[0].value
    found = re.search(r"target alone at token (\d+)", answer)
    assert (seen(fast) == seen(alone)) == (found is None)
    assert ("the same" in answer) == (found is None)
    if found:
        assert f"The two texts part at token {found[1]}:" in alerts(app)


def test_the_target_as_drafter_writes_the_same_text_at_any_temperature(opened: Opener) -> None:
    app = opened("live_text", guess="0", text_order="5", text_temp="1")
    assert "Here the text is the same as the target's alone, token by token" in app.info[0].value
    assert "tested below" in app.info[0].value


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"text_temp": "0.05", "textkind": "code"}, "400 of 400 with speculation"),
        ({"text_temp": "2", "textkind": "japanese"}, "no continuation that is likely enough"),
    ],
    ids=str,
)
def test_where_nothing_can_be_tested_no_test_is_announced(opened: Opener, query: dict[str, str], words: str) -> None:
    kind = language_models(query["textkind"])
    for place in map(str, range(len(kind.corpus.prompts))):
        app = opened("live_text", guess="0", textprompt=place, **query)
        if "Chi-square test against" not in said(app):
            break
    assert words in said(app)
    assert "tested below" not in app.info[0].value and "does not change" in app.info[0].value


def test_a_text_on_which_nothing_is_saved_says_so(opened: Opener) -> None:
    query = {"textdraft": "lookup", "text_temp": "2", "text_len": "10", "text_k": "1"}
    for seed in map(str, range(1, 10)):
        app = opened("live_text", guess="0", lesson_seed=seed, **query)
        saved = numbers(app)["Target passes saved"]
        assert ("It saves nothing" in app.info[0].value) == (saved == "0")
        if saved == "0":
            return
    pytest.fail("every text saved passes")


def test_held_out_numbers_are_told_from_those_of_this_text(opened: Opener) -> None:
    app = opened("live_text", guess="0")
    assert all(below(app)[f"Drafts kept, {kind.label}"].startswith("held-out: ") for kind in KINDS.values())
    assert "the numbers are of this text, as far as it is shown" in said(app)
    assert "looks at in held-out texts of “English prose”" in said(asked_for("kinds", opened("live_text")))


def asked_for(part: str, app: AppTest) -> AppTest:
    """The page with every question before that of the part answered."""
    for key in ("text", "same", "kinds"):
        if key == part or not guesses(app):
            break
        app.button(key=f"guess:live_text.{key}:reveal").click().run()
    return app


def asked(app: AppTest, name: str) -> tuple[float, float]:
    """The range of a guess."""
    slider = next(each for each in app.slider if each.key == f"guess:live_text.{name}")
    return float(slider.min), float(slider.max)


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
def test_a_guess_can_be_the_answer(opened: Opener, drafter: str, kind: str, query: dict[str, str]) -> None:
    app = opened("live_text", textdraft=drafter, textkind=kind, **query)
    while waiting := guesses(app):
        low, high = asked(app, waiting[0].split(":")[1].split(".")[1])
        app.button(key=waiting[0]).click().run()
        answer = float(re.findall(r"It is \*\*([\d.]+)", said(app))[-1])
        assert low <= answer <= high and low < high


@pytest.mark.parametrize(("drafter", "words"), [("model", "when 1 token is"), ("lookup", "when at most 1 token is")])
def test_one_draft_is_asked_about_in_the_singular(opened: Opener, drafter: str, words: str) -> None:
    assert f"{words} drafted before each?" in said(opened("live_text", textdraft=drafter, text_k="1"))


def test_answers_wait_for_the_guesses(opened: Opener) -> None:
    app = opened("live_text")
    assert "asks for a guess first" in alerts(app) and not app.metric and not marked(app)
    app.button(key="guess:live_text.text:reveal").click().run()
    assert f"It is **{measure([TRACE]).num_rounds} passes**" in said(app)
    while waiting := guesses(app):
        app.button(key=waiting[0]).click().run()
    assert not app.exception and "instead of 120" in alerts(app)


def test_the_guess_on_another_kind_is_what_was_measured(opened: Opener) -> None:
    from specmodel.dashboard.live_text.run import held_out

    app = asked_for("kinds", opened("live_text", textkind="japanese"))
    assert "How many will it keep in those of “Python code”?" in said(app)
    app.button(key="guess:live_text.kinds:reveal").click().run()
    alpha = held_out("code", "model", ORDER, 4, 1.0, 1).alpha
    assert alpha is not None and f"It is **{100 * alpha:.0f}**" in said(app)


def test_before_a_class_one_part_is_shown_at_a_time(opened: Opener) -> None:
    app = opened("live_text", present="1", guess="0", part="2")
    assert [each.value for each in app.subheader] == ["Is it still the target's text?"]


@pytest.mark.parametrize(
    "query",
    [
        {"text_k": "16", "text_len": "600", "text_order": "1"},
        {"text_order": "5"},
        {"text_temp": "2", "textkind": "japanese"},
        {"text_temp": "0.01", "textkind": "code", "text_k": "1"},
        {"text_len": "10", "text_k": "16", "text_order": "4"},
        {"textdraft": "lookup", "text_len": "10", "text_k": "1", "text_temp": "2"},
    ],
    ids=str,
)
def test_extreme_numbers_draw(opened: Opener, query: dict[str, str]) -> None:
    app = opened("live_text", guess="0", **query)
    assert len(app.metric) == 9 and len(marked(app)) == 2
    opened("live_text", **query)


def test_the_target_as_drafter_is_always_kept(opened: Opener) -> None:
    app = opened("live_text", guess="0", text_order="5", text_k="3")
    assert numbers(app)["Drafts kept"] == "100%" and numbers(app)["Tokens per round"] == "4.00"


@pytest.mark.parametrize("wrong", [{"textkind": "latin"}, {"textat": "-3"}, {"textprompt": "77"}], ids=str)
def test_a_wrong_link_says_so(opened: Opener, wrong: dict[str, str]) -> None:
    app = opened("live_text", guess="0", **wrong)
    assert next(iter(wrong)) in "\n".join(box.value for box in app.warning)


def test_lookup_counts_only_what_it_proposed(opened: Opener) -> None:
    app = opened("live_text", guess="0", textdraft="lookup")
    pair = language_models("english")
    trace = speculate(pair.target, LookupDrafter(pair.vocabulary), pair.corpus.prompts[0], 120, 4, 1.0, 1)
    assert below(app)["Wasted drafts"] == f"of {measure([trace]).num_draft_tokens} drafted"
    number, place = next(
        (event.round, place) for place, event in enumerate(trace.events, 1) if not trace.rounds[event.round].drafted
    )
    app = opened("live_text", guess="0", textdraft="lookup", textat=str(place))
    assert f"Round {number + 1}: the drafter found nothing to propose" in alerts(app)


def test_it_draws_in_japanese(opened: Opener) -> None:
    assert len(marked(opened("live_text", guess="0", lang="ja"))) == 2
