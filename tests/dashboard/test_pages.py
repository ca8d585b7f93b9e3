"""Every page through AppTest: it renders, reacts to its controls, survives bad links, and speaks both languages."""

import pytest

from specmodel.base import link
from specmodel.dashboard.session.pages import lessons, options, pages
from specmodel.dashboard.vocabulary.answer import IN_TABLE
from specmodel.model.presets import PRESETS
from specmodel.model.scenario import Scenario
from tests.conftest import ROOT
from tests.dashboard.conftest import Opener, alerts, guess_all, numbers

PAGES = sorted((ROOT / "pages").glob("*.py"))
QUESTIONS = {key: page.question for key, page in pages().items()}
LEARN = lessons()
OF_A_RUN = [
    pytest.param(name, marks=pytest.mark.deep) for name in ("engine", "validation", "reference", "live_text", "drift")
]
"""They show other things than the scenario, which is in their links and reports all the same."""
OF_A_SCENARIO = [name for name in QUESTIONS if name not in {each.values[0] for each in OF_A_RUN}]


def test_every_page_file_is_declared() -> None:
    assert {page.stem for page in PAGES} == set(QUESTIONS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_page_asks_its_question_answers_it_and_explains(opened: Opener, name: str) -> None:
    app = opened(name, guess="0")
    assert app.header[0].value == QUESTIONS[name]
    assert alerts(app)
    assert len(app.metric) >= 4
    assert any("Why" in expander.label for expander in app.expander)


@pytest.mark.parametrize("name", LEARN)
def test_a_lesson_asks_before_it_answers_and_can_be_presented_and_printed(opened: Opener, name: str) -> None:
    app = opened(name)
    assert "asks for a guess first" in alerts(app)
    assert 2 <= len(guess_all(app)) <= 3
    assert "asks for a guess first" not in alerts(app)
    parts = len(app.subheader)
    app.button(key=f"{name}:present").click().run()
    assert len(app.subheader) == 1
    for _ in range(parts - 1):
        app.button(key="part_next").click().run()
        assert not app.exception and len(app.subheader) == 1
    assert app.button(key="part_next").disabled == (name == LEARN[-1])
    app.button(key="part_leave").click().run()
    assert len(app.subheader) == parts


def test_the_article_is_what_opens(opened: Opener) -> None:
    app = opened()
    assert numbers(app)["Speedup"] == "1.42×"
    assert numbers(app)["Break-even α*"] == "0.408"
    assert "Yes, it pays: 1.42× as fast." in app.success[0].value


def test_the_articles_forty_percent_is_not_exactly_one(opened: Opener) -> None:
    app = opened(alpha="0.4")
    assert "Too close to call" in app.warning[0].value
    app.session_state["why"] = True
    app.run()
    assert "1.013" in "".join(text.value for text in app.markdown)


def test_a_link_opens_its_scenario_on_every_page(opened: Opener) -> None:
    assert numbers(opened(alpha="0.55", k="2"))["Time per output token"] == "15.11 ms"
    assert "Draft 2 tokens" in alerts(opened("draft_length", alpha="0.55"))
    assert numbers(opened("vocabulary", overlap="0.5"))["Effective acceptance α·v"] == "0.300"


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"alpha": "1.2"}, "alpha = '1.2' is outside 0 to 1"),
        ({"k": "many"}, "num\\_speculative\\_tokens = 'many' is not a whole number"),
        ({"target": "nan"}, "target\\_ms = 'nan' is outside"),
        ({"colour": "red"}, "colour that this app does not know"),
        ({"show": "elephants"}, "show = elephants is none of speedup, time"),
        ({"pin": "alpha:7"}, "alpha = '7' is outside"),
        ({"seed": "-3"}, "seed = \\-3 is none of"),
        ({"k": "<script>alert(1)</script>"}, "script"),
    ],
)
def test_a_broken_link_opens_with_the_default_and_says_so(
    opened: Opener, query: dict[str, str], complaint: str
) -> None:
    app = opened(**query)
    assert complaint in "\n".join(box.value for box in app.warning)
    assert numbers(app)["Speedup"] == "1.42×"
    app.button(key="dismiss").click().run()
    assert not app.warning


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_preset_is_taken_over(opened: Opener, preset: object) -> None:
    app = opened(alpha="0.11")
    app.button(key=f"preset:{preset.key}").click().run()  # type: ignore[attr-defined]
    assert app.session_state["scenario"] == preset.scenario  # type: ignore[attr-defined]
    assert not app.exception


