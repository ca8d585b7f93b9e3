"""The Drift page through AppTest: workloads, rules, the boundary, what is asked first, what the link carries."""

import re
from collections.abc import Callable

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from specmodel.dashboard.lesson.values import DriftLesson, LessonSeed
from specmodel.drift.boundary import failure_boundary
from specmodel.drift.policies import choice, policies
from specmodel.drift.published import workload, workloads
from specmodel.drift.round_costs import round_costs
from specmodel.drift.run import simulate_drift
from specmodel.drift.workload_inputs import with_spread
from specmodel.model.scenario import Scenario
from tests.dashboard.conftest import Opener, alerts, below, numbers, said, warned

OPEN = {"guess": "0"}


def table(app: AppTest, column: str) -> pd.DataFrame:
    """The table that has this column, by its first column."""
    found: pd.DataFrame = next(each.value for each in (*app.table, *app.dataframe) if column in each.value.columns)
    return found.set_index(found.columns[0])


def cell(found: pd.DataFrame, row: str, column: str) -> str:
    return str(found.loc[row, column])


def played(key: str, scenario: Scenario, **changes):
    asked = with_spread(workload(key), DriftLesson().spread)
    names = [choice(each.key) for each in policies() if each.key != "fixed"]
    names.append(choice("fixed", num_speculative_tokens=scenario.num_speculative_tokens))
    return simulate_drift(asked, round_costs(scenario, 16, **changes), names, LessonSeed().lesson_seed)


QUESTIONS = ("boundary", "rules", "learning")


def asked(app: AppTest, step: str) -> AppTest:
    """The page with the question of this step open: those before it are answered."""
    for each in QUESTIONS[: QUESTIONS.index(step)]:
        reveal(app, each)
    return app


def reveal(app: AppTest, step: str) -> None:
    """Answer a question, where it is asked and still open."""
    key = f"guess:drift.{step}:reveal"
    if key in {each.key for each in app.button}:
        app.button(key=key).click().run()
    assert not app.exception


def guess(app: AppTest, step: str) -> AppTest:
    """The page with the answers up to this step."""
    reveal(asked(app, step), step)
    return app


def test_numbers_of_a_rule_that_need_each_other_come_together(opened: Opener) -> None:
    app = opened("drift", tuned="drift_th_off:0.5,drift_th_on:0.6", **OPEN)
    assert not app.warning
    assert "expected at most" in warned(opened("drift", tuned="drift_th_off:0.5", **OPEN))


@pytest.mark.parametrize("key", [each.key for each in workloads()])
def test_every_workload_shows_its_phases_with_sources(opened: Opener, key: str) -> None:
    app = opened("drift", workload=key, **OPEN)
    found = table(app, "kind of number")
    assert len(found) == len(workload(key).phases)
    assert found["measured with"].str.len().min() > 10
    for phase in workload(key).phases:
        assert phase.source.split("; ")[0] in said(app)
    run = played(key, Scenario())
    assert numbers(app)["Fixed length"] == f"{run.speedup('fixed'):.2f}×"
    assert numbers(app)["Oracle"] == f"{run.speedup('oracle'):.2f}×"
    assert "Simulated, seed 1" in app.info[0].value


def test_the_tables_are_what_was_played(opened: Opener) -> None:
    app = opened("drift", **OPEN)
    run = played("day", Scenario())
    total = table(app, "of the oracle's saving")
    labels = [each.label for each in policies()]
    assert list(total.index) == ["k = 5" if label == "Fixed length" else label for label in labels]
    assert cell(total, "k = 5", "of the oracle's saving") == f"{run.saved_share('fixed'):.0%}"
    assert cell(total, "Threshold", "changes of k") == f"{run.run('threshold').num_switches:,}"
    by_phase = table(app, "4 · Creative writing")
    assert list(by_phase.loc["k = 5"]) == [f"{each.speedup:.2f}×" for each in run.by_phase("fixed")]


def test_where_a_rule_loses_is_marked_and_named(opened: Opener) -> None:
    app = opened("drift", workload="shift", draft="9", **OPEN)
    run = played("shift", Scenario(draft_ms=9))
    assert run.losing_phases("fixed") == ("Role play",)
    by_phase = table(app, "2 · Role play")
    assert cell(by_phase, "k = 5", "2 · Role play").startswith("▼")
    assert not cell(by_phase, "k = 5", "1 · Code").startswith("▼")
    assert "It loses time in: “Role play”." in app.info[0].value
    assert "▼ k = 5 is slower than plain decoding in: “Role play”." in said(app)
    assert "Slower than plain decoding: “Role play”." in said(app) and "slower all the same" not in said(app)


