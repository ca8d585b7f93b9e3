"""The answer to paste: configuration for the visitor's engine, the measured curve for a rehearsal, and the way on."""

import streamlit as st

from specmodel.base.messages import Message
from specmodel.dashboard.engine.files import ROOT
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.engine.as_passes import engine_points
from specmodel.engine.as_scenario import engine_scenario
from specmodel.engine.case import EngineCase
from specmodel.engine.config import Snippet, methods
from specmodel.engine.config_text import ENGINES, PLACEHOLDERS
from specmodel.engine.to_paste import ToPaste
from specmodel.model.scenario import Scenario
from specmodel.serving.load import MAX_BATCH, Drafter, Load


def answer(page: Page, found: ToPaste | None) -> None:
    """What to paste into an engine's configuration, by engine and way of drafting."""
    _ = page.translate
    if found is None:
        return
    st.subheader(_("What to set"), anchor=False)
    pasted = found.pasted(*_choose(page, found))
    if pasted.without_schedule is not None:
        st.warning(escaped(_.message(pasted.without_schedule)))
    _paste(page, pasted.snippet)
    if found.schedule:
        page.note(_("Batch sizes between two measured ones get the setting of the larger one: nobody measured them."))
    if pasted.rehearsal is not None:
        with st.expander(_("Rehearse it: the time of a step with this acceptance, before there is a good drafter")):
            _paste(page, pasted.rehearsal)


def _choose(page: Page, found: ToPaste) -> tuple[str, str]:
    """The engine whose configuration is shown and the way of drafting; the file's engine unless another is chosen."""
    _ = page.translate
    if not state.option("engine") or state.option("engine") not in ENGINES:
        state.set_option("engine", found.engine)
    with st.container(horizontal=True):
        engine = st.selectbox(_("Engine"), ENGINES, key="engine", persist_state="session", width=220)
        offered = {each.key: each for each in methods(engine)}
        if state.option("method") not in offered:
            state.set_option("method", found.method(engine))
        method = st.selectbox(
            _("Way of drafting"),
            list(offered),
            format_func=lambda key: _(offered[key].label),
            key="method",
            persist_state="session",
            width=420,
        )
    return engine, method


def _paste(page: Page, found: Snippet) -> None:
    _ = page.translate
    st.code(found.text, language=found.language if found.language != "shell" else "bash", wrap_lines=True)
    page.shown.notes.append(found.text)
    version = _("Option names of {engine} {version}.").format(engine=found.engine, version=found.version)
    fill = _("{name}: {meaning}.")
    filled = [fill.format(name=name, meaning=_(PLACEHOLDERS[name])) for name in found.placeholders]
    page.note(_.sentences(version, *filled))
    if found.notes:
        st.markdown("\n".join(f"- {said(note, page)}" for note in found.notes))


def said(note: Message, page: Page) -> str:
    """A note with its backticks kept as code."""
    text = page.translate.message(note)
    return "`".join(part if i % 2 else escaped(part) for i, part in enumerate(text.split("`")))


def _to_serving(case: EngineCase, same: Scenario) -> None:
    """Carry acceptance, drafting cost, batch, and the passes that the file tells of to the Serving load page."""
    state.start_from(same)
    state.change(Drafter, draft_cost_ratio=min(same.draft_ms / same.target_ms, 100.0))
    if case.stats.batch_size and 1 <= case.stats.batch_size <= MAX_BATCH:
        state.change(Load, batch_size=round(case.stats.batch_size))
    points = engine_points(case.stats)
    st.session_state["engine_points"] = points
    st.session_state["from_engine"] = case.stats.engine or True
    if points is not None:
        state.set_option("cost", "points")
        state.set_option("passes", "engine")
    st.switch_page(str(ROOT / "pages" / "serving.py"))


def send(page: Page, case: EngineCase) -> None:
    """The button that sets the sliders of the Explore pages to this engine; the link then carries it."""
    _ = page.translate
    same: Scenario | None = engine_scenario(case, page.scenario)
    if same is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Open this engine in the Explore pages"), key="to_explore", type="primary"):
            state.start_from(same)
            st.switch_page(str(ROOT / "pages" / "speedup.py"))
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
