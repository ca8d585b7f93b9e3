"""Choosing a measured run on the Speedup page: a bundled one or the visitor's own file, and which of its rounds."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.table_file import RoundsError
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.pages import options
from specmodel.dashboard.speedup.answer import answer
from specmodel.dashboard.speedup.linked import FILTERS, compared, filter_text, filters_of, linked_measured
from specmodel.dashboard.speedup.measured import MeasuredRun
from specmodel.dashboard.speedup.words import kind_of_text
from specmodel.measured.bundled import bundled_run, bundled_runs
from specmodel.measured.rounds import MeasuredRounds, read_rounds

SOURCES = {
    "none": N_("None"),
    **{run.key: run.name for run in bundled_runs()},
    "upload": N_("Your own file (CSV of rounds)"),
}
ALL = "all"


def _uploaded() -> MeasuredRounds | None:
    """The visitor's file, read once and kept in this session only; a bad file leaves the last good one."""
    return st.session_state.get("uploaded_rounds")


def _read_upload() -> None:
    file = st.session_state.get("rounds_file")
    st.session_state["upload_error"] = None
    if file is None:  # also while a file is being replaced: forgetting is a button of its own
        return
    try:
        st.session_state["uploaded_rounds"] = read_rounds(file.getvalue(), name=file.name)
        st.session_state["upload_cache"] = {}
    except RoundsError as error:
        st.session_state["upload_error"] = error.message


def _forget() -> None:
    st.session_state["uploaded_rounds"] = st.session_state["upload_error"] = None


def current_run(chosen: Chosen) -> MeasuredRun | None:
    """The run that is chosen, and of it the rounds that are; None while there is none."""
    if chosen.option("run") != "upload":
        return linked_measured(chosen)
    rounds = _uploaded()
    if rounds is None:
        return None
    baseline = None if rounds.baseline_ms is not None else st.session_state.get("baseline_ms")
    filters = filters_of(rounds, chosen)
    key, cache = (tuple(filters.items()), baseline), st.session_state["upload_cache"]
    if key not in cache:
        cache[key] = compared(rounds, filters, baseline)
    return cache[key]  # type: ignore[no-any-return]


def measured_section(page: Page) -> None:
    """Choose a run, and see what was measured beside what the model predicts from it."""
    _ = page.translate
    some = state.option("run") != "none"
    with st.expander(_("Compare with a measured run"), expanded=some, key="measured", on_change="rerun") as section:
        if not (some or wanted(section)):
            return
        source = st.selectbox(
            _("Measured run"),
            list(SOURCES),
            format_func=lambda key: _(SOURCES[key]),
            key="run",
            persist_state="session",
        )
        rounds = _source(page, source)
        if rounds is None:
            return
        _choose(page, rounds)
        chosen = state.chosen()
        if chosen != page.chosen:  # the boxes went back to what the file has
            page.chosen = chosen
            page.answer = answer(chosen, _, current_run(chosen))
        _show(page, current_run(chosen))


def _source(page: Page, source: str) -> MeasuredRounds | None:
    _ = page.translate
    if source == "none":
        st.caption(_("Points of a real run then appear in the figure above, with their intervals."))
        return None
    if source != "upload":
        run = bundled_run(source)
        st.caption(_.sentences(_(run.description), _(run.conditions)))
        return run.load()
    st.file_uploader(_("CSV of rounds"), key="rounds_file", on_change=_read_upload)
    st.caption(_(UPLOAD_HELP))
    if st.session_state.get("upload_error"):
        st.error(escaped(page.translate.message(st.session_state["upload_error"])))
    rounds = _uploaded()
    if rounds is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(escaped(_("Shown: {name}").format(name=rounds.name)), width="content")
            if rounds.ignored_columns:
                unused = _("Columns not used: {names}").format(names=_.listed(rounds.ignored_columns))
                st.caption(escaped(unused), width="content")
            st.button(_("Forget this file"), key="forget", on_click=_forget, type="tertiary")
    if rounds is not None and rounds.baseline_ms is None and rounds.draft_ms is not None:
        label = _("Plain decoding step of the same engine (ms), to get a measured speedup")
        st.number_input(label, min_value=0.001, max_value=100_000.0, value=None, key="baseline_ms")
    return rounds


UPLOAD_HELP = N_(
    "One row a round; columns proposed and accepted, and, if known, draft_ms, verify_ms, overhead_ms, baseline_ms, "
    "k, temperature, category, run_id, prompt. At most 64 MB. The file stays in this session."
)


def _choose(page: Page, rounds: MeasuredRounds) -> None:
    """Selection boxes for the grouping columns of the file."""
    _ = page.translate
    with st.container(horizontal=True):
        for column, values in rounds.options().items():
            key, label = FILTERS[column]
            choices = [ALL, *(filter_text(value) for value in values)]
            if state.option(key) not in choices:
                fallback = options()[key].default
                state.set_option(key, fallback if fallback in choices else ALL)
            st.selectbox(
                _(label),
                choices,
                format_func=lambda each: kind_of_text(each, _),
                key=key,
                persist_state="session",
            )


def _show(page: Page, run: MeasuredRun | None) -> None:
    if run is None or "no_rounds" in page.answer:
        page.show("no_rounds")
        return
    page.show("measured_sentence", "measured_numbers")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        page.show("measured", "measured_note", "measured_methods")
    with right:
        page.show("conditional")
    same = run.whole.scenario(page.scenario)
    if same is not None and same != page.scenario:
        label = page.translate("Set the sliders from this run")
        st.button(label, key="use_run", on_click=state.start_from_measured, args=(same,))
    page.show("run_scenario", "run_seldom")
