"""The Methods page through AppTest: the comparison, one method's numbers, its tree, what it refuses."""

import re
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from specmodel.base.params import declarations
from specmodel.methods import Task, find, methods
from specmodel.serving.hardware import accelerators
from specmodel.serving.load import Drafter
from tests.dashboard.conftest import Opener, below, go_to, numbers, said, warned

KEYS = [each.key for each in methods()]


def table(app: AppTest) -> pd.DataFrame:
    """The comparison as it is shown, by the name of the method (without its star)."""
    frame = app.dataframe[0].value.astype({"method": str})
    return frame.set_index(frame["method"].str.removesuffix(" *"))


def row(app: AppTest, key: str) -> Any:
    return table(app).loc[find(key).label]


def tree_tokens(app: AppTest) -> float:
    found = re.search(r"emits \*\*([\d.]+)\*\* tokens a round", said(app))
    assert found
    return float(found[1])


def only(app: AppTest, *filters: str) -> AppTest:
    app.button_group(key="only_pills").set_value(list(filters)).run()
    assert not app.exception
    return app


# The comparison


def test_every_way_of_drafting_is_compared(opened: Opener) -> None:
    app = opened("methods")
    assert set(table(app).index) == {each.label for each in methods()} and len(table(app)) == 13
    assert (table(app)["tokens per round"] >= 1).all() and (table(app)["cost of a round"] >= 1).all()
    speedup = table(app)["tokens per round"] / table(app)["cost of a round"]
    assert speedup.to_numpy() == pytest.approx(table(app)["speedup here"].to_numpy(), rel=0.01)


def test_the_answer_and_the_cards_are_those_of_the_table(opened: Opener) -> None:
    app = opened("methods", batch="64")
    shown = table(app)
    best, alone = shown["speedup here"].idxmax(), shown["one request"].idxmax()
    nothing = shown[shown["to train"] == "nothing"]["speedup here"]
    assert f"At batch 64 **{best}** is the fastest: {shown['speedup here'].max():.2f}×" in app.info[0].value
    wanted = {
        "Fastest at this batch": (best, shown["speedup here"].max()),
        "Fastest for one request": (alone, shown["one request"].max()),
        "Fastest without training": (nothing.idxmax(), nothing.max()),
    }
    for card, (name, speedup) in wanted.items():
        assert (below(app)[card], numbers(app)[card]) == (name, f"{speedup:.2f}×")
    assert numbers(app)["Methods that pay here"] == str((shown["speedup here"] > 1).sum())


def test_where_nothing_pays_it_says_so(opened: Opener) -> None:
    app = opened("methods", cost="fit", fit_base="0", fit_token="1", fit_cached="0", fit_step="0")
    assert "At batch 8 no way of drafting pays" in app.info[0].value
    assert numbers(app)["Methods that pay here"] in ("0", "1")


def test_a_tree_pays_for_its_nodes_under_load(opened: Opener) -> None:
    one, loaded = (row(opened("methods", batch=batch), "eagle3") for batch in ("1", "256"))
    assert one["speedup here"] == one["one request"] == loaded["one request"] > 2
    assert loaded["speedup here"] < 1 < loaded["cost of a round"]


@pytest.mark.parametrize(
    ("chosen", "column", "rising"),
    [
        ("load", "speedup here", False),
        ("one", "one request", False),
        ("tau", "tokens per round", False),
        ("waste", "wasted per token", True),
    ],
)
def test_sorting(opened: Opener, links: list[dict[str, str]], chosen: str, column: str, rising: bool) -> None:
    app = opened("methods", batch="32")
    app.selectbox(key="sort").set_value(chosen).run()
    found = table(app)[column]
    assert found.is_monotonic_increasing if rising else found.is_monotonic_decreasing
    assert links[-1].get("sort", "load") == chosen


def test_sorting_by_kind_is_the_order_of_the_list(opened: Opener) -> None:
    app = opened("methods", sort="order")
    assert list(table(app).index) == [each.label for each in methods()]


def test_filters_add_up_and_are_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = only(opened("methods"), "untrained")
    assert set(table(app)["to train"]) == {"nothing"}
    assert below(app)["Methods that pay here"] == f"of {len(table(app))} shown"
    only(app, "untrained", "lossless")
    assert set(table(app)["to train"]) == {"nothing"} and set(table(app)["the target's output"]) == {"yes"}
    few = set(table(app).index)
    assert few == set(table(opened("methods", **links[-1])).index)
    only(app, "untrained", "lossless", "matching")
    assert set(table(app).index) < few and not app.dataframe[0].value["method"].str.endswith("*").any()
    only(app)
    assert len(table(app)) == 13 and "only" not in links[-1]


def test_a_filter_that_the_page_does_not_know_is_named(opened: Opener) -> None:
    assert "junk" in warned(opened("methods", only="junk"))


