"""The boxes of the Capacity page: how the traffic goes over the day."""

import streamlit as st

from specmodel.dashboard.capacity.day import DAYS, OWN
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select, text
from specmodel.dashboard.session import state


def choose_day(page: Page) -> None:
    """A shape, or 24 numbers."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        select(page, "day", _("Traffic over the day"), list(DAYS), lambda key: _(DAYS[key]), width=280)
        if state.option("day") == OWN:
            text(page, "daycurve", _("Requests of each hour"), width=560, placeholder="120, 80, 60, 55, …",
                 help=_("24 numbers from midnight on, in any unit: the largest is the peak."))  # fmt: skip
    page.chosen = state.chosen()
