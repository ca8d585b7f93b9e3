"""Stepping through a text: forward, back, a round, to its end. The position is an option of the link."""

from typing import Literal

import streamlit as st

from specmodel.dashboard.lesson.lesson import PAGES
from specmodel.dashboard.live_text.answer import num_events
from specmodel.dashboard.live_text.declared import TEXT_END
from specmodel.dashboard.live_text.html import end_of_round
from specmodel.dashboard.live_text.run import TextRun
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state


def draw_buttons(page: Page, run: TextRun) -> None:
    """The buttons of the player, and whether drafts that were thrown away are to be seen."""
    _, last, now = page.translate, len(run.trace.events), num_events(page.chosen, run)
    moves = (
        ("text_start", _("Start"), 0),
        ("text_back", _("◀ Back"), now - 1),
        ("text_forward", _("Forward ▶"), now + 1),
        ("text_round", _("Next round"), end_of_round(run.trace, now)),
        ("text_end", _("To the end"), last),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        for key, label, to in moves:
            look: Literal["primary", "secondary"] = "primary" if key == "text_forward" else "secondary"
            nowhere = now == (0 if to < now or key == "text_start" else last)
            st.button(label, key=key, type=look, on_click=_go, args=(to, last), disabled=nowhere)
        st.session_state["text_waste"] = state.option("textwaste") == "1"
        st.toggle(
            _("Show thrown-away drafts"),
            key="text_waste",
            on_change=lambda: state.set_option("textwaste", "1" if st.session_state["text_waste"] else "0"),
        )


def _go(position: int, last: int) -> None:
    """Show so many events; the end stays the end when the text changes."""
    place = max(0, position)
    state.set_option("textat", TEXT_END if place >= last else place)


def draw_take(page: Page, run: TextRun) -> None:
    """The way to the Explore pages, with the measured acceptance."""
    if st.button(page.translate("Take this acceptance to the Explore pages"), key="take_text"):
        state.start_from_measured(run.as_scenario(page.scenario))
        st.switch_page(str(PAGES / "speedup.py"))
