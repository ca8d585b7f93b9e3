"""How far can these numbers be trusted? Predicted against measured, on rows that nothing was tuned to."""

import streamlit as st

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.validation.answer import answer
from specmodel.dashboard.validation.input import choose_rule, draw_cases, draw_long, upload_rows

page = Page("validation")
above, between = st.container(), st.container()
with between:
    page.answer = answer(page.chosen, page.translate)
    own = upload_rows(page)
with above:
    choose_rule(page, own)
    page.answer = answer(state.chosen(), page.translate, own)
    page.show("own", "verdict", "numbers", "kind")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        page.show("scatter", "scatter_note")
    with right:
        page.show("explained", "tuned", "counted")
page.show("rules", "sources", drawn=draw_long)
page.show("worst", "unreachable", drawn=lambda frame: draw_cases(page, frame))
page.show("unreachable_note")
with st.expander(page.translate("Every point"), key="points_open"):
    page.show("points", drawn=draw_long)
page.show("left_out", drawn=draw_long)
page.finish()
