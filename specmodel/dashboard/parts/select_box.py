"""Choices that several pages offer: each page has a box of its own, and all of them set the one option of the link."""

from collections.abc import Callable, Sequence

import streamlit as st

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state


def select(
    page: Page,
    key: str,
    label: str,
    values: Sequence[str],
    shown: Callable[[str], str],
    *,
    width: int | None = None,
    on_change: Callable[[], object] | None = None,
) -> str:
    """A box for an option; `shown` names a value. One key for boxes on two pages would lose the choice on the way."""
    name = f"{page.key}:{key}"

    def changed() -> None:
        state.set_option(key, st.session_state[name])
        if on_change is not None:
            on_change()

    st.session_state[name] = state.option(key)
    st.selectbox(label, values, format_func=shown, key=name, width=width or "stretch", on_change=changed)
    return str(state.option(key))


def text(page: Page, key: str, label: str, *, width: int, placeholder: str, help: str) -> None:
    """A line of text for an option."""
    name = f"{page.key}:{key}"
    st.session_state[name] = state.option(key)
    st.text_input(
        label,
        key=name,
        width=width,
        placeholder=placeholder,
        help=help,
        on_change=lambda: state.set_option(key, st.session_state[name]),
    )
