"""What the Drift page says, as a function of its link: workloads, rules, the boundary, questions, what is left out."""

from typing import Any, cast

import pandas as pd
import pytest

from specmodel.dashboard.drift.answer import answer, steps
from specmodel.dashboard.drift.values import DriftLesson
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.parts.answer import Answer, Cards, Note, Notice, Said, Table, Text
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import translator
from specmodel.drift.boundary import failure_boundary
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.policies import choice, policies
from specmodel.drift.published import workload, workloads
from specmodel.drift.round_costs import round_costs
from specmodel.drift.run import DriftRun, simulate_drift
from specmodel.drift.workload_inputs import with_spread
from specmodel.model.scenario import Scenario

ENGLISH = translator("en")


def told(**query: str) -> Answer:
    return answer(read_link(query)[0], ENGLISH)


def questions(**query: str) -> dict[str, Question]:
    """The questions of the lesson by the keys of their steps."""
    made = steps(read_link(query)[0], ENGLISH)
    return {step.key: step.question for step in made if step.question}


def table(parts: Answer, name: str) -> Any:
    """A table as it is seen, a frame by its first column."""
    frame = pd.DataFrame(dict(cast(Table, parts[f"{name}_table"]).columns))
    return frame.set_index(frame.columns[0])


def text(parts: Answer, name: str) -> str:
    """The words of a part, without the escapes of Markdown."""
    part = parts[name]
    words = part.headline if isinstance(part, Said) else part.text if isinstance(part, Note) else ""
    return (part.markdown if isinstance(part, Text | Notice) else words).replace("\\", "")


def cards(parts: Answer) -> dict[str, tuple[str, str]]:
    return {card.label: (card.value, card.below) for card in cast(Cards, parts["numbers"]).cards}


def played(key: str, scenario: Scenario) -> DriftRun:
    names = [choice(each.key) for each in policies() if each.key != "fixed"]
    names.append(choice("fixed", num_speculative_tokens=scenario.num_speculative_tokens))
    phases = with_spread(workload(key), DriftLesson().spread)
    return simulate_drift(phases, round_costs(scenario, 16), names, LessonSeed().lesson_seed)


@pytest.mark.parametrize("key", [each.key for each in workloads()])
def test_every_workload_shows_its_phases_with_sources(key: str) -> None:
    parts, run = told(workload=key), played(key, Scenario())
    phases = table(parts, "phases")
    assert len(phases) == len(workload(key).phases)
    assert phases["measured with"].str.len().min() > 10
    for phase in workload(key).phases:
        assert phase.source.split("; ")[0] in text(parts, "phases_note")
    assert cards(parts)["Fixed length"][0] == f"{run.speedup('fixed'):.2f}×"
    assert cards(parts)["Oracle"][0] == f"{run.speedup('oracle'):.2f}×"
    assert "Simulated, seed 1" in text(parts, "verdict")


def test_the_tables_are_what_was_played() -> None:
    parts, run = told(), played("day", Scenario())
    total, labels = table(parts, "rules"), [each.label for each in policies()]
    assert list(total.index) == ["k = 5" if label == "Fixed length" else label for label in labels]
    assert total.loc["k = 5", "of the oracle's saving"] == f"{run.saved_share('fixed'):.0%}"
    assert total.loc["Threshold", "changes of k"] == f"{run.run('threshold').num_switches:,}"
    by_phase = table(parts, "by_phase")
    assert list(by_phase.loc["k = 5"]) == [f"{each.speedup:.2f}×" for each in run.by_phase("fixed")]


def test_files_hold_plain_numbers() -> None:
    parts, run = told(), played("day", Scenario())
    phases, rules, by_phase = (
        cast(Table, parts[f"{name}_table"]).data or {} for name in ("phases", "rules", "by_phase")
    )
    assert list(phases) == [
        *("label", "alpha", "change", "acceptance_shape", "temperature", "requests", "output_tokens", "persistence"),
        *("kind", "source"),
    ]
    assert phases["alpha"] == [phase.alpha for phase in workload("day").phases]
    assert list(rules) == [
        *("policy", "speedup", "saved_ms", "regret_ms", "num_rounds", "num_wasted_draft_tokens", "num_switches")
    ]
    assert list(rules["regret_ms"]) == [run.regret_ms(key)[-1] for key in rules["policy"]]
    assert len(by_phase["ms"]) == len(rules["policy"]) * len(phases["label"])


