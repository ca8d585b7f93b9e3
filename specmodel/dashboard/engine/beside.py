"""The boxes beside a measurement: draft length where it is unknown, time of a plain step and of a round."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.engine.typed import typed_k, typed_ms
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.engine.run import EngineRun

MEASURE = N_(
    "Measure the time per output token of the same server with the same work and without speculation, or add its file."
)

LOADED_OFF = N_(
    "The same server with its drafter loaded and nothing drafted (draft length 0 at run time). What it takes beyond a "
    "plain step is the fixed cost of speculation; without it the bands of other draft lengths hold none to all of it."
)


def beside_boxes(page: Page, run: EngineRun) -> None:
    """Boxes for draft length, plain step and step with speculation, folded away where nothing is missing."""
    _, case = page.translate, run.case()
    lacks_k, lacks_time = case.num_speculative_tokens is None, case.rho is None
    label = _("What is missing") if lacks_k or lacks_time else _("Other times")
    with (
        st.expander(label, expanded=lacks_k or lacks_time, key="beside"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        if lacks_k and state.option("src") != "hand":  # which has its own box
            _box(_("Draft tokens per round k"), "drafted", 200)
        _box(_("Plain decoding step (ms)"), "plain", 220, case.plain_ms)
        _box(_("Step with speculation (ms)"), "took", 220, case.round_ms)
        _box(_("Step, drafter loaded but off (ms)"), "loadedoff", 260, help=_(LOADED_OFF))
        if case.plain_ms is None:
            st.caption(_(MEASURE), width=360)
    _complain(page, lacks_k)


def _box(label: str, key: str, width: int, measured: float | None = None, help: str | None = None) -> None:
    hint = None if measured is None else f"{measured:.4g}"
    st.text_input(label, key=key, persist_state="session", width=width, placeholder=hint, help=help)


def _complain(page: Page, lacks_k: bool) -> None:
    """What was typed and cannot be used."""
    _, text = page.translate, str(state.option("drafted")).strip()
    if lacks_k and text and not typed_k(text):
        st.error(_("“{text}” is no draft length: k is a whole number from 1 to 64.").format(text=escaped(text[:40])))
    for key in ("plain", "took", "loadedoff"):
        text = str(state.option(key)).strip().removesuffix("ms").strip()
        if text and typed_ms(text) is None:
            st.error(_("“{text}” is no time in ms above 0; it was left out.").format(text=escaped(text[:40])))