def test_the_boundary_is_the_break_even_of_the_slider_s_k(opened: Opener) -> None:
    app = opened("drift", k="3", **OPEN)
    found = failure_boundary(round_costs(Scenario(num_speculative_tokens=3), 16), 3)
    assert f"{found.alpha:.3f}" in said(app) and "No phase is slower than plain decoding." in said(app)
    assert "speedup at k = 3" in table(app, "pays above α*").columns


@pytest.mark.parametrize("spread", ["0", "0.1", "0.3"])
@pytest.mark.parametrize("draft", ["3", "4.5", "9"])
@pytest.mark.parametrize("workload", ["shift", "domains", "day"])
def test_a_phase_pays_exactly_above_the_acceptance_of_its_row(
    opened: Opener, workload: str, draft: str, spread: str
) -> None:
    found = table(
        opened("drift", workload=workload, draft=draft, spread=spread, rules="fixed", **OPEN), "pays above α*"
    )
    for _label, row in found.iterrows():
        alpha, needed = str(row["α"]), str(row["pays above α*"])
        assert (row["verdict"] == "pays") == (needed != "never" and float(alpha) > float(needed))


def test_a_phase_above_the_boundary_that_loses_is_explained(opened: Opener) -> None:
    app = opened("drift", workload="shift", draft="4.5", spread="0.3", **OPEN)
    row = table(app, "pays above α*").loc["2 · Role play"]
    played_at, needed = float(str(row["α"])), float(str(row["pays above α*"]))
    assert row["verdict"] == "▼ loses" and played_at < needed
    alpha = failure_boundary(round_costs(Scenario(draft_ms=4.5), 16), 5).alpha
    assert alpha is not None and alpha < played_at
    assert f"which takes an acceptance of **{alpha:.3f}** where all requests and positions are alike" in said(app)
    assert "Above that acceptance and slower all the same: “Role play”." in said(app)


def test_where_no_acceptance_is_enough_nothing_is_asked(opened: Opener) -> None:
    app = opened("drift", draft="500", k="1")
    assert "it never pays here" in said(app)
    assert "At which acceptance" not in said(app)
    assert [each.key for each in app.button if str(each.key).endswith(":reveal")] == ["guess:drift.learning:reveal"]
    assert set(table(app, "saved")["of the oracle's saving"]) == {"–"}


def test_off_at_the_slider_says_what_is_played_instead(opened: Opener) -> None:
    app = opened("drift", k="0", **OPEN)
    assert "the fixed length is 1 here" in said(app) and below(app)["Fixed length"] == "k = 1"


# Predict first


def test_nothing_is_told_before_the_guesses(opened: Opener) -> None:
    app = opened("drift")
    assert not app.metric and "×" not in app.info[0].value
    assert "At which acceptance, the same everywhere, does k = 5 stop paying?" in said(app)
    assert "0.408" not in said(app) and "Time saved" not in said(app)
    for step in ("boundary", "rules", "learning"):
        guess(app, step)
    run = played("day", Scenario())
    assert f"It is **{100 * run.saved_share('fixed'):.0f}%**" in said(app)
    assert "It is **0.41**" in said(app)
    assert numbers(app)["Fixed length"] == f"{run.speedup('fixed'):.2f}×"


def test_training_breaks_even_at_the_answer_of_its_question(opened: Opener) -> None:
    app = guess(opened("drift"), "learning")
    answer = float(re.findall(r"[Ii]t is \*\*(-?\d+)%\*\*", said(app))[-1])
    assert cell(table(app, "or per round"), "k = 5", "training may take at most") == f"{answer:.0f}%"
    paid = opened("drift", drift_train_share=str(answer / 100), **OPEN)
    assert float(cell(table(paid, "gain"), "k = 5", "gain").rstrip("×")) == pytest.approx(1, abs=0.011)