def test_a_preset_keeps_its_page_and_its_pinned_scenario(opened: Opener) -> None:
    app = opened("draft_length")
    app.button(key="pin").click().run()
    app.button(key="preset:long_draft").click().run()
    assert app.header[0].value == QUESTIONS["draft_length"]
    assert app.session_state["pinned"] == Scenario()
    assert any("pinned" in (metric.delta or "") for metric in app.metric)
    app.button(key="restore").click().run()
    assert app.session_state["scenario"] == Scenario()
    app.button(key="unpin").click().run()
    assert app.session_state["pinned"] is None


@pytest.mark.parametrize("name", [*OF_A_SCENARIO, *OF_A_RUN])
@pytest.mark.parametrize(
    "query",
    [
        {"k": "0"},
        {"k": "64", "alpha": "0.99"},
        {"alpha": "0"},
        {"alpha": "1"},
        {"overlap": "0"},
        {"overhead": "5000"},
        {"draft": "22"},
        {"tokens": "1"},
        {"tokens": "3", "k": "16"},
        {"tokens": "1000000"},
        {"target": "0.001", "draft": "0", "verify": "0"},
        {"pin": "alpha:0.2,k:16", "alpha": "0.9"},
    ],
    ids=str,
)
def test_extreme_scenarios_draw_on_every_page(opened: Opener, name: str, query: dict[str, str]) -> None:
    app = opened(name, guess="0", **query)
    assert app.header
    assert not pages()[name].lesson or len(app.subheader) == len(pages()[name].lesson)
    assert not app.warning or "close" in alerts(app)


def test_when_no_acceptance_breaks_even_the_page_says_why(opened: Opener) -> None:
    app = opened(overhead="5000")
    assert "no acceptance would pay" in app.error[0].value
    assert numbers(app)["Break-even α*"] == "–"


def test_the_time_ratio_is_a_switch_of_the_link(opened: Opener) -> None:
    app = opened(show="time_ratio")
    assert any("Time ratio against acceptance" in text.value for text in app.markdown)


@pytest.mark.parametrize("name", QUESTIONS)
def test_japanese_leaves_nothing_untranslated(opened: Opener, name: str, untranslated: set[str]) -> None:
    app = opened(name, locale="ja-JP", run="pair", pin="alpha:0.3", guess="0")
    assert app.header[0].value != QUESTIONS[name]
    assert not pages()[name].lesson or len(app.subheader) == len(pages()[name].lesson)
    assert untranslated == set()


def test_the_language_control_wins_over_the_browser(opened: Opener) -> None:
    app = opened(lang="ja")
    assert app.header[0].value != QUESTIONS["speedup"]
    app.button_group(key="language_control").set_value("en").run()
    assert app.header[0].value == QUESTIONS["speedup"]
    assert app.session_state["lang"] == "en"


def test_a_bundled_run_is_compared_and_sets_the_sliders(opened: Opener) -> None:
    app = opened(run="pair")
    assert "tokens per round" in "".join(text.value for text in app.markdown)
    assert numbers(app)["Rounds"] == "4,021"
    app.button(key="use_run").click().run()
    assert not app.exception
    scenario = app.session_state["scenario"]
    assert scenario.num_speculative_tokens == 4
    assert scenario.target_ms < 3 and scenario.alpha == pytest.approx(0.636, abs=0.002)


def test_a_run_without_times_says_what_is_missing(opened: Opener) -> None:
    app = opened(run="lookup")
    assert any("draft_ms and verify_ms" in text.value for text in app.caption)


