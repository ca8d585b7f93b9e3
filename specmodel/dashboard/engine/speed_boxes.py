"""The boxes for two speeds and nothing else, and what they imply of the acceptance that nobody counted."""

from collections.abc import Sequence

import streamlit as st

from specmodel.base.messages import N_, SpecmodelError
from specmodel.dashboard.engine.typed import typed_k
from specmodel.dashboard.engine.typed_speeds import speeds_stats
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.measured.spec_stats import SpecStats

SPEEDS_LABEL = N_("nothing: two speeds are all there is")
SPEEDS_HELP = N_(
    "Tokens per second of the same work without and with speculation. Several runs of each, with commas between them, "
    "tell how sure the speedup is; the draft length and what one draft costs tell what acceptance it implies."
)


def speeds_given(page: Page) -> Sequence[SpecStats]:
    """Tokens per second without and with speculation, and what is known beside them."""
    _ = page.translate
    without = st.text_input(_("Tokens/s without"), key="without", persist_state="session", width=180)
    fast = st.text_input(_("Tokens/s with speculation"), key="with", persist_state="session", width=180)
    typed = st.text_input(
        _("Draft tokens per round k"), key="drafted", persist_state="session", width=180, placeholder=_("if known")
    )
    st.text_input(
        _("One draft ÷ one plain step"), key="draftcost", persist_state="session", width=180, placeholder=_("if known")
    )
    st.caption(_(SPEEDS_HELP))
    if typed.strip() and not typed_k(typed):
        st.error(_("“{text}” is no draft length: k is a whole number from 1 to 64.").format(text=escaped(typed[:40])))
    try:
        stats = speeds_stats(without, fast, typed_k(typed))
    except SpecmodelError as error:
        st.error(escaped(_.message(error.message)))
        return ()
    return (stats,) if stats else ()