@pytest.mark.parametrize(
    ("k", "longer", "shorter"),
    [
        ("1", "", "“Code”, “Role play”"),
        ("5", "“Role play”", "“Code”"),
        ("9", "“Code”, “Role play”", ""),
    ],
)
def test_why_the_fixed_length_falls_behind_is_what_was_computed(
    opened: Opener, k: str, longer: str, shorter: str
) -> None:
    app = guess(opened("drift", workload="shift", k=k), "rules")
    for word, phases in (("longer", longer), ("shorter", shorter)):
        text = f"k = {k} is {word} than the best single length of: {phases}"
        assert (text in said(app)) == bool(phases), word
    best = table(guess(app, "boundary"), "pays above α*")["best k"].replace("off", "0").astype(int)
    names = best.index.str.replace(r"^\d+ · ", "", regex=True)
    for phases, expected in ((longer, best < int(k)), (shorter, best > int(k))):
        assert {f"“{name}”" for name in names[expected]} == set(filter(None, phases.split(", ")))


def test_where_the_fixed_length_is_the_best_it_says_what_is_left(opened: Opener) -> None:
    app = guess(opened("drift", workload="own", phases="Chat_0.6_12_150", k="3"), "rules")
    assert "k = 3 is the best single length of every phase" in said(app)


@pytest.mark.parametrize(
    ("step", "query"),
    [
        ("rules", {"workload": "shift", "draft": "12", "k": "16"}),
        ("learning", {"workload": "day", "drift_gain": "1", "drift_learn": "1", "k": "16"}),
        ("learning", {"workload": "own", "phases": "Never_0_3_10", "drift_learn": "0"}),
    ],
)
def test_the_answer_lies_in_the_range_of_its_guess(opened: Opener, step: str, query: dict[str, str]) -> None:
    app = asked(opened("drift", **query), step)
    slider = app.slider(key=f"guess:drift.{step}")
    answer = float(re.findall(r"[Ii]t is \*\*(-?\d+)%\*\*", said(guess(app, step)))[-1])
    assert slider.min <= answer <= slider.max
    assert not -100 <= answer <= 100 or query.get("drift_learn") == "0"


def test_nothing_to_save_is_no_question(opened: Opener) -> None:
    app = opened("drift", workload="own", phases="Never_0.001_3_100", spread="0")
    assert "guess:drift.rules:reveal" not in {each.key for each in app.button}


def test_a_class_sees_one_part_at_a_time(opened: Opener) -> None:
    app = opened("drift", present="1", part="4", **OPEN)
    assert [each.value for each in app.subheader] == ["Where each rule loses"]


# Rules


