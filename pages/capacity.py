"""How many accelerators does this traffic need? Replicas at peak and over the day, with speculation and without."""

import streamlit as st

from specmodel.dashboard.capacity.answer import answer
from specmodel.dashboard.capacity.boxes import choose_day
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.passes.pass_input import pass_input

page = Page("capacity")
own = pass_input(page, drafting=not page.chosen.option("way"))
choose_day(page)
page.not_in_link(own.decide(page.chosen))
page.answer = answer(page.chosen, page.translate, own)
page.show("day_error", "verdict", "numbers", "note")
left, right = st.columns([3, 2], gap="medium")
with left:
    page.show("over_day")
with right:
    page.show("tokens")
page.show("ways")
if "watch" in page.answer:
    with st.expander(page.remembered("watch_heading"), key="capacity_watch", on_change="rerun") as watch:
        if wanted(watch):
            page.show("watch_levels", "watch_note", "watch_assumed", "watch")
            page.forget("watch")  # a file of rules is no page of a report
page.finish()
