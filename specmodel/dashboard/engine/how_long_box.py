"""The boxes of “how long must I measure”: the difference that matters, and the pace."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.engine.how_long_part import typed_number
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state

MATTERS_HELP = N_("A smaller difference would not change what you do: the answer is then “no difference that matters”.")


def how_long_box(page: Page) -> None:
    """The answer, and folded away its boxes and what it rests on; nothing where nothing can be said."""
    _ = page.translate
    if not ("how_long" in page.answer or "how_long_error" in page.answer):
        return
    page.show("how_long_error", "how_long")
    with st.expander(_("How long must I measure?"), key="how_long_open"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                _("Difference that matters"), key="matters", persist_state="session", width=220, help=_(MATTERS_HELP)
            )
            st.text_input(_("Requests per minute"), key="perminute", persist_state="session", width=220)
        for key in ("matters", "perminute"):
            text = str(state.option(key)).strip()
            if text and typed_number(text) is None:
                st.error(_("“{text}” is no number above 0; it was left out.").format(text=escaped(text[:40])))
        page.show("how_long_note")
