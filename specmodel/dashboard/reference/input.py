"""The controls of the Reference page: what to look for, and which kind of entries to show."""

from typing import Any

import streamlit as st

from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.reference.answer import LONGEST
from specmodel.dashboard.reference.entry import KINDS, WRONG
from specmodel.dashboard.session import state


def choose_entries(page: Page) -> None:
    """The search and the kinds; both are in the link."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _bound("find")
        st.text_input(
            _("Search the reference"),
            key="reference:find",
            max_chars=LONGEST,
            width=340,
            placeholder=_("acceptance, γ, accept len, 受理率 …"),
            on_change=_take("find"),
        )
        _bound("entries")
        names = {"": _("All kinds"), **{key: _(name) for key, name in KINDS.items()}}
        st.selectbox(
            _("Kind of entries"),
            list(names),
            format_func=names.__getitem__,
            key="reference:entries",
            width=240,
            on_change=_take("entries"),
        )
        if state.option("entry"):
            st.button(_("Close the entry"), key="reference:close", on_click=lambda: state.set_option("entry", ""))


def _bound(key: str) -> None:
    st.session_state[f"reference:{key}"] = state.option(key)


def _take(key: str) -> Any:
    return lambda: state.set_option(key, st.session_state[f"reference:{key}"])


def list_entries(page: Page) -> None:
    """What was found, or the kinds of entries, each folded: what is folded is not sent."""
    _ = page.translate
    page.show("list", "more")
    for kind, name in KINDS.items():
        if kind != WRONG:
            _kind(page, kind, _(name))


def list_mistakes(page: Page) -> None:
    """The mistakes behind the wrong numbers, folded, where they are not listed above."""
    _kind(page, WRONG, page.translate("Each mistake: formula, reason, example"))


def _kind(page: Page, kind: str, title: str) -> None:
    if f"kind_{kind}" not in page.answer.parts:
        return
    with st.expander(title, key=f"reference:kind:{kind}", on_change="rerun") as listed:
        if wanted(listed):
            page.show(f"kind_{kind}")


def draw_table(page: Page) -> None:
    """The entries as a table, folded: on a page it says what the list says, in a file it can be sorted."""
    title = page.translate("As a table, to download")
    with st.expander(title, key="reference:table", on_change="rerun") as table:
        if wanted(table):
            page.show("table", drawn=lambda frame: st.dataframe(frame, hide_index=True, height=330))
