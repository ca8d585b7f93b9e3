"""The controls of what to set: engine and way of drafting, and the way on to the Explore and Serve pages."""

import streamlit as st

from specmodel.dashboard.engine.pasted import chosen_tool, engine_and_method
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.paste import FORMS
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.passes.own_passes import bring_engine
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import script
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.as_passes import engine_points
from specmodel.engine.as_scenario import engine_scenario
from specmodel.engine.case import EngineCase
from specmodel.engine.measuring import tools
from specmodel.engine.setting import ENGINES, methods
from specmodel.engine.to_paste import ToPaste
from specmodel.model.scenario import Scenario
from specmodel.serving.load import MAX_BATCH, Load


def paste_section(page: Page, to_paste: ToPaste | None) -> None:
    """What to paste, for the engine and the way of drafting that the visitor chooses."""
    if to_paste is None:
        return
    page.show("paste_heading")
    _choose(page, to_paste)
    page.show("no_schedule", "paste", "paste_filled", "paste_notes", "schedule_note")
    if "rehearsal" in page.answer:
        with st.expander(page.remembered("rehearsal_heading")):
            page.show("rehearsal", "rehearsal_filled", "rehearsal_notes")
    with st.expander(page.remembered("measure_heading")):
        _choose_tool(page, to_paste)
        page.show("measure", "measure_filled", "measure_notes")


def _choose(page: Page, to_paste: ToPaste) -> None:
    _ = page.translate
    engine, method = engine_and_method(page.chosen, to_paste)
    state.set_option("engine", engine)
    state.set_option("method", method)
    offered = {each.key: each for each in methods(engine)}
    with st.container(horizontal=True):
        st.selectbox(_("Engine"), ENGINES, key="engine", persist_state="session", width=220)
        st.selectbox(
            _("Way of drafting"),
            list(offered),
            format_func=lambda key: _(offered[key].label),
            key="method",
            persist_state="session",
            width=420,
        )
        select(page, "form", _("Form"), list(FORMS), lambda key: _(FORMS[key]), width=180)


def _choose_tool(page: Page, to_paste: ToPaste) -> None:
    engine, _method = engine_and_method(page.chosen, to_paste)
    state.set_option("tool", chosen_tool(page.chosen, engine))
    st.selectbox(page.translate("Measured with"), tools(engine), key="tool", persist_state="session", width=300)


def send_section(page: Page, measured: EngineAnswer) -> None:
    """The buttons that set the sliders of other pages to this engine; the link then carries it."""
    _ = page.translate
    same = engine_scenario(measured.case, page.scenario)
    if same is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Open this engine in the Explore pages"), key="to_explore", type="primary"):
            state.start_from_measured(same)
            st.switch_page(script("speedup"))
        if st.button(_("…under load"), key="to_serving"):
            _to_serving(measured.case, same)
        page.show("send_note")


def _to_serving(case: EngineCase, same: Scenario) -> None:
    """Carry acceptance, drafting cost, batch, and the passes that the file tells of to the Serving load page."""
    state.start_from_measured(same)
    state.set_option("load_by", "batch")
    if case.stats.batch_size and 1 <= case.stats.batch_size <= MAX_BATCH:
        state.change(Load, batch_size=round(case.stats.batch_size))
    bring_engine(engine_points(case.stats))
    st.switch_page(script("serving"))
