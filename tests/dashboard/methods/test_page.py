"""The Methods page through AppTest: its controls, its links, one method's numbers, and the way to the other pages."""

from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from specmodel.base.params import declarations
from specmodel.methods import find, methods
from specmodel.serving.hardware import accelerators
from specmodel.serving.load import Drafter
from specmodel.serving.reached import as_reached
from specmodel.serving.target_model import TargetModel
from tests.dashboard.conftest import Opener, below, go_to, said, warned


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
    assert len(table(app)) == len(methods()) and "only" not in links[-1]


def test_the_workload_and_the_machine_are_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods")
    tables = [table(app)]
    app.selectbox(key="kind").set_value("code").run()
    tables.append(table(app))
    app.button_group(key="sampling").set_value("1").run()
    tables.append(table(app))
    app.selectbox(key="methods:gpu").set_value("l4").run()
    assert app.session_state["group:Accelerator"] == as_reached(accelerators()["l4"].values, TargetModel())
    assert {"kind": "code", "sampling": "1", "gpu": "l4"}.items() <= links[-1].items()
    assert all(not table(app).equals(before) for before in tables) and not tables[1].equals(tables[2])


def test_a_method_has_a_box_for_each_of_its_numbers(opened: Opener) -> None:
    app = opened("methods")
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


def test_a_method_that_is_taken_brings_its_numbers_and_its_memory(opened: Opener) -> None:
    app = opened("methods", look="eagle3")
    lost, tau = (row(app, "eagle3")[name] for name in ("requests lost to it", "tokens per round"))
    app.button(key="take_method").click().run()
    assert not app.exception and app.header[0].value == "When does speculation pay?"
    assert app.session_state[f"group:{Drafter.__name__}"].weights_billions > 0
    go_to(app, "methods")
    assert abs(row(app, "measured")["tokens per round"] - tau) < 0.011
    go_to(app, "serving")
    assert f"The drafter takes the room of {lost} requests of this context." in said(app)


def test_the_size_of_the_tree_is_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("methods", look="ngram")
    app.number_input(key="nodes").set_value(32).run()
    app.number_input(key="levels").set_value(9).run()
    assert "The best tree of 32 nodes in 9 levels emits **3.501** tokens" in said(app)
    assert {"nodes": "32", "levels": "9"}.items() <= links[-1].items()