def test_filters_of_another_run_fall_back(opened: Opener) -> None:
    app = opened(run="lookup_timed", drafts="3", text="poetry", temp="7")
    assert app.session_state["text"] == "all"
    assert not app.exception


def test_a_tokenizer_pair_sets_the_overlap(opened: Opener) -> None:
    app = opened("vocabulary", to="llama3", from_="qwen3", by="freq_overlap_code")
    app.button(key="use_pair").click().run()
    assert app.session_state["scenario"].vocabulary_overlap == pytest.approx(0.97991)
    app.selectbox(key="by").select_index(0).run()
    assert app.session_state["scenario"].vocabulary_overlap == pytest.approx(0.85598)
    app.selectbox(key="from").set_value("llama3").run()
    assert app.session_state["scenario"].vocabulary_overlap == 1


def test_the_tokenizer_table_can_be_searched(opened: Opener) -> None:
    app = opened("vocabulary")
    assert len(app.dataframe[0].value) == 210
    app.text_input(key="find_tokenizer").set_value("qwen3 llama3").run()
    assert 2 <= len(app.dataframe[0].value) < 10
    assert len(app.dataframe[0].value.columns) == len(IN_TABLE)
    app.text_input(key="find_tokenizer").set_value("<b>nothing</b>").run()
    assert "No pair has a name" in app.warning[0].value


def test_a_round_is_played_step_by_step(opened: Opener) -> None:
    app = opened("one_round", seed="7", tokens="10")
    app.button(key="to_start").click().run()
    assert "0 of 5 drafted" in alerts(app)
    for _ in range(6):
        app.button(key="forward").click().run()
    assert "Round 1:" in alerts(app) and "accepted" in alerts(app)
    app.button(key="back").click().run()
    assert "5 of 5 drafted" in alerts(app)
    for _ in range(12):
        app.button(key="next").click().run()
    assert not app.exception
    assert int(numbers(app)["Tokens so far"]) >= 10
    before = app.session_state["seed"]
    app.button(key="new_seed").click().run()
    assert app.session_state["seed"] != before


def test_every_option_default_is_one_of_its_values() -> None:
    for option in options().values():
        assert option.values is None or option.default in option.values


def test_the_state_of_a_session_is_its_link(opened: Opener) -> None:
    app = opened(alpha="0.7", pin="k:3", show="time_ratio", seed="4", to="gpt4o")
    assert link.to_query(app.session_state["scenario"]) == {"alpha": "0.7"}
    assert app.session_state["pinned"] == Scenario(num_speculative_tokens=3)
    assert (app.session_state["show"], app.session_state["seed"], app.session_state["to"]) == ("time_ratio", 4, "gpt4o")


def test_the_articles_first_table_is_on_the_first_page(opened: Opener) -> None:
    table = opened().table[0].value
    assert [row.split()[0] for row in table.iloc[:, 0]] == ["0.2", "0.4", "0.6", "0.8", "0.95"]
    assert list(table["time ratio"]) == ["1.346", "1.013", "0.706", "0.456", "0.318"]


def test_the_best_draft_length_may_be_a_long_one(opened: Opener) -> None:
    app = opened("draft_length", alpha="0.95", draft="1", k="30")
    assert "Draft 22 tokens" in alerts(app)
    assert numbers(app)["Best draft length k*"] == "22"


def test_the_step_of_a_round_is_in_the_link(opened: Opener) -> None:
    app = opened("one_round", seed="7", round="2", stage="3")
    assert "Round 2: 3 of 5 drafted" in alerts(app)
    app.button(key="next").click().run()
    assert "Round 3:" in alerts(app) and "emits" in alerts(app)


def test_a_tiny_target_step_beside_a_huge_overhead_draws_a_small_figure(opened: Opener) -> None:
    app = opened("one_round", target="0.001", overhead="5000")
    assert len(app.get("plotly_chart")[0].proto.spec) < 100_000


def test_a_pinned_scenario_that_cannot_be_read_is_not_pinned(opened: Opener) -> None:
    app = opened(pin="garbage")
    assert app.session_state["pinned"] is None
