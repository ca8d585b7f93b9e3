"""The Methods page through AppTest: its controls, its links, one method's numbers, and the way to the other pages."""

from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from specmodel.base.params import declarations
from specmodel.methods import find, methods
from specmodel.serving.hardware import accelerators
from tests.dashboard.conftest import Opener, below, go_to, numbers, said, warned


def table(app: AppTest) -> pd.DataFrame:
    """The comparison as it is shown, by the name of the method (without its star)."""
    frame = app.dataframe[0].value.astype({"method": str})
    return frame.set_index(frame["method"].str.removesuffix(" *"))


def row(app: AppTest, key: str) -> Any:
    return table(app).loc[find(key).label]


def boxes(app: AppTest) -> set[str]:
    return {str(box.key) for box in app.number_input if str(box.key).startswith("method:")}


def test_the_order_and_the_filters_are_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods", batch="32")
    app.selectbox(key="sort").set_value("waste").run()
    assert table(app)["wasted per token"].is_monotonic_increasing and links[-1]["sort"] == "waste"
    app.button_group(key="only_pills").set_value(["untrained", "lossless"]).run()
    assert set(table(app)["to train"]) == {"nothing"} and links[-1]["only"] == "lossless_untrained"
    assert below(app)["Methods that pay here"] == f"of {len(table(app))} shown"
    assert table(opened("methods", **links[-1])).equals(table(app))
    app.button_group(key="only_pills").set_value([]).run()
    assert len(table(app)) == len(methods()) - 1 and "only" not in links[-1]


def test_the_workload_and_the_machine_are_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods")
    tables = [table(app)]
    app.selectbox(key="kind").set_value("code").run()
    tables.append(table(app))
    app.button_group(key="sampling").set_value("1").run()
    tables.append(table(app))
    app.selectbox(key="methods:gpu").set_value("l4").run()
    chosen = app.session_state["group:Accelerator"]
    assert chosen.bandwidth_gb_s == accelerators()["l4"].values.bandwidth_gb_s
    assert {"kind": "code", "sampling": "1", "gpu": "l4"}.items() <= links[-1].items()
    assert all(not table(app).equals(before) for before in tables) and not tables[1].equals(tables[2])


def test_a_method_has_a_box_for_each_of_its_numbers(opened: Opener) -> None:
    app = opened("methods", mine="alpha:0.8,k:3")
    for method in methods():
        app.selectbox(key="look").set_value(method.key).run()
        own = {f"method:{method.key}.{name}" for name in declarations(method.params)}
        assert boxes(app) == (set() if method.key == "measured" else own) and not app.exception
        assert bool([button for button in app.button if button.key == "take_method"]) == (method.key != "measured")


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
    again.selectbox(key="look").set_value("suffix").run()
    assert not [button for button in again.button if button.key == "reset_method"], "a change stays with its method"
    again.selectbox(key="look").set_value("ngram").run()
    again.selectbox(key="kind").set_value("code").run()
    assert again.number_input(key="method:ngram.found_share").value == 0.9, "what the visitor knows stays"
    again.selectbox(key="kind").set_value("chat").run()
    again.button(key="reset_method").click().run()
    assert row(again, "ngram")["speedup here"] == before and "ngram_found" not in links[-1]
    assert not [button for button in again.button if button.key == "reset_method"]


def test_what_a_method_refuses_changes_nothing(opened: Opener) -> None:
    app = opened("methods", look="suffix")
    before = table(app)
    for name, value in (("draft_acceptance_rate", 1.5), ("num_draft_tokens", -1.0)):
        app.number_input(key=f"method:suffix.{name}").set_value(value).run()
        assert name in warned(app) and table(app).equals(before)
        app.button(key="dismiss").click().run()
    assert not app.warning