def test_where_a_rule_loses_is_marked_and_named() -> None:
    parts = told(workload="shift", draft="9")
    assert played("shift", Scenario(draft_ms=9)).losing_phases("fixed") == ("Role play",)
    by_phase = table(parts, "by_phase").loc["k = 5"]
    assert by_phase["2 · Role play"].startswith("▼") and not by_phase["1 · Code"].startswith("▼")
    assert "It loses time in: “Role play”." in text(parts, "verdict")
    assert "▼ k = 5 is slower than plain decoding in: “Role play”." in text(parts, "by_phase_note")
    assert "Slower than plain decoding: “Role play”." in text(parts, "boundary_text")
    assert "slower all the same" not in text(parts, "boundary_text")


def test_the_boundary_is_the_break_even_of_the_slider_s_k() -> None:
    parts = told(k="3")
    alpha = failure_boundary(round_costs(Scenario(num_speculative_tokens=3), 16), 3).alpha
    assert f"{alpha:.3f}" in text(parts, "boundary_text")
    assert "No phase is slower than plain decoding." in text(parts, "boundary_text")
    assert "speedup at k = 3" in table(parts, "boundary").columns


@pytest.mark.parametrize("spread", ["0", "0.1", "0.3"])
@pytest.mark.parametrize("draft", ["3", "4.5", "9"])
@pytest.mark.parametrize("workload", ["shift", "domains", "day"])
def test_a_phase_pays_exactly_above_the_acceptance_of_its_row(workload: str, draft: str, spread: str) -> None:
    for _label, row in table(told(workload=workload, draft=draft, spread=spread), "boundary").iterrows():
        alpha, needed = str(row["α"]), str(row["pays above α*"])
        assert (row["verdict"] == "pays") == (needed != "never" and float(alpha) > float(needed))


def test_a_phase_above_the_boundary_that_loses_is_explained() -> None:
    parts = told(workload="shift", draft="4.5", spread="0.3")
    row, words = table(parts, "boundary").loc["2 · Role play"], text(parts, "boundary_text")
    assert row["verdict"] == "▼ loses" and float(row["α"]) < float(row["pays above α*"])
    alpha = failure_boundary(round_costs(Scenario(draft_ms=4.5), 16), 5).alpha
    assert alpha is not None and alpha < float(row["α"])
    assert f"which takes an acceptance of **{alpha:.3f}** where all requests and positions are alike" in words
    assert "Above that acceptance and slower all the same: “Role play”." in words


def test_where_no_acceptance_is_enough_nothing_is_asked() -> None:
    query = {"draft": "500", "k": "1"}
    assert "it never pays here" in text(told(**query), "boundary_text")
    assert list(questions(**query)) == ["learning"]
    assert set(table(told(**query), "rules")["of the oracle's saving"]) == {"–"}


def test_off_at_the_slider_says_what_is_played_instead() -> None:
    parts = told(k="0")
    assert "the fixed length is 1 here" in text(parts, "fixed_note") and cards(parts)["Fixed length"][1] == "k = 1"
    assert "fixed_note" not in told()


def test_training_breaks_even_at_the_answer_of_its_question() -> None:
    share = questions()["learning"].answer
    assert table(told(), "learning").loc["k = 5", "training may take at most"] == f"{share:.0f}%"
    paid = table(told(drift_train_share=str(share / 100)), "learning")
    assert paid.loc["k = 5", "gain"] == "1.00×"


@pytest.mark.parametrize(
    ("k", "longer", "shorter"),
    [
        ("1", "", "“Code”, “Role play”"),
        ("5", "“Role play”", "“Code”"),
        ("9", "“Code”, “Role play”", ""),
    ],
)
def test_why_the_fixed_length_falls_behind_is_what_was_computed(k: str, longer: str, shorter: str) -> None:
    query = {"workload": "shift", "k": k}
    why = questions(**query)["rules"].why
    for word, phases in (("longer", longer), ("shorter", shorter)):
        assert (f"k = {k} is {word} than the best single length of: {phases}" in why) == bool(phases), word
    best = table(told(**query), "boundary")["best k"].replace("off", "0").astype(int)
    names = best.index.str.replace(r"^\d+ · ", "", regex=True)
    for phases, expected in ((longer, best < int(k)), (shorter, best > int(k))):
        assert {f"“{name}”" for name in names[expected]} == set(filter(None, phases.split(", ")))


