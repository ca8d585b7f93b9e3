"""Which way of drafting fits? Every method side by side on the visitor's workload and load."""

import streamlit as st

from specmodel.dashboard.methods.answer import answer
from specmodel.dashboard.methods.input import (
    change_numbers,
    choose_method,
    choose_workload,
    size_of_tree,
    sort_and_filter,
    take_along,
)
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.passes.pass_input import pass_input

page = Page("methods")
_ = page.translate
choose_workload(page)
own = pass_input(page, drafting=False)
page.not_in_link(own.decide(page.chosen))
page.answer = answer(page.chosen, _, own)
page.show("verdict", "numbers", "note")
sort_and_filter(page)
left, right = st.columns([3, 2], gap="medium")
with left:
    page.show("curves")
with right:
    page.show("trade")
page.show("methods", drawn=lambda frame: st.dataframe(frame, hide_index=True, height="content"))
page.show("methods_note")

st.subheader(_("One of them, closer"), anchor=False)
choose_method(page)
left, right = st.columns(2, gap="medium")
with left:
    page.show("paragraphs")
with right:
    page.show("of_sliders")
    change_numbers(page)
    page.show("source", "as_chain")
    take_along(page)

st.subheader(_("The draft tree"), anchor=False)
left, right = st.columns([2, 3], gap="medium")
with left:
    size_of_tree(page)
    page.show("tree_words")
with right:
    page.show("tree")
page.finish()