def test_filters_that_nothing_passes_say_so(opened: Opener) -> None:
    app = opened("methods", kind="agentic", sampling="1", only="lossless_untrained_matching")
    assert table(app).empty
    assert "No way of drafting passes these filters." in app.info[0].value
    assert numbers(app)["Fastest at this batch"] == "–" and numbers(app)["Methods that pay here"] == "0"


# The workload


def test_the_kind_of_prompt_changes_the_figures(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods")
    chat = table(app)["tokens per round"].to_dict()
    app.selectbox(key="kind").set_value("code").run()
    code = table(app)["tokens per round"].to_dict()
    assert code != chat and code["EAGLE-3"] > chat["EAGLE-3"]
    assert links[-1]["kind"] == "code"
    assert round(find("eagle3").choose(Task("code", 0)).proposal.tau, 2) == code["EAGLE-3"]


def test_the_temperature_changes_the_figures(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods")
    greedy = row(app, "eagle")["tokens per round"]
    app.button_group(key="sampling").set_value("1").run()
    assert row(app, "eagle")["tokens per round"] < greedy and links[-1]["sampling"] == "1"


def test_figures_of_other_work_have_a_star_and_say_so(opened: Opener) -> None:
    app = opened("methods", look="parallel")
    assert row(app, "parallel")["method"].endswith(" *") and not row(app, "eagle3")["method"].endswith("*")
    assert "Nothing was published for exactly this work: this is the nearest." in said(app)
    app.selectbox(key="look").set_value("eagle3").run()
    assert "Nothing was published for exactly this work" not in said(app)


def test_the_load_and_the_machine_change_the_figures(opened: Opener) -> None:
    app = opened("methods")
    before = table(app)["speedup here"].to_dict()
    app.selectbox(key="methods:gpu").set_value("l4").run()
    assert app.session_state["group:Accelerator"] == accelerators()["l4"].values
    assert table(app)["speedup here"].to_dict() != before
    assert table(opened("methods", batch="128"))["speedup here"].to_dict() != before
    assert table(opened("methods", cost="points", batch="128"))["speedup here"].to_dict() != before


def test_a_drafter_costs_memory_where_it_is_known(opened: Opener) -> None:
    app = opened("methods")
    assert int(row(app, "eagle3")["requests lost to it"]) > 0 and row(app, "ngram")["requests lost to it"] == "0"
    assert row(app, "parallel")["requests lost to it"] == "–"
    assert set(table(opened("methods", cost="points"))["requests lost to it"]) == {"–"}


# One method


@pytest.mark.parametrize("key", KEYS)
def test_every_method_has_its_paragraphs_and_its_source(opened: Opener, key: str) -> None:
    app, method = opened("methods", look=key), find(key)
    for text in (method.wins, method.loses, method.needs, method.lossless_note, method.citation):
        assert text.replace("\\", "") in said(app)
    boxes = {each.key for each in app.number_input if (each.key or "").startswith("method:")}
    wanted = set() if key == "measured" else {f"method:{key}.{name}" for name in declarations(method.params)}
    assert boxes == wanted


def test_a_changed_number_goes_into_table_and_link_and_back(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods", look="ngram")
    before = row(app, "ngram")["speedup here"]
    app.number_input(key="method:ngram.found_share").set_value(0.9).run()
    assert row(app, "ngram")["speedup here"] > before
    assert "Changed by you: Rounds with a match." in said(app)
    assert links[-1]["ngram_found"] == "0.9"
    again = opened("methods", **links[-1])
    assert table(again).equals(table(app)) and not again.warning
    assert again.number_input(key="method:ngram.found_share").value == 0.9
    again.button(key="reset_method").click().run()
    assert row(again, "ngram")["speedup here"] == before and "ngram_found" not in links[-1]
    assert not [each for each in again.button if each.key == "reset_method"]


def test_a_change_stays_with_its_method(opened: Opener) -> None:
    app = opened("methods", look="ngram", ngram_found="0.9")
    app.selectbox(key="look").set_value("suffix").run()
    assert not [each for each in app.button if each.key == "reset_method"]
    app.selectbox(key="look").set_value("ngram").run()
    assert app.number_input(key="method:ngram.found_share").value == 0.9
    app.selectbox(key="kind").set_value("code").run()
    assert app.number_input(key="method:ngram.found_share").value == 0.9, "what the reader knows stays"


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"look": "telepathy"}, "look = telepathy is none of draft_model, ngram"),
        ({"kind": "poetry"}, "kind = poetry is none of chat, code"),
        ({"sampling": "2"}, "sampling = 2 is none of 0, 1"),
        ({"sort": "name"}, "sort = name is none of load, one, tau, waste, order"),
        ({"nodes": "1"}, "nodes = 1 is none of 2–128"),
        ({"levels": "99"}, "levels = 99 is none of 2–16"),
        ({"ngram_found": "2"}, "found_share = '2' is outside 0 to 1 (Rounds with a match)"),
        ({"eagle3_nodes": "many"}, "num_draft_tokens = 'many' is not a whole number"),
        ({"medusa_c": "nan"}, "draft_cost_ratio = 'nan' is outside"),
    ],
    ids=str,
)
def test_a_broken_link_opens_with_the_default_and_says_so(
    opened: Opener, query: dict[str, str], complaint: str
) -> None:
    app = opened("methods", **query)
    assert complaint in warned(app)
    app.button(key="dismiss").click().run()
    assert not app.warning and not app.exception


