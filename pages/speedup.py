"""When does speculation pay? The face of the app: the answer, the curve, the waste."""

import streamlit as st

from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.speedup.answer import answer
from specmodel.dashboard.speedup.measured_run import current_run, measured_section
from specmodel.dashboard.speedup.show import speedup_or_time_ratio

page = Page("speedup")
page.not_in_link(page.chosen.option("run") == "upload")
page.answer = answer(page.chosen, page.translate, current_run(page.chosen))
page.show("verdict", "numbers", "note")
left, right = st.columns([3, 2], gap="medium")
with left:
    page.show("speedup", control=speedup_or_time_ratio)
with right:
    page.show("time", "token")
with st.expander(page.translate("Table by acceptance"), key="by_acceptance", on_change="rerun") as table:
    if wanted(table):
        page.show("by_acceptance")
measured_section(page)
page.finish()
