"""The box for another mix of the groups."""

from collections.abc import Sequence

import streamlit as st

from specmodel.dashboard.parts.page import Page
from specmodel.engine.groups import GroupRow


def mix_box(page: Page, rows: Sequence[GroupRow]) -> None:
    """Shares of the output tokens to try, where there are several groups."""
    if len(rows) < 2 or "groups_table" not in page.answer:
        return
    st.text_input(
        page.translate("Another mix: shares of the output tokens in the order of the rows"),
        key="mix",
        persist_state="session",
        placeholder=", ".join(f"{row.share:.0%}" for row in rows if row.share is not None),
    )
