"""The controls of what to set: engine and way of drafting, and the way on to the Explore and Serve pages."""

import streamlit as st

<<<<<<< HEAD
from specmodel.dashboard.engine.files import ROOT
from specmodel.dashboard.engine.pasted import engine_and_method
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.as_passes import engine_points
=======
from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.dashboard.passes.own_passes import bring_engine
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import script
from specmodel.dashboard.session.translation import with_code
>>>>>>> h-serve
from specmodel.engine.as_scenario import engine_scenario
from specmodel.engine.case import EngineCase
from specmodel.engine.config import methods
from specmodel.engine.config_text import ENGINES
from specmodel.engine.to_paste import ToPaste
from specmodel.model.scenario import Scenario
from specmodel.serving.load import MAX_BATCH, Drafter, Load


def paste_section(page: Page, to_paste: ToPaste | None) -> None:
    """What to paste, for the engine and the way of drafting that the visitor chooses."""
    if to_paste is None:
        return
    page.show("paste_heading")
    _choose(page, to_paste)
    page.show("no_schedule", "paste", "paste_note", "paste_notes", "schedule_note")
    if "rehearsal" in page.answer:
        label = page.translate("Rehearse it: the time of a step with this acceptance, before there is a good drafter")
        with st.expander(label):
            page.show("rehearsal", "rehearsal_note", "rehearsal_notes")


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


def send_section(page: Page, measured: EngineAnswer) -> None:
    """The buttons that set the sliders of other pages to this engine; the link then carries it."""
    _ = page.translate
<<<<<<< HEAD
    same = engine_scenario(measured.case, page.scenario)
    if same is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Open this engine in the Explore pages"), key="to_explore", type="primary"):
            state.start_from(same)
            st.switch_page(str(ROOT / "pages" / "speedup.py"))
        if st.button(_("…under load"), key="to_serving"):
            _to_serving(measured.case, same)
        page.show("send_note")
=======
    st.code(found.text, language=found.language if found.language != "shell" else "bash", wrap_lines=True)
    page.keep(found.text)
    version = _("Option names of {engine} {version}.").format(engine=found.engine, version=found.version)
    fill = _("{name}: {meaning}.")
    filled = [fill.format(name=name, meaning=_(PLACEHOLDERS[name])) for name in found.placeholders]
    page.note(_.sentences(version, *filled))
    if found.notes:
        st.markdown("\n".join(f"- {with_code(_.message(note))}" for note in found.notes))
>>>>>>> h-serve


def _to_serving(case: EngineCase, same: Scenario) -> None:
    """Carry acceptance, drafting cost, batch, and the passes that the file tells of to the Serving load page."""
    state.start_from(same)
    state.change(Drafter, draft_cost_ratio=min(same.draft_ms / same.target_ms, 100.0))
    if case.stats.batch_size and 1 <= case.stats.batch_size <= MAX_BATCH:
        state.change(Load, batch_size=round(case.stats.batch_size))
<<<<<<< HEAD
    points = engine_points(case.stats)
    st.session_state["engine_points"] = points
    st.session_state["from_engine"] = case.stats.engine or True
    if points is not None:
        state.set_option("cost", "points")
        state.set_option("passes", "engine")
    st.switch_page(str(ROOT / "pages" / "serving.py"))
=======
    bring_engine(points_of(case.stats))
    st.switch_page(script("serving"))


def send(page: Page, case: EngineCase) -> None:
    """The button that sets the sliders of the Explore pages to this engine; the link then carries it."""
    _ = page.translate
    same: Scenario | None = engine_scenario(case, page.scenario)
    if same is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Open this engine in the Explore pages"), key="to_explore", type="primary"):
            state.start_from(same)
            st.switch_page(script("speedup"))
        if st.button(_("…under load"), key="to_serving"):
            _to_serving(case, same)
        if case.rho is None:
            st.caption(_("Acceptance by position and draft length go along; the times stay those of the sliders."))
        elif case.share_with_draft < 0.995:
            st.caption(
                _("Acceptance and times go along; steps without a draft count there as rounds that accept nothing.")
            )
        else:
            st.caption(_("Acceptance by position, draft length and times go along, also in the link."))
>>>>>>> h-serve