def test_a_tree_that_is_taken_stays_a_tree_under_load(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods", look="eagle3", kind="code", eagle3_nodes="40", rps="3")
    lost, here, tau = (row(app, "eagle3")[name] for name in ("requests lost to it", "speedup here", "tokens per round"))
    app.button(key="take_to_serving").click().run()
    assert not app.exception and app.header[0].value == "Where does batching eat the gain?"
    assert numbers(app)["Speedup here"] == f"{here:.2f}×" and below(app)["Speedup here"].endswith(
        "EAGLE-3, a tree of 40"
    )
    assert "a tree of 40 drafts in 8 levels, 41 tokens checked" in said(app) and f"{tau:.2f} emitted" in said(app)
    assert lost == "–" or f"The drafter takes the room of {lost} requests of this context." in said(app)
    wanted = {"way": "eagle3", "kind": "code", "eagle3_nodes": "40", "load_by": "batch"}
    assert wanted.items() <= links[-1].items()
    assert numbers(opened("serving", **links[-1])) == numbers(app)


def test_a_tree_that_is_taken_to_a_page_without_trees_says_what_is_lost(opened: Opener) -> None:
    app = opened("methods", look="eagle3")
    tau = row(app, "eagle3")["tokens per round"]
    app.button(key="take_method").click().run()
    assert not app.exception and app.header[0].value == "When does speculation pay?"
    scenario = app.session_state["scenario"]
    assert (scenario.alpha, scenario.num_speculative_tokens, scenario.acceptance_shape) == (0.79, 8, ())
    for name in ("speedup", "draft_length", "one_round", "vocabulary"):
        go_to(app, name)
        assert (
            "The sliders hold EAGLE-3 as a chain, because this page holds no tree: of its 60 drafts the likeliest 8"
            in said(app)
        ), name
        assert f"the method's own chance (0.79). They give 4.19 tokens a round instead of {tau:.2f}" in said(app)
    assert "as measured" not in said(app)
    go_to(app, "methods")
    assert "Your measured one" not in table(app).index
    assert row(app, "eagle3")["tokens per round"] == tau
    go_to(app, "serving")
    assert "a tree of 60 drafts in 8 levels" in said(app)
    app.selectbox(key="serving:way").set_value("").run()
    assert below(app)["Speedup here"].endswith("k = 8") and "a tree of" not in said(app)


def test_a_chain_that_is_taken_says_only_whose_it_is_and_changed_sliders_are_told(opened: Opener) -> None:
    app = opened("methods", look="mtp")
    app.button(key="take_method").click().run()
    assert "The sliders hold Multi-token prediction (MTP)." in said(app) and "holds no tree" not in said(app)
    app.session_state["scenario"] = app.session_state["scenario"].replace(alpha=0.123)
    go_to(app, "speedup")
    assert "was taken along and leads the Serving load page; the sliders here say something else." in said(app)
    app.button(key="preset:article").click().run()
    assert "MTP" not in said(app), "an example is another drafter"


def test_as_measured_is_said_of_measurements_only(opened: Opener, links: list[dict[str, str]]) -> None:
    assert "as measured" not in said(opened(shape="0.9_0.8")) and "α by position: × 1, 0.9, 0.8" in said(
        opened(shape="0.9_0.8")
    )
    app = opened("methods", look="block", block_later="0.5")
    app.button(key="take_method").click().run()
    assert "α by position of Block drafter (DFlash, DSpark)" in said(app)
    kept = {"alpha": "0.7", "shape": "0.9_0.8", "mine": "alpha:0.7,shape:0.9_0.8"}
    assert "α by position, as measured: × 1, 0.9, 0.8" in said(opened(**kept))
    assert "as measured" not in said(opened(**{**kept, "alpha": "0.6"})), "somebody moved it"
    measured = opened(run="pair")
    measured.button(key="use_run").click().run()
    assert links[-1]["mine"].startswith("alpha:0.63") and links[-1]["dratio"]
    go_to(measured, "methods")
    assert "Your measured one" in table(measured).index
    measured.button(key="take_method").click().run()  # EAGLE-3 is looked at
    assert "as measured" not in said(measured)
    go_to(measured, "methods")
    assert "Your measured one" in table(measured).index, "what was measured stays"


def test_the_size_of_the_tree_is_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods", look="ngram")
    app.number_input(key="nodes").set_value(32).run()
    app.number_input(key="levels").set_value(9).run()
    assert "The best tree of 32 nodes in 9 levels emits **3.501** tokens" in said(app)
    assert {"nodes": "32", "levels": "9"}.items() <= links[-1].items()
