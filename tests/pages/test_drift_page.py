"""The Drift page through AppTest: workloads, rules, the boundary, what is asked first, what the link carries."""

import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from specmodel.drift.boundary import failure_boundary
from specmodel.drift.given import with_spread
from specmodel.drift.policies import choice, policies
from specmodel.drift.published import workload, workloads
from specmodel.drift.run import simulate_drift
from specmodel.drift.setting import round_ms_of
from specmodel.lessons import DriftLesson, LessonSeed
from specmodel.scenario import Scenario
from tests.pages.conftest import Opener, alerts, below, numbers, said, warned

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
    return simulate_drift(asked, round_ms_of(scenario, 16), names, LessonSeed().lesson_seed, **changes)


def guess(app: AppTest, step: str) -> AppTest:
    app.button(key=f"guess:drift.{step}:reveal").click().run()
    assert not app.exception
    return app


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
    assert "Beyond it, slower than plain decoding: “Role play”." in said(app)


def test_the_boundary_is_the_break_even_of_the_slider_s_k(opened: Opener) -> None:
    app = opened("drift", k="3", **OPEN)
    found = failure_boundary(round_ms_of(Scenario(num_speculative_tokens=3), 16), 3)
    assert f"{found.alpha:.3f}" in said(app) and "No phase lies beyond it." in said(app)
    assert "speedup at k = 3" in table(app, "pays above α*").columns


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
    assert "At which acceptance does k = 5 stop paying here?" in said(app)
    assert "0.408" not in said(app) and "Time saved" not in said(app)
    for step in ("boundary", "rules", "learning"):
        guess(app, step)
    run = played("day", Scenario())
    assert f"it is **{100 * run.saved_share('fixed'):.0f}%**" in said(app)
    assert "it is **0.41**" in said(app)
    assert numbers(app)["Fixed length"] == f"{run.speedup('fixed'):.2f}×"


def test_training_breaks_even_at_the_answer_of_its_question(opened: Opener) -> None:
    app = guess(opened("drift"), "learning")
    answer = float(re.findall(r"it is \*\*(-?\d+)%\*\*", said(app))[-1])
    assert cell(table(app, "or per round"), "k = 5", "training may take at most") == f"{answer:.0f}%"
    paid = opened("drift", drift_train_share=str(answer / 100), **OPEN)
    assert float(cell(table(paid, "gain"), "k = 5", "gain").rstrip("×")) == pytest.approx(1, abs=0.011)


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
    assert "Beyond it" in said(app)


@pytest.mark.parametrize("query", [{"src": "files"}, {"example": "misfit"}])
def test_without_groups_a_published_workload_is_shown_and_it_says_so(opened: Opener, query: dict[str, str]) -> None:
    app = opened("drift", workload="groups", **query, **OPEN)
    assert "holds no groups" in warned(app) and app.selectbox(key="drift:workload").value == "day"


def test_a_workload_that_is_none_is_named(opened: Opener) -> None:
    assert "junk" in alerts(opened("drift", workload="junk", **OPEN))
