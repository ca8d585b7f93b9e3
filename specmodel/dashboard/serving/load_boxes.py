"""The boxes of the Serving load page that choose the load and what drafts: a rate or a batch, a way or the sliders."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.dashboard.session.way import CONFIGURED_AS, MEASURED, choice_of, measured_scenario
from specmodel.methods import methods

LOADS = {"rate": N_("by request rate"), "batch": N_("batch by hand")}


def choose_load(page: Page) -> None:
    """What decides how many requests run together, and what drafts: one control for each."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = f"{page.key}:load_by"
        st.session_state[name] = state.option("load_by")
        st.segmented_control(
            _("The load"),
            list(LOADS),
            format_func=lambda key: _(LOADS[key]),
            key=name,
            required=True,
            help=_(
                "By request rate: as many requests run as the rate leads to, with speculation and without. "
                "Batch by hand: so many run, whatever the rate."
            ),
            on_change=lambda: state.set_option("load_by", st.session_state[name]),
        )
        offered = ["", *(each.key for each in methods())]
        if measured_scenario(page.chosen) is None:
            offered.remove(MEASURED)
        label = {key: _(choice_of(key, page.chosen).method.label) for key in offered if key}
        label[""] = _("What the sliders say")
        select(page, "way", _("Way of drafting"), offered, lambda key: label[key], width=330, on_change=_configure_it)


def _configure_it() -> None:
    """The configuration to paste is that of the way of drafting, where engines have it."""
    way = str(state.option("way"))
    if way and way != MEASURED:
        state.set_option("method", CONFIGURED_AS.get(way, way))
