"""Why is the output still the target model's? Two distributions, one test, and all that comes out, enumerated."""

import streamlit as st

from specmodel.dashboard.exactness.answer import answer, steps
from specmodel.dashboard.exactness.input import bars_to_pull, choose_distributions, draw_button, draws_played
from specmodel.dashboard.lesson.lesson import lesson
from specmodel.dashboard.parts.page import Page

page = Page("exactness")


def one_token() -> None:
    """The two distributions with what is kept, and one draw after another."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        page.show("overlap", pull=bars_to_pull(page))
        page.show("pull_note")
    with right:
        page.show("rule", "draw")
        draw_button(page)
        page.show("draw_note")


def blocks_and_several() -> None:
    """Whole blocks of drafts, and several drafts for one position."""
    left, right = st.columns(2, gap="medium")
    with left:
        page.show("blocks", "blocks_table", "blocks_note")
        with st.expander(page.translate("Block by block"), key="exactness:blocks", on_change="rerun") as details:
            if details.open:
                page.show("block_by_block", "block_by_block_note")
                page.forget("block_by_block", "block_by_block_note")
    with right:
        page.show("several", "several_note")


page.chosen = choose_distributions(page)
page.fixed = {"draw"} if draws_played() else set()
page.answer = answer(page.chosen, page.translate, draws_played())
page.show("source")
controls = {"one_token": one_token, "blocks_and_several": blocks_and_several}
lesson(page, steps(page.chosen, page.translate), ("verdict", "numbers"), controls)
page.finish()