def test_rules_can_be_left_out(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("drift", **OPEN)
    app.button_group(key="rules_pills").set_value(["goodput", "fixed"]).run()
    assert list(table(app, "saved").index) == ["Off", "k = 5", "Most tokens per time", "Oracle"]
    assert links[-1]["rules"] == "fixed_goodput"
    app.button_group(key="rules_pills").set_value([]).run()
    assert list(table(app, "saved").index) == ["Off", "Oracle"] and numbers(app)["Best rule shown"] == "–"


def test_a_rule_s_numbers_go_into_the_link_and_back(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("drift", rule="tiers", **OPEN)
    before = cell(table(app, "saved"), "Moving-average tiers", "saved")
    app.number_input(key="drift:tiers.largest").set_value(1).run()
    assert cell(table(app, "saved"), "Moving-average tiers", "saved") != before
    assert links[-1]["tuned"] == "drift_tier_max:1"
    again = opened("drift", **links[-1])
    assert table(again, "saved").equals(table(app, "saved"))
    app.number_input(key="drift:tiers.largest").set_value(7).run()
    assert "tuned" not in links[-1]


def test_numbers_that_contradict_each_other_are_refused(opened: Opener) -> None:
    app = opened("drift", rule="threshold", **OPEN)
    app.number_input(key="drift:threshold.off_below").set_value(0.9).run()
    assert "off_below = 0.9 is above on_above = 0.2" in warned(app)
    assert app.number_input(key="drift:threshold.off_below").value == 0.15


@pytest.mark.parametrize(
    ("tuned", "said_of_it"),
    [
        ("junk:3", "junk"),
        ("drift_th_off:x", "Off below"),
        ("drift_th_off:0.9", "off_below = 0.9"),
        (":,:", "not known"),
    ],
)
def test_what_a_link_changes_wrongly_is_named(opened: Opener, tuned: str, said_of_it: str) -> None:
    app = opened("drift", tuned=tuned, **OPEN)
    assert said_of_it in warned(app)
    assert table(app, "saved").equals(table(opened("drift", **OPEN), "saved"))


def test_the_fixed_rule_and_the_oracle_have_no_numbers(opened: Opener) -> None:
    for rule in ("fixed", "oracle"):
        app = opened("drift", rule=rule, **OPEN)
        assert not [each for each in app.number_input if (each.key or "").startswith("drift:")]


def test_a_change_of_k_costs_the_rules_that_change_it(opened: Opener) -> None:
    free, paid = (table(opened("drift", switch=ms, **OPEN), "saved")["saved"] for ms in ("0", "20"))
    seconds = [each.str.removesuffix(" s").astype(float) for each in (free, paid)]
    assert seconds[1]["Two more, or one less"] < seconds[0]["Two more, or one less"]
    assert seconds[1]["k = 5"] == seconds[0]["k = 5"]


def test_another_seed_is_another_run(opened: Opener) -> None:
    one, two = (table(opened("drift", lesson_seed=seed, **OPEN), "saved") for seed in ("1", "2"))
    assert not one.equals(two)


# The groups of the engine page


def test_the_groups_of_the_engine_page_are_a_workload(opened: Opener) -> None:
    app = opened("drift", workload="groups", k="4", **OPEN)
    found = table(app, "kind of number")
    assert set(found["kind of number"]) == {"measured"} and len(found) == 6
    assert "Slower than plain decoding" in said(app)


@pytest.mark.parametrize("query", [{"src": "files"}, {"example": "misfit"}])
def test_without_groups_a_published_workload_is_shown_and_it_says_so(opened: Opener, query: dict[str, str]) -> None:
    app = opened("drift", workload="groups", **query, **OPEN)
    assert "holds no groups" in warned(app) and app.selectbox(key="drift:workload").value == "day"


def test_a_workload_that_is_none_is_named(opened: Opener) -> None:
    assert "junk" in alerts(opened("drift", workload="junk", **OPEN))


# A reader's own phases


Edit = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch) -> Callable[[Edit], None]:
    """`edited(change)`: what the reader makes of the table of phases, from the next run on."""
    changes: list[Edit] = [lambda shown: shown]
    monkeypatch.setattr(st, "data_editor", lambda shown, **_: changes[-1](shown.copy()))
    return changes.append


def in_link(links: list[dict[str, str]]) -> list[str]:
    return links[-1]["phases"].split(",")


def test_own_phases_start_from_the_workload_before(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("drift", workload="domains", **OPEN)
    before = table(app, "saved")
    app.selectbox(key="drift:workload").set_value("own").run()
    assert in_link(links)[0] == "_@minimax-code_6_150" and len(in_link(links)) == 11
    assert table(app, "saved").equals(before)
    assert set(table(app, "kind of number")["kind of number"]) == {"derived from published figures"}
    app.selectbox(key="drift:workload").set_value("shift").run()
    assert "phases" not in links[-1]
    app.selectbox(key="drift:workload").set_value("own").run()
    assert in_link(links)[1] == "_@minimax-roleplay_20_150"
    assert not app.warning


@pytest.mark.parametrize("key", [each.key for each in workloads()])
def test_a_workload_copied_into_own_phases_is_the_same(opened: Opener, links: list[dict[str, str]], key: str) -> None:
    app = opened("drift", workload=key, **OPEN)
    before, phases = table(app, "saved"), table(app, "kind of number")
    app.selectbox(key="drift:workload").set_value("own").run()
    again = opened("drift", **links[-1])
    for found in (app, again):
        assert table(found, "saved").equals(before) and table(found, "kind of number").equals(phases)


def test_the_groups_stay_measured_as_own_phases(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("drift", workload="groups", **OPEN)
    app.selectbox(key="drift:workload").set_value("own").run()
    found = table(opened("drift", **links[-1]), "kind of number")
    assert set(found["kind of number"]) == {"measured"} and set(found["measured with"]) == {"the engine page"}


def test_edited_phases_are_played_and_linked(
    opened: Opener, links: list[dict[str, str]], edited: Callable[[Edit], None]
) -> None:
    app = opened("drift", workload="own", **OPEN)
    edited(lambda shown: shown.assign(requests=[3] * 5, tokens=80))
    app.run()
    assert in_link(links)[0] == "_@kimi-chat_3_80"
    assert table(app, "kind of number").iloc[0]["kind of number"] == "derived from published figures"
    edited(lambda shown: shown.assign(alpha=[0.3, *shown["alpha"][1:]], kind=["Mine, _ 100%", *shown["kind"][1:]]))
    app.run()
    assert in_link(links)[:2] == ["Mine%2C %5F 100%25_0.3_3_80", "_@kimi-code_3_80"]
    row = table(app, "kind of number").loc["1 · Mine, _ 100%"]
    assert (row["α"], row["requests"], row["kind of number"], row["measured with"]) == (
        "0.30",
        "3 × 80",
        "assumed",
        "–",
    )
    edited(lambda shown: shown)
    again = opened("drift", **links[-1])
    assert table(again, "saved").equals(table(app, "saved"))
    assert table(again, "kind of number").equals(table(app, "kind of number"))
    assert "Acceptance is 0.30 in “Mine, _ 100%”" in again.info[0].value.replace("\\", "")


def test_a_phase_may_drift_and_a_new_row_is_one_at_once(
    opened: Opener, links: list[dict[str, str]], edited: Callable[[Edit], None]
) -> None:
    app = opened("drift", workload="own", phases="Chat_0.8_10_100", **OPEN)
    new = {"from": None, "kind": None, "alpha": 0.4, "last": None, "requests": 2.0, "tokens": 20.0}
    empty = dict.fromkeys(new)
    edited(lambda shown: pd.concat([shown.assign(last=0.5), pd.DataFrame([new, empty])]))
    app.run()
    assert in_link(links) == ["Chat_0.8~0.5_10_100", "My text_0.4_2_20"]
    assert table(app, "kind of number").loc["1 · Chat", "α"] == "0.80 → 0.50"
    assert not app.warning


@pytest.mark.parametrize(
    ("change", "said_of_it"),
    [
        (lambda shown: shown.iloc[:0], "needs a phase with α, requests and tokens"),
        (lambda shown: shown.assign(alpha=None), "needs a phase with α, requests and tokens"),
        (lambda shown: shown.assign(alpha=1.5), "Acceptance probability"),
        (lambda shown: shown.assign(requests=2.5), "2.5 is no whole number"),
        (lambda shown: shown.assign(requests=9999.0), "at most 50,000 can be simulated"),
        (lambda shown: pd.concat([shown] * 13), "one too many: a workload has at most 12 phases"),
    ],
)
def test_nonsense_in_the_table_keeps_the_last_phases(
    opened: Opener, links: list[dict[str, str]], edited: Callable[[Edit], None], change: Edit, said_of_it: str
) -> None:
    app = opened("drift", workload="own", phases="Chat_0.8_10_100", **OPEN)
    before = table(app, "saved")
    edited(change)
    app.run()
    assert said_of_it in warned(app)
    assert in_link(links) == ["Chat_0.8_10_100"] and table(app, "saved").equals(before)


@pytest.mark.parametrize(
    ("part", "said_of_it"),
    [
        ("junk", "junk is no phase: expected kind_α_requests_tokens"),
        ("Chat_x_1_1", "Chat_x_1_1 is no phase"),
        ("Chat_0.5_1.5_1", "is no phase"),
        ("Chat_1.5_3_30", "Acceptance probability"),
        ("Chat_nan_3_30", "Acceptance probability"),
        ("Chat_0.5~1.2_3_30", "ends outside 0 to 1"),
        ("Chat_0.5_0_30", "Requests in the phase"),
        ("_0.5_3_30", "a phase needs a name"),
        ("_@noon_3_30", "there is no published phase noon"),
        ("Chat_0.5_1000_1000", "Tokens of an answer|1,000,300 tokens: at most 50,000"),
    ],
)
def test_a_bad_part_of_a_link_is_left_out_and_named(opened: Opener, part: str, said_of_it: str) -> None:
    app = opened("drift", workload="own", phases=f"Code_0.8_3_100,{part},Play_0.4_3_100", **OPEN)
    assert any(each in warned(app) for each in said_of_it.split("|"))
    assert list(table(app, "kind of number").index) == ["1 · Code", "2 · Play"]


def test_a_link_with_too_many_phases_shows_the_first(opened: Opener) -> None:
    phases = ",".join(f"P{at}_0.5_2_20" for at in range(14))
    app = opened("drift", workload="own", phases=phases, **OPEN)
    assert "phase P12 is one too many" in warned(app) and len(table(app, "kind of number")) == 12
    assert app.button(key="drift:add").disabled


@pytest.mark.parametrize("phases", ["junk", ",,", "a_b_c_d_e"])
def test_a_link_without_a_usable_phase_shows_those_of_a_published_workload(opened: Opener, phases: str) -> None:
    app = opened("drift", workload="own", phases=phases, **OPEN)
    assert "no phase that can be used: those of A day of an assistant" in warned(app)
    assert table(app, "saved").equals(table(opened("drift", **OPEN), "saved"))


def test_phases_of_one_name_are_told_apart(opened: Opener) -> None:
    phases = "Chat_0.8_3_100,Chat_0.4_3_100,Chat_0.8_3_100"
    app = opened("drift", workload="own", phases=phases, **OPEN)
    assert list(table(app, "kind of number").index) == ["1 · Chat", "2 · Chat (2)", "3 · Chat"]


def test_a_published_row_can_be_added_until_it_is_too_much(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("drift", workload="own", phases="Chat_0.8_3_100", **OPEN)
    box = app.selectbox(key="drift:row")
    assert len(box.options) == 27
    box.set_value("kimi_writing").run()
    app.button(key="drift:add").click().run()
    assert in_link(links) == ["Chat_0.8_3_100", "_@kimi-writing_12_150"]
    row = table(app, "kind of number").loc["2 · Creative writing"]
    assert row["α"] == "0.65 *" and row["kind of number"] == "derived from published figures"
    assert "Kimi K3" in row["measured with"] and "vLLM blog 2026-07-27" in said(app)
    app.button(key="drift:over").click().run()
    assert in_link(links)[0] == "_@kimi-chat_12_150" and len(in_link(links)) == 5
    full = opened("drift", workload="own", phases="Chat_0.8_490_100", **OPEN)
    full.button(key="drift:add").click().run()
    assert "Not taken over: with phase Code the workload has 50,800 tokens" in warned(full)
    assert in_link(links) == ["Chat_0.8_490_100"]


@pytest.mark.parametrize("alpha", [0.3, 0.6, 0.85])
@pytest.mark.parametrize("draft_ms", [1.0, 3.0])
def test_a_single_stationary_phase_settles_at_the_best_fixed_length(
    opened: Opener, alpha: float, draft_ms: float
) -> None:
    query = {"workload": "own", "phases": f"Chat_{alpha}_50_1000", "spread": "0", "draft": f"{draft_ms:g}"}
    app = opened("drift", **query, **OPEN)
    assert f"Mean acceptance is {alpha:.2f} throughout." in app.info[0].value
    best = cell(table(app, "pays above α*"), "1 · Chat", "best k")
    assert f"The phases do not differ: the best single length is k = {best}" in said(app)
    fixed = table(opened("drift", k=best, **query, **OPEN), "of the oracle's saving")
    saved = {key: float(cell(found, key, "saved").removesuffix(" s").replace(",", "")) for key, found in
             ((f"k = {best}", fixed), ("Most tokens per time", table(app, "of the oracle's saving")))}  # fmt: skip
    plain = 50_000 * Scenario().target_ms / 1000
    times = [plain - each for each in saved.values()]
    assert times[1] == pytest.approx(times[0], rel=0.01)


def test_where_no_length_pays_it_says_so(opened: Opener) -> None:
    app = opened("drift", workload="own", phases="Chat_0.05_12_150", spread="0", draft="9", **OPEN)
    assert "no single length beats plain decoding here in the long run" in said(app)
    assert cell(table(app, "pays above α*"), "1 · Chat", "best k") == "off"


def test_temperature_changes_chat_not_at_all(opened: Opener) -> None:
    app = opened("drift", workload="temperature", **OPEN)
    found = table(app, "kind of number")
    assert list(found["α"]) == ["0.80", "0.68", "0.73", "0.55", "0.71", "0.71"]
    assert "The same models" not in app.info[0].value  # T5 and LaMDA


def test_the_limits_say_where_acceptance_changes(opened: Opener) -> None:
    app = opened("drift", **OPEN)
    app.session_state["why"] = True
    app.run()
    assert "inside an answer it does so only where the draft learns" in said(app)


@pytest.mark.parametrize(
    "phases", ["A_0_1_1", "A_1_1_1", "A_0.5_1_1", "A_0~1_1_1", "A_1~0_2_1,B_1_1_1", "A_1_10000_5", "A_0.2~0.9_10000_5"]
)
def test_the_smallest_and_the_largest_workloads_are_shown(opened: Opener, phases: str) -> None:
    for query in ({}, OPEN, {"spread": "0.4", "switch": "10", **OPEN}):
        app = opened("drift", workload="own", phases=phases, **query)
        assert not app.warning
