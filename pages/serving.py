"""Where does batching eat the gain? Speculation under load: by batch, by request rate, the schedule, what it costs."""

import streamlit as st

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.passes.pass_input import pass_input
from specmodel.dashboard.serving.answer import answer
from specmodel.dashboard.serving.engine_boxes import choose_engine
from specmodel.dashboard.serving.load_boxes import choose_load

page = Page("serving")
_ = page.translate
choose_load(page)
own = pass_input(page, drafting=not page.chosen.option("way"))
page.not_in_link(own.decide(page.chosen))
page.answer = answer(page.chosen, _, own)
page.show("way", "verdict", "numbers", "note", "left_out", "short_context")
left, right = st.columns([3, 2], gap="medium")
with left:
    page.show("speedup")
with right:
    page.show("throughput", "tpot")

st.subheader(_("The schedule to set"), anchor=False)
left, right = st.columns([3, 2], gap="medium")
with left:
    page.show("schedule", "regret", "standing")
with right:
    page.show("tiers")
left, right = st.columns([1, 3], gap="medium")
with left:
    if "paste" in page.answer:
        choose_engine(page)
with right:
    page.show("no_schedule", "paste", "paste_filled", "paste_notes")

st.subheader(_("By request rate"), anchor=False)
page.show("at_rate")
for name, column in zip(("latency", "served", "running"), st.columns(3, gap="medium"), strict=True):
    with column:
        page.show(name)

st.subheader(_("Why it turns"), anchor=False)
left, right = st.columns(2, gap="medium")
with left:
    page.show("map")
with right:
    page.show("pass")
page.show("turn")

st.subheader(_("What it costs"), anchor=False)
left, right = st.columns(2, gap="medium")
with left:
    page.show("bill", "bill_note")
with right:
    page.show("memory", "memory_note")
page.finish()