def test_a_broken_number_of_a_method_is_opened_with_the_published_one(opened: Opener) -> None:
    app = opened("methods", look="ngram", ngram_found="2")
    shown = app.number_input(key="method:ngram.found_share").value
    assert f"The link was opened with {shown:g} instead" in warned(app)


def test_what_a_method_refuses_changes_nothing(opened: Opener) -> None:
    app = opened("methods", look="suffix")
    before = table(app)
    for name, value in (("draft_acceptance_rate", 1.5), ("num_draft_tokens", -1.0)):
        app.number_input(key=f"method:suffix.{name}").set_value(value).run()
        assert name in warned(app) and table(app).equals(before)
        app.button(key="dismiss").click().run()
    assert not app.warning


@pytest.mark.parametrize("key", [key for key in KEYS if key != "measured"])
def test_a_method_is_taken_to_explore(opened: Opener, key: str) -> None:
    """Explore shows one request, where checking is free: what a round of it gives, and what its drafting costs."""
    app = opened("methods", look=key, batch="1")
    tau, alone = (float(row(app, key)[name]) for name in ("tokens per round", "one request"))
    choice = find(key).choose(Task())
    app.button(key="take_method").click().run()
    assert not app.exception and app.header[0].value == "When does speculation pay?"
    scenario = app.session_state["scenario"]
    assert scenario.num_speculative_tokens == choice.proposal.acceptance.num_speculative_tokens
    k, ratio = scenario.num_speculative_tokens, scenario.draft_ms / scenario.target_ms
    assert float(numbers(app)["Speedup"][:-1]) == pytest.approx(tau / (1 + k * ratio), rel=0.02)
    assert float(numbers(app)["Speedup"][:-1]) >= alone - 0.011
    drafter = app.session_state[f"group:{Drafter.__name__}"]
    assert drafter.weights_billions == (choice.weights_billions or 0)
    go_to(app, "methods")
    assert row(app, "measured")["tokens per round"] == pytest.approx(tau, abs=0.011)


def test_a_method_that_is_taken_brings_its_memory(opened: Opener) -> None:
    app = opened("methods", look="eagle3")
    lost = row(app, "eagle3")["requests lost to it"]
    app.button(key="take_method").click().run()
    go_to(app, "serving")
    assert f"The drafter takes the room of {lost} requests of this context." in said(app)


def test_the_measured_one_is_that_of_the_sliders(opened: Opener) -> None:
    app = opened("methods", look="measured", alpha="0.8", k="3", draft="2.2")
    assert row(app, "measured")["tokens per round"] == round(1 + 0.8 + 0.64 + 0.512, 2)
    assert "Its numbers are those of the sliders on the Explore pages" in said(app)
    assert not [each for each in app.button if each.key == "take_method"]


# The tree


@pytest.mark.parametrize(
    ("nodes", "levels", "tokens"), [(8, 3, 2.374), (16, 4, 2.865), (32, 9, 3.501), (32, 12, 3.501)]
)
def test_the_best_trees_of_sequoia(
    opened: Opener, links: list[dict[str, str]], nodes: int, levels: int, tokens: float
) -> None:
    """Sequoia (arXiv 2402.12374): its demonstration vector, for a method that has no tree of its own."""
    app = opened("methods", look="ngram")
    assert "Sequoia's published vector (arXiv 2402.12374)" in said(app)
    app.number_input(key="nodes").set_value(nodes).run()
    app.number_input(key="levels").set_value(levels).run()
    assert tree_tokens(app) == tokens
    again = opened("methods", **links[-1])
    assert tree_tokens(again) == tokens and not again.warning


def test_a_method_with_a_tree_draws_its_own(opened: Opener) -> None:
    app = opened("methods", look="eagle", nodes="16", levels="4")
    assert "Candidates of: EAGLE." in said(app) and tree_tokens(app) > 2.865
    before = tree_tokens(app)
    app.number_input(key="method:eagle.first_acceptance").set_value(0.3).run()
    assert tree_tokens(app) < before


@pytest.mark.parametrize(("nodes", "levels"), [(2, 2), (2, 16), (128, 2), (128, 16)])
def test_the_smallest_and_the_largest_trees_draw(opened: Opener, nodes: int, levels: int) -> None:
    for key in ("ngram", "eagle3", "medusa"):
        assert tree_tokens(opened("methods", look=key, nodes=str(nodes), levels=str(levels))) > 1
