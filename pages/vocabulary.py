"""Can a drafter with another tokenizer still pay? The article's rule, the exact bounds, and real tokenizer pairs."""

import streamlit as st

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.vocabulary.answer import answer
from specmodel.dashboard.vocabulary.tokenizers import choose_pair, find_pairs, selectable, wanted_name

page = Page("vocabulary")
find = wanted_name()
page.answer = answer(page.chosen, page.translate, find)
page.show("verdict", "numbers", "note")
left, right = st.columns(2, gap="medium")
with right:
    choose_pair(page)
    page.show("bounds", "bounds_note")
with left:
    page.show("overlap", "article")
find_pairs(page)
page.show("tokenizers", drawn=lambda frame: selectable(page, frame, find))
page.finish()
