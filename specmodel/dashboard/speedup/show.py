"""The switch of the main figure between speedup and time ratio, an option of the link."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.session.translation import Translator

SHOW = {"speedup": N_("Speedup"), "time_ratio": N_("Time ratio")}


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
