"""The measured run on the Speedup page: a bundled one or the reader's own file, beside the model's prediction."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.table_file import RoundsError
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.dashboard.session.options import OPTIONS
from specmodel.dashboard.speedup.measured_words import (
    category,
    comparison_columns,
    comparison_data,
    comparison_sentence,
    estimate_cards,
    methods,
)
from specmodel.figures.measured import conditional_figure
from specmodel.figures.speedup import MeasuredPoint
from specmodel.measured.bundled import bundled_run, bundled_runs
from specmodel.measured.measured_vs_predicted import Comparison, by_category
from specmodel.measured.rounds import MeasuredRounds, read_rounds
from specmodel.model.scenario import Scenario

SOURCES = {
    "none": N_("None"),
    **{run.key: run.name for run in bundled_runs()},
    "upload": N_("Your own file (CSV of rounds)"),
}
FILTERS = {
    "category": ("text", N_("Kind of text")),
    "k": ("drafts", N_("Draft tokens")),
    "temperature": ("temp", N_("Temperature")),
}
ALL = "all"


@lru_cache(maxsize=16)
def _bundled(key: str, filters: tuple[tuple[str, Any], ...]) -> tuple[Comparison, Sequence[tuple[str, Comparison]]]:
    return _compared(bundled_run(key).load(), dict(filters), None)


def _compared(
    rounds: MeasuredRounds, filters: Mapping[str, Any], baseline_ms: float | None
) -> tuple[Comparison, Sequence[tuple[str, Comparison]]]:
    chosen = rounds.select(**filters)
    return Comparison(chosen, baseline_ms), by_category(chosen, baseline_ms)


def _uploaded() -> MeasuredRounds | None:
    """The reader's file, read once and kept in this session only; a bad file leaves the last good one."""
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


def _filters(rounds: MeasuredRounds) -> dict[str, Any]:
    """The chosen values of the grouping columns; one that the file does not have is passed over."""
    wanted = {column: str(state.option(FILTERS[column][0])) for column in rounds.options()}
    return {
        column: value
        for column, values in rounds.options().items()
        for value in values
        if _text(value) == wanted[column]
    }


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _current() -> tuple[Comparison, Sequence[tuple[str, Comparison]]] | None:
    source = state.option("run")
    if source == "none":
        return None
    if source != "upload":
        return _bundled(source, tuple(_filters(bundled_run(source).load()).items()))
    rounds = _uploaded()
    if rounds is None:
        return None
    baseline = None if rounds.baseline_ms is not None else st.session_state.get("baseline_ms")
    key, cache = (tuple(_filters(rounds).items()), baseline), st.session_state["upload_cache"]
    if key not in cache:
        cache[key] = _compared(rounds, dict(key[0]), baseline)
    return cache[key]  # type: ignore[no-any-return]


def measured_points(page: Page) -> tuple[MeasuredPoint, ...]:
    """A point for each kind of text of the chosen run: its acceptance and its measured speedup, with intervals."""
    found = _current()
    points = []
    for name, each in found[1] if found else ():
        alpha, speedup = each.alpha, each.speedup
        if alpha.value is not None and speedup is not None and speedup.value is not None:
            label = (
                page.translate("measured: {name}").format(name=category(name, page.translate)[:40])
                if name
                else page.translate("measured")
            )
            points.append(MeasuredPoint(label, _interval(alpha), _interval(speedup)))
    return tuple(points)


def _interval(estimate: Any) -> tuple[float, float, float]:
    value = estimate.value
    return value, value if estimate.low is None else estimate.low, value if estimate.high is None else estimate.high


def measured_section(page: Page) -> None:
    """Choose a run, and see what was measured beside what the model predicts from it."""
    _ = page.translate
    chosen = state.option("run") != "none"
    with st.expander(_("Compare with a measured run"), expanded=chosen, key="measured", on_change="rerun") as section:
        if not (chosen or wanted(section)):
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
        found = _current()
        if found is None or not found[0].rounds.num_rounds:
            st.warning(_("No round of the file has these values together."))
            return
        _show(page, *found)


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
            choices = [ALL, *(_text(value) for value in values)]
            if state.option(key) not in choices:
                fallback = OPTIONS[key].default
                state.set_option(key, fallback if fallback in choices else ALL)
            st.selectbox(
                _(label),
                choices,
                format_func=lambda each: category(each, _),
                key=key,
                persist_state="session",
            )


def _show(page: Page, whole: Comparison, parts: Sequence[tuple[str, Comparison]]) -> None:
    _ = page.translate
    st.markdown(comparison_sentence(whole, _))
    page.cards(estimate_cards(whole, _))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        page.table(
            "measured",
            _("Measured, and what the model predicts"),
            comparison_columns(parts, whole, _),
            data=comparison_data(parts, whole),
        )
        page.note(_("Measured values; predictions take the measured α and the measured cost of a round."))
        page.note(methods(parts, _))
    with right:
        alt = _("Measured acceptance by draft position with intervals, and the single value that the model uses.")
        figure = conditional_figure(whole.conditional, whole.alpha, _)
        page.chart(figure, "conditional", _("Acceptance by position"), alt, height=260)
    same = whole.scenario(page.scenario)
    if same is None:
        st.caption(
            _("To compare speed too, the file needs plausible draft_ms and verify_ms, and the time of a plain step.")
        )
    else:
        _offer(page, same)
        if (whole.rounds.share_with_draft or 0) < 0.98:
            st.caption(
                _("In part of these rounds nothing was drafted; sliders, which always draft, only come near to that.")
            )


def _offer(page: Page, same: Scenario) -> None:
    """A button that sets the sliders to the measured run, while they differ from it."""
    _ = page.translate
    if same == page.scenario:
        st.caption(_("The sliders are set to this run: the curve is the model's prediction for it."))
        return
    st.button(_("Set the sliders from this run"), key="use_run", on_click=state.start_from, args=(same,))
    st.caption(_("Until then the curve uses the values of the sliders, and the points were measured elsewhere."))
