"""What a reader types beside a file: draft length where it is unknown, time of a plain step and of a round."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.engine.current import typed_k, typed_ms
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.engine.case import EngineCase
from specmodel.engine.run import EngineRun


def typed_beside(page: Page, run: EngineRun) -> EngineCase:
    """The run as a case, with boxes for what it does not hold; folded away where nothing is missing."""
    _ = page.translate
    known = run.case()
    lacks_k = known.num_speculative_tokens is None
    lacks_time = known.rho is None
    label = _("What is missing") if lacks_k or lacks_time else _("Other times")
    with (
        st.expander(label, expanded=lacks_k or lacks_time, key="beside"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        if lacks_k:
            st.text_input(_("Draft tokens per round k"), key="drafted", persist_state="session", width=200)
        st.text_input(
            _("Plain decoding step (ms)"),
            key="plain",
            persist_state="session",
            width=220,
            placeholder=_shown(known.plain_ms),
        )
        st.text_input(
            _("Step with speculation (ms)"),
            key="took",
            persist_state="session",
            width=220,
            placeholder=_shown(known.round_ms),
        )
        if known.plain_ms is None:
            st.caption(_(MEASURE), width=360)
    typed = str(state.option("drafted")).strip()
    if lacks_k and typed and not typed_k(typed):
        st.error(_("“{text}” is no draft length: k is a whole number from 1 to 64.").format(text=escaped(typed[:40])))
    return run.case(
        typed_k(str(state.option("drafted"))) if lacks_k else None, _typed(page, "plain"), _typed(page, "took")
    )


MEASURE = N_(
    "Measure the time per output token of the same server with the same work and without speculation, or add its file."
)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _typed(page: Page, key: str) -> float | None:
    """A time in ms that was typed; a text that is none is named and left out."""
    text = str(state.option(key)).strip().removesuffix("ms").strip()
    value = typed_ms(text)
    if text and value is None:
        st.error(page.translate("“{text}” is no time in ms above 0; it was left out.").format(text=escaped(text[:40])))
    return value