def test_where_the_fixed_length_is_the_best_it_says_what_is_left() -> None:
    asked = questions(workload="own", phases="Chat_0.6_12_150", k="3")["rules"]
    assert "k = 3 is the best single length of every phase" in asked.why


@pytest.mark.parametrize(
    ("step", "query"),
    [
        ("rules", {"workload": "shift", "draft": "12", "k": "16"}),
        ("learning", {"workload": "day", "drift_gain": "1", "drift_learn": "1", "k": "16"}),
        ("learning", {"workload": "own", "phases": "Never_0_3_10", "drift_learn": "0"}),
    ],
)
def test_the_answer_lies_in_the_range_of_its_guess(step: str, query: dict[str, str]) -> None:
    asked = questions(**query)[step].with_answer_in_range()
    assert asked.low <= asked.answer <= asked.high
    assert not -100 <= asked.answer <= 100 or query.get("drift_learn") == "0"


def test_nothing_to_save_is_no_question() -> None:
    assert "rules" not in questions(workload="own", phases="Never_0.001_3_100", spread="0")


def test_rules_can_be_left_out() -> None:
    some = table(told(rules="fixed_goodput"), "rules")
    assert list(some.index) == ["Off", "k = 5", "Most tokens per time", "Oracle"]
    assert list(table(told(rules=""), "rules").index) == ["Off", "Oracle"]
    assert cards(told(rules=""))["Best rule shown"] == ("–", "")


@pytest.mark.parametrize(
    ("tuned", "said_of_it"),
    [
        ("junk:3", "junk"),
        ("drift_th_off:x", "Off below"),
        ("drift_th_off:0.9", "off_below = 0.9"),
        ("drift_th_off:0.5", "expected at most"),
        (":,:", "not known"),
    ],
)
def test_what_a_link_changes_wrongly_is_named_and_left_out(tuned: str, said_of_it: str) -> None:
    parts = told(tuned=tuned)
    assert said_of_it in text(parts, "numbers_left_out")
    assert table(parts, "rules").equals(table(told(), "rules"))


def test_numbers_of_a_rule_that_need_each_other_come_together() -> None:
    parts = told(tuned="drift_th_off:0.5,drift_th_on:0.6")
    assert "numbers_left_out" not in parts
    assert not table(parts, "rules").equals(table(told(), "rules"))


def test_a_change_of_k_costs_the_rules_that_change_it() -> None:
    free, paid = (table(told(switch=ms), "rules")["saved"].str.removesuffix(" s").astype(float) for ms in ("0", "20"))
    assert paid["Two more, or one less"] < free["Two more, or one less"] and paid["k = 5"] == free["k = 5"]


def test_another_seed_is_another_run() -> None:
    one, two = (table(told(lesson_seed=seed), "rules") for seed in ("1", "2"))
    assert not one.equals(two)


GROUPS = Workload("groups", "Your groups", (Phase("a", alpha=0.8, kind="measured"), Phase("b", alpha=0.3)), "")


def test_groups_are_played_and_where_there_are_none_it_says_so() -> None:
    parts = answer(read_link({"workload": "groups"})[0], ENGLISH, GROUPS)
    assert list(table(parts, "phases").index) == ["1 · a", "2 · b"] and "no_groups" not in parts
    without = told(workload="groups")
    assert "holds no groups" in text(without, "no_groups") and table(without, "rules").equals(table(told(), "rules"))


