"""The controls of what is known of an engine: the fixed cost of a round, a measured plain step, a measured round."""

import streamlit as st

from specmodel.dashboard.engine.current import current_run
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.number_boxes import number_fields
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.passes.taken_over import measured_of
from specmodel.dashboard.session import state
from specmodel.serving.calibrate import Measured
from specmodel.serving.fixed_cost import FIXED_CHOICES
from specmodel.serving.load import Drafter


def calibration(page: Page) -> None:
    """A popover with the fixed cost of a round, what was measured, and the run of the engine page to take over."""
    _ = page.translate
    with st.popover(_("Calibrate"), key="calibrate", on_change="rerun") as opened:
        if not wanted(opened):
            return
        names = {key: _(choice.label) for key, choice in FIXED_CHOICES.items()}
        label = _("Fixed cost of a round, from")
        select(page, "fixedfrom", label, list(names), lambda key: names[key], on_change=_take_fixed)
        number_fields(Measured, _)
        with st.container(horizontal=True):
            st.button(_("Take over the run of Your engine"), key="use_run_costs", on_click=_take_run)
            if page.chosen.group(Measured) != Measured():
                st.button(_("Not calibrated"), key="forget_measured", on_click=state.set_group, args=(Measured(),))
        for line in st.session_state.pop("taken_over", ()):
            st.caption(line)


def _take_fixed() -> None:
    choice = FIXED_CHOICES[state.option("fixedfrom")]
    state.change(Drafter, fixed_cost=choice.value.few)


def _take_run() -> None:
    """What the run of the engine page tells of a plain step and of a round; what it lacks stays, and is said."""
    taken = measured_of(current_run(), state.group(Measured))
    _ = state.translate()
    state.set_group(taken.measured)
    st.session_state["taken_over"] = [_.message(line) for line in taken.said]
