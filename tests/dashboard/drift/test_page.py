"""The Drift page through AppTest: workloads, rules, the boundary, what is asked first, what the link carries."""

from collections.abc import Callable

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from specmodel import logs
from specmodel.drift.published import workloads
from specmodel.measured.stats_link import pack_stats
from tests.conftest import ROOT
from tests.dashboard.conftest import Opener, alerts, go_to, guess_all, numbers, said, warned

OPEN = {"guess": "0"}
SAMPLES = ROOT / "tests" / "logs" / "samples"
GROUPED, LACKS_K = SAMPLES / "specdecode-bench-simulator.jsonl", SAMPLES / "llamacpp-mtp-bench.txt"


def table(app: AppTest, column: str) -> pd.DataFrame:
    """The table that has this column, by its first column."""
    found: pd.DataFrame = next(each.value for each in (*app.table, *app.dataframe) if column in each.value.columns)
    return found.set_index(found.columns[0])


def cell(found: pd.DataFrame, row: str, column: str) -> str:
    return str(found.loc[row, column])


# Predict first


def test_nothing_is_told_before_the_guesses(opened: Opener) -> None:
    app = opened("drift")
    assert not app.metric and "×" not in app.info[0].value
    assert "At which acceptance, the same everywhere, does k = 5 stop paying?" in said(app)
    assert "0.408" not in said(app) and "Time saved" not in said(app)
    assert guess_all(app) == [f"guess:drift.{step}:reveal" for step in ("boundary", "rules", "learning")]
    told = opened("drift", **OPEN)
    saved = cell(table(told, "of the oracle's saving"), "k = 5", "of the oracle's saving")
    assert f"It is **{saved}**" in said(app) and "It is **0.41**" in said(app)
    assert numbers(app) == numbers(told)


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


def test_the_fixed_rule_and_the_oracle_have_no_numbers(opened: Opener) -> None:
    for rule in ("fixed", "oracle"):
        app = opened("drift", rule=rule, **OPEN)
        assert not [each for each in app.number_input if (each.key or "").startswith("drift:")]


# The groups of the engine page


def test_the_groups_of_the_engine_page_are_a_workload(opened: Opener) -> None:
    app = opened("drift", workload="groups", k="4", **OPEN)
    found = table(app, "kind of number")
    assert set(found["kind of number"]) == {"measured"} and len(found) == 6
    assert "Slower than plain decoding" in said(app)


@pytest.mark.parametrize("query", [{"src": "files"}, {"example": "misfit"}])
def test_without_groups_a_published_workload_is_shown_and_it_says_so(opened: Opener, query: dict[str, str]) -> None:
    no_groups(opened("drift", workload="groups", **query, **OPEN))


def no_groups(app: AppTest) -> None:
    assert "holds no groups" in warned(app) and app.selectbox(key="drift:workload").value == "day"


def phases(app: AppTest) -> list[str]:
    return list(table(app, "kind of number").index)


def with_files(opened: Opener, **query: str) -> AppTest:
    """The engine page with the samples of one file uploaded, whose groups Drift has played."""
    app = opened("engine", src="files", workload="groups", **query, **OPEN)
    app.file_uploader(key="engine_upload").set_value(("a.jsonl", GROUPED.read_bytes(), "text/plain")).run()
    assert phases(go_to(app, "drift")) == ["1 · eagle", "2 · ngram"]
    return go_to(app, "engine")


def test_after_a_paste_its_groups_are_played(opened: Opener) -> None:
    app = opened("engine", src="paste", workload="groups", **OPEN)
    app.text_area(key="pasted").set_value(GROUPED.read_text()).run()
    assert phases(go_to(app, "drift")) == ["1 · eagle", "2 · ngram"]


def test_after_a_paste_the_files_are_not_played(opened: Opener) -> None:
    app = with_files(opened)
    app.button_group(key="src").set_value("paste").run()
    no_groups(go_to(app, "drift"))


def test_after_a_typed_rate_the_files_are_not_played(opened: Opener) -> None:
    app = with_files(opened, drafted="3")
    app.button_group(key="src").set_value("hand").run()
    no_groups(go_to(app, "drift"))


def test_after_a_link_its_counters_are_played_and_not_the_files(opened: Opener) -> None:
    other = pack_stats(logs.parse((SAMPLES / "sglang-bench-speculative.jsonl").read_bytes()))
    linked = ["1 · k=3  batch 1", "2 · k=3  top-k 4  16 draft tokens  batch 1"]
    link = {"src": "link", "counts": other, "workload": "groups", **OPEN}
    app = opened("drift", **link)
    assert phases(app) == linked
    app = with_files(opened)
    app.session_state["counts"] = other
    app.button_group(key="src").set_value("link").run()
    assert phases(go_to(app, "drift")) == linked


def test_the_draft_length_typed_beside_a_run_is_that_of_its_groups(opened: Opener) -> None:
    app = opened("engine", src="paste", workload="groups", **OPEN)
    app.text_area(key="pasted").set_value(LACKS_K.read_text()).run()
    app.text_input(key="drafted").set_value("3").run()
    assert phases(go_to(app, "drift")) == ["1 · code_python", "2 · qa_factual"]
    assert list(table(app, "kind of number")["α"]) == ["0.80", "0.68"]
    app = go_to(app, "engine")
    app.text_input(key="drafted").set_value("2").run()
    assert list(table(go_to(app, "drift"), "kind of number")["α"]) != ["0.80", "0.68"]


def test_a_workload_that_is_none_is_named(opened: Opener) -> None:
    assert "junk" in alerts(opened("drift", workload="junk", **OPEN))


# A visitor's own phases


Edit = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch) -> Callable[[Edit], None]:
    """`edited(change)`: what the visitor makes of the table of phases, from the next run on."""
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


def test_a_link_with_too_many_phases_shows_the_first(opened: Opener) -> None:
    phases = ",".join(f"P{at}_0.5_2_20" for at in range(14))
    app = opened("drift", workload="own", phases=phases, **OPEN)
    assert "phase P12 is one too many" in warned(app) and len(table(app, "kind of number")) == 12
    assert app.button(key="drift:add").disabled


def test_what_cannot_be_used_of_a_link_is_said_on_the_page(opened: Opener) -> None:
    app = opened("drift", workload="own", phases="junk", tuned="nonsense:3", k="0", **OPEN)
    assert "junk is no phase" in warned(app) and "nonsense is not known" in warned(app)
    assert "the fixed length is 1 here" in said(app)


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
