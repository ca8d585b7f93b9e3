"""Measured passes as the cost of a pass: the bundled tables, a reader's file, or what an engine's file told."""

import streamlit as st

from specmodel.base.messages import N_, SpecmodelError
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.dashboard.parts.select_box import select, text
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options
from specmodel.serving.hardware import Accelerator
from specmodel.serving.pass_tables import captured_sizes, pass_tables, read_points
from specmodel.serving.passes import MeasuredPass, Points

UPLOADED = N_("A file of mine")
FROM_ENGINE = N_("The engine of the Measure page")


def choose_table(page: Page) -> None:
    """The choice of a measured table, and the captured sizes that passes are padded to."""
    _ = page.translate
    tables = pass_tables()
    offered = [*tables, "upload", *(["engine"] if st.session_state.get("engine_points") is not None else [])]
    if state.option("passes") not in offered:
        state.set_option("passes", options()["passes"].default)
        st.warning(_("The passes of an engine's file do not come with a link: the page shows the first table instead."))
    names = {key: table.name for key, table in tables.items()} | {"upload": UPLOADED, "engine": FROM_ENGINE}
    select(page, "passes", _("Measured passes"), offered, lambda key: _(names[key]), width=380)
    text(
        page,
        "sizes",
        _("Captured sizes"),
        width=220,
        placeholder="1, 2, 4, 8, 16 …",
        help=_("Token counts for which the engine has captured graphs: a pass is padded to the next one."),
    )


def points_source(page: Page) -> PassSource:
    """Interpolation between the chosen points."""
    _ = page.translate
    chosen, tables = str(state.option("passes")), pass_tables()
    step = None
    if chosen == "upload":
        points = uploaded_points(page, "points_file") or _kept()
        note = _("Interpolated between the passes of your file.")
    elif chosen == "engine":
        points = st.session_state["engine_points"]
        note = _("Interpolated between the passes that your engine's file tells of.")
    else:
        points, step = tables[chosen].points, tables[chosen].drafter_pass
        note = _.sentences(_("Interpolated between measured passes."), _(tables[chosen].source))
    if points is None:
        points = tables[str(options()["passes"].default)].points
        note = _("Give a file with the columns tokens and ms (and context): until then the page shows the first table.")
    measured = MeasuredPass(points, _sizes(page))
    beyond = _("Beyond {most:,.0f} tokens a pass the line through its last two points goes on: extrapolated.")
    note = _.sentences(note, beyond.format(most=measured.largest))
    if step is not None:
        note = _.sentences(
            note, _("Its drafter was measured too and drafts in one pass: that time counts, not the slider.")
        )
    return PassSource(measured, "points", note, None, state.group(Accelerator), step_ms=step, largest=measured.largest)


def _sizes(page: Page) -> tuple[float, ...]:
    try:
        sizes = captured_sizes(str(state.option("sizes")))
        MeasuredPass(Points(*([1.0],) * 3), sizes)
    except SpecmodelError as error:
        st.warning(escaped(page.translate.message(error.message)))
        return ()
    return sizes


def uploaded_points(page: Page, key: str) -> Points | None:
    """The passes of a CSV that the reader gives; a refused one is named with its reason."""
    _ = page.translate
    file = st.file_uploader(
        _("Passes as CSV: tokens (of the whole batch), ms, and context if it varies"),
        type=["csv", "txt", "tsv", "gz"],
        key=key,
    )
    if file is None:
        return None
    try:
        points = read_points(file.getvalue())
    except SpecmodelError as error:
        st.error(f"**{escaped(file.name)}**: {escaped(_.message(error.message))}")
        return None
    st.session_state["own_points"] = points
    return points


def _kept() -> Points | None:
    """The passes of a file that was read before: they stay while the reader looks elsewhere."""
    kept: Points | None = st.session_state.get("own_points")
    return kept
