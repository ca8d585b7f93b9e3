"""Measured passes that a visitor brought in this session: of a file, and of the engine of the Measure page."""

import streamlit as st

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.passes.pass_source import FIRST_TABLE, OwnPasses
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options
from specmodel.serving.pass_tables import read_points
from specmodel.serving.passes import Points


def own_passes() -> OwnPasses:
    """What was brought so far: a file stays while its visitor looks elsewhere."""
    brought = st.session_state
    return OwnPasses(brought.get("own_points"), brought.get("engine_points"), bool(brought.get("from_engine")))


def bring_engine(points: Points | None) -> None:
    """Lead the pages under load with a measured engine, whose file tells of these passes, or of too few (None).

    Too few: where the passes of another engine were chosen, the model and the accelerator take their place.
    """
    st.session_state["engine_points"] = points
    st.session_state["from_engine"] = True
    if points is not None:
        state.set_option("cost", "points")
        state.set_option("passes", "engine")
    elif state.option("passes") == "engine":
        state.set_option("cost", options()["cost"].default)
        state.set_option("passes", FIRST_TABLE)


def choose_machine() -> None:
    """The visitor has chosen model or accelerator: no more word that they are not those of a measured engine."""
    st.session_state["from_engine"] = False


def upload_points(page: Page, key: str) -> Points | None:
    """The passes of a CSV that the visitor gives; a refused one is named with its reason."""
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
