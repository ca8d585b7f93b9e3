"""How many tokens should it draft? The article's second table, live, and the map acceptance × draft length."""

import streamlit as st

from specmodel.dashboard.draft_length.answer import answer
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page

page = Page("draft_length")
page.answer = answer(page.chosen, page.translate)
page.show("verdict", "numbers", "note")
left, right = st.columns(2, gap="medium")
with left:
    page.show("time", "marginal")
with right:
    page.show("waste", "accepted")
if "p_min" in page.answer:
    with st.expander(page.remembered("p_min_heading"), key="p_min_open", on_change="rerun") as p_min:
        if wanted(p_min):
            page.show("p_min_said", "p_min", "p_min_paste", "p_min_note")
page.show("map", "by_draft_length")
page.finish()
