"""The Live text page: the position is in the link, a typed text is not, answers wait for their guesses."""

from streamlit.testing.v1 import AppTest

from specmodel.dashboard.live_text.declared import TEXT_END
from specmodel.dashboard.live_text.run import run_of
from specmodel.dashboard.live_text.values import TextLesson
from specmodel.dashboard.session.chosen import read_link
from specmodel.model.scenario import Scenario
from specmodel.ngram import language_models, speculate
from tests.dashboard.conftest import Opener, alerts, below, go_to, guess_all, numbers, said
from tests.dashboard.live_text.conftest import text_of

PAIR = language_models("english")
START = PAIR.corpus.prompts[0]
TRACE = speculate(PAIR.target, PAIR.drafter(TextLesson().draft_order), START, 120, 4, 1.0, 1)


def marked(app: AppTest) -> list[str]:
    """The two texts: with speculation, and of the target alone."""
    bodies = [each.proto.body for each in app.get("html")]
    return [body for body in bodies if 'role="group"' in body]


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
    assert len(marked(app)) == 2 and all(text_of(text).startswith("<b>zebra</b> *x* $1$") for text in marked(app))
    assert "<b>" not in "".join(marked(app))
    assert not any("zebra" in value for link in links for value in link.values())
    assert "zebra" in repr(app.session_state["live_text:results"]["trace"][0])
    go_to(go_to(app, "drift"), "live_text")
    assert app.text_input(key="live_text:typed").value == "<b>zebra</b> *x* $1$"


def test_a_typed_text_is_cut_at_its_limit(opened: Opener) -> None:
    app = opened("live_text", guess="0", textprompt="own", text_len="20")
    app.text_input(key="live_text:typed").set_value("ab " * 200).run()
    assert app.text_input(key="live_text:typed").value == ("ab " * 200)[:200]


def test_answers_wait_for_the_guesses(opened: Opener) -> None:
    app = opened("live_text")
    assert "asks for a guess first" in alerts(app) and not app.metric and not marked(app)
    assert guess_all(app) == [f"guess:live_text.{key}:reveal" for key in ("text", "same", "kinds")]
    assert f"It is **{len(TRACE.rounds)} passes**" in said(app) and "instead of 120" in alerts(app)
    assert len(app.metric) == 9 and len(marked(app)) == 2


def test_before_a_class_one_part_is_shown_at_a_time(opened: Opener) -> None:
    app = opened("live_text", present="1", guess="0", part="2")
    assert [each.value for each in app.subheader] == ["Is it still the target's text?"]


def test_a_wrong_link_says_so(opened: Opener) -> None:
    app = opened("live_text", guess="0", textkind="latin", textat="-3", textprompt="77")
    complaints = "\n".join(box.value for box in app.warning)
    assert [key for key in ("textkind", "textat", "textprompt") if key not in complaints] == []


def test_extreme_numbers_draw_in_japanese(opened: Opener) -> None:
    app = opened("live_text", guess="0", lang="ja", text_k="16", text_len="600", text_order="1")
    assert len(app.metric) == 9 and len(marked(app)) == 2


def test_the_measured_acceptance_goes_to_the_explore_pages(opened: Opener) -> None:
    app = opened("live_text", guess="0", textdraft="lookup", text_k="3")
    app.button(key="take_text").click().run()
    assert app.header[0].value == "When does speculation pay?"
    chosen = read_link({"textdraft": "lookup", "text_k": "3"})[0]
    assert app.session_state["scenario"] == run_of(chosen).as_scenario(Scenario())
