"""The controls of the Validation page: rule, source, and a file of rows of one's own."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from specmodel.base.messages import Message, SpecmodelError
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.dashboard.validation.chosen_points import ORIGINS, sources
from specmodel.dashboard.validation.declared import EVERY
from specmodel.validation.point import RULES, Point
from specmodel.validation.points import MOST_ROWS, read_rows
from specmodel.validation.rules import judge
from specmodel.validation.table import judged_points

SHORT = 11
"""Rows up to which a table stands whole."""


def choose_rule(page: Page, own: Sequence[Point] | None) -> None:
    """The boxes for rule and source, of those that there are."""
    _ = page.translate
    points = judged_points() if own is None else own
    used = {point.rule for point in points}
    rules = [EVERY, *(rule for rule in RULES if rule in used)]
    if state.option("judged") not in rules:
        state.set_option("judged", EVERY)
    origins = [*(ORIGINS if own is None else [""]), *sources(points)]
    if state.option("origin") not in origins:
        state.set_option("origin", "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        select(page, "judged", _("Rule"), rules, lambda key: _("all rules") if key == EVERY else _(RULES[key].name))
        select(page, "origin", _("Source"), origins, lambda key: _(ORIGINS[key]) if key in ORIGINS else key)


def upload_rows(page: Page) -> tuple[Point, ...] | None:
    """The points of a file in the documented form, judged once; None where there is none, or it was refused."""
    _ = page.translate
    with st.expander(_("Judge rows of your own"), key="own_rows"):
        st.caption(
            _(
                "A CSV, also as gzip: one line for each measured setting, at most {most}. Only `source` is needed; "
                "which rules a line judges follows from what else it tells. The file stays in this session."
            ).format(most=MOST_ROWS)
        )
        file = st.file_uploader(_("Rows as CSV"), type=["csv", "txt", "tsv", "gz"], key="validation_file")
        page.show("form", drawn=_as_frame)
    if file is None:
        st.session_state.pop("validation_points", None)
        return None
    kept = st.session_state.get("validation_points")
    if kept is None or kept[0] != file.file_id:
        kept = (file.file_id, *_judged(file.getvalue()))
        st.session_state["validation_points"] = kept
    _file_id, points, wrong = kept
    if wrong is not None:
        st.error(f"**{escaped(file.name)}**: {escaped(_.message(wrong))}")
        return None
    if not points:
        st.warning(
            _(
                "No rule can be judged by these rows: a line needs something to predict from and a measured value, or "
                "another line of its group."
            )
        )
        return None
    return tuple(points)


def _judged(data: bytes) -> tuple[tuple[Point, ...], Message | None]:
    try:
        return judge(read_rows(data)), None
    except SpecmodelError as error:
        return (), error.message


def _as_frame(frame: pd.DataFrame) -> None:
    st.dataframe(frame, hide_index=True)


def draw_cases(page: Page, frame: pd.DataFrame) -> None:
    """The cases of a table one below the other: its sentences want more room than a phone gives a row."""
    _ = page.translate
    for source, setup, rule, reach, predicted, band, measured, error, why, note in frame.itertuples(index=False):
        numbers = _("{rule}, {reach}: predicted {predicted}, band {band}, measured {measured}, error {error}.").format(
            rule=rule, reach=reach, predicted=predicted, band=band, measured=measured, error=error
        )
        lines = [f"**{escaped(source)}** · {escaped(setup)}", escaped(numbers), escaped(_.sentences(why, note))]
        st.markdown("  \n".join(f"- {line}" if place == 0 else f"  {line}" for place, line in enumerate(lines)))


def draw_long(frame: pd.DataFrame) -> None:
    """A table that scrolls in itself where it is long."""
    st.dataframe(frame, hide_index=True, height="content" if len(frame) <= SHORT else 420)