def test_own_phases_that_the_link_lacks_are_those_of_the_workload_before() -> None:
    for groups, before in ((None, "shift"), (GROUPS, "groups")):
        own = answer(read_link({"workload": "own"})[0], ENGLISH, groups, before)
        same = answer(read_link({"workload": before})[0], ENGLISH, groups)
        assert table(own, "rules").equals(table(same, "rules"))


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
def test_a_bad_part_of_a_link_is_left_out_and_named(part: str, said_of_it: str) -> None:
    parts = told(workload="own", phases=f"Code_0.8_3_100,{part},Play_0.4_3_100")
    assert any(each in text(parts, "phases_left_out") for each in said_of_it.split("|"))
    assert list(table(parts, "phases").index) == ["1 · Code", "2 · Play"]


@pytest.mark.parametrize("phases", ["junk", ",,", "a_b_c_d_e"])
def test_a_link_without_a_usable_phase_shows_those_of_a_published_workload(phases: str) -> None:
    parts = told(workload="own", phases=phases)
    assert "no phase that can be used: those of A day of an assistant" in text(parts, "phases_left_out")
    assert table(parts, "rules").equals(table(told(), "rules"))


def test_phases_of_one_name_are_told_apart() -> None:
    parts = told(workload="own", phases="Chat_0.8_3_100,Chat_0.4_3_100,Chat_0.8_3_100")
    assert list(table(parts, "phases").index) == ["1 · Chat", "2 · Chat (2)", "3 · Chat"]


@pytest.mark.parametrize("alpha", [0.3, 0.6, 0.85])
@pytest.mark.parametrize("draft_ms", [1.0, 3.0])
def test_a_single_stationary_phase_settles_at_the_best_fixed_length(alpha: float, draft_ms: float) -> None:
    query = {"workload": "own", "phases": f"Chat_{alpha}_50_1000", "spread": "0", "draft": f"{draft_ms:g}"}
    parts = told(**query)
    assert f"Mean acceptance is {alpha:.2f} throughout." in text(parts, "verdict")
    best = table(parts, "boundary").loc["1 · Chat", "best k"]
    assert f"The phases do not differ: the best single length is k = {best}" in text(parts, "rules_note")
    saved = [
        float(table(told(**{"k": k, **query}), "rules").loc[rule, "saved"].removesuffix(" s").replace(",", ""))
        for k, rule in ((best, f"k = {best}"), ("5", "Most tokens per time"))
    ]
    times = [50_000 * Scenario().target_ms / 1000 - each for each in saved]
    assert times[1] == pytest.approx(times[0], rel=0.01)


def test_where_no_length_pays_it_says_so() -> None:
    parts = told(workload="own", phases="Chat_0.05_12_150", spread="0", draft="9")
    assert "no single length beats plain decoding here in the long run" in text(parts, "rules_note")
    assert table(parts, "boundary").loc["1 · Chat", "best k"] == "off"


def test_temperature_changes_chat_not_at_all() -> None:
    parts = told(workload="temperature")
    assert list(table(parts, "phases")["α"]) == ["0.80", "0.68", "0.73", "0.55", "0.71", "0.71"]
    assert "The same models" not in text(parts, "verdict")  # T5 and LaMDA


def test_the_limits_say_where_acceptance_changes() -> None:
    assert any("inside an answer it does so only where the draft learns" in limit for limit in told().leaves_out)


def test_facts_are_what_was_played() -> None:
    facts = {name: value for _label, value, name in told(workload="shift", draft="9", spread="0.25").facts or ()}
    assert (facts["workload"], facts["draft_ms"], facts["spread"]) == ("A sudden shift", "9.00 ms", "0.25")
    assert facts["lesson_seed"] == "1" and "alpha" not in facts


@pytest.mark.parametrize(
    "phases",
    [
        "A_0_1_1",
        "A_1_1_1",
        "A_0.5_1_1",
        "A_0~1_1_1",
        "A_1~0_2_1,B_1_1_1",
        "A_0.2~0.9_10000_5",
        pytest.param("A_1_10000_5", marks=pytest.mark.deep),
    ],
)
def test_the_smallest_and_the_largest_workloads_are_shown(phases: str) -> None:
    for spread, switch in (("0.1", "0"), ("0.4", "10")):
        query = {"workload": "own", "phases": phases, "spread": spread, "switch": switch}
        assert not {"no_groups", "phases_left_out", "numbers_left_out", "fixed_note"} & set(told(**query))
        assert "learning" in questions(**query)
