"""The columns of a table that a visitor gave: shown as they are understood, each to be called something else."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from specmodel import logs
from specmodel.base.messages import N_
from specmodel.dashboard.engine.files import EngineFile
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.logs import ROLES, TableRead

TABLE_HELP = N_(
    "A sweep may also be a table (Markdown, CSV, TSV, or printed on a console): one setting a row, with any of draft "
    "length, method, p-min, batch, tokens per second or milliseconds, and acceptance; off is a row too."
)
COLUMNS_HELP = N_(
    "Columns are known by their names in the engines' words, acceptance also by its values. What a column is called "
    "here counts; the link keeps it."
)


def with_columns(page: Page, files: Sequence[EngineFile]) -> list[EngineFile]:
    """The files, the first table among them read as the visitor calls its columns."""
    found, drawn = [], False
    for each in files:
        if each.table is not None and not drawn:
            drawn = True
            each = _with_columns(page, each, each.table)
        found.append(each)
    return found


def _with_columns(page: Page, file: EngineFile, text: str) -> EngineFile:
    as_understood = logs.read_table(text)
    if as_understood is None:
        return file
    _forget_roles_of_another(as_understood)
    roles = str(state.option("columns")).split(".") if state.option("columns") else []
    shown = logs.read_table(text, roles) or as_understood
    _boxes(page, as_understood, shown)
    if not any(roles):
        return file
    stats = None if shown.stats is None else shown.stats.replace(label=file.name)
    return replace(file, stats=stats, error=shown.error)


def _forget_roles_of_another(read: TableRead) -> None:
    """Names that were given to the columns of one table do not belong to the next."""
    headers = tuple(each.header for each in read.columns)
    before = st.session_state.get("table_headers")
    st.session_state["table_headers"] = headers
    if before is not None and before != headers:
        state.set_option("columns", "")


def _boxes(page: Page, as_understood: TableRead, shown: TableRead) -> None:
    _ = page.translate
    asked = [each for each in shown.columns if not each.is_sure and len(each.readings) > 1]
    if asked:
        names = _.listed(f"“{each.header}”" for each in asked)
        st.warning(escaped(_("Which is it? {names} fits several definitions: say so below.").format(names=names)))
    with st.expander(_("Columns of the table"), expanded=bool(asked), key="table_columns"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for place, column in enumerate(shown.columns):
                _box(page, place, column.header, column.role, as_understood)
        st.caption(_(COLUMNS_HELP))


def _box(page: Page, place: int, header: str, role: str, as_understood: TableRead) -> None:
    _ = page.translate
    keys = list(ROLES)
    first = as_understood.columns[place].readings
    keys = [*first, *(key for key in keys if key not in first)]
    st.selectbox(
        escaped(header) or "–",
        keys,
        index=keys.index(role) if role in keys else None,
        format_func=lambda key: _(ROLES[key].label),
        placeholder=_("not known: say which"),
        key=f"table_column_{place}_{abs(hash(header))}_{role}",
        on_change=_chosen,
        args=(place, f"table_column_{place}_{abs(hash(header))}_{role}", as_understood),
        width=230,
    )


def _chosen(place: int, key: str, as_understood: TableRead) -> None:
    """Keep what a column is called, by its place; what was understood anyway stays unsaid."""
    given = str(state.option("columns")).split(".") if state.option("columns") else []
    roles = [*given, *[""] * (len(as_understood.columns) - len(given))]
    role = st.session_state.get(key) or ""
    roles[place] = "" if role == as_understood.columns[place].role else role
    state.set_option("columns", ".".join(roles) if any(roles) else "")
