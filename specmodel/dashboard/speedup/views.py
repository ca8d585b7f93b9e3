"""Controls of single pages: what a figure shows. Each is an option of the link, under its own key."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator

SHOW = {"speedup": N_("Speedup"), "time_ratio": N_("Time ratio")}


def as_time_ratio() -> bool:
    """Whether the reader wants the time ratio (below 1 is faster) instead of the speedup (above 1 is faster)."""
    return bool(state.option("show") == "time_ratio")


def speedup_or_time_ratio(translate: Translator) -> None:
    """The switch between the two."""
    st.segmented_control(
        translate("Show"),
        list(SHOW),
        format_func=lambda value: translate(SHOW[value]),
        key="show",
        label_visibility="collapsed",
        required=True,
        persist_state="session",
    )
