"""What does it do to real text? Speculation between two real, small language models, draft by draft."""

from functools import partial

import streamlit as st

from specmodel.dashboard.lesson.lesson import lesson
from specmodel.dashboard.live_text.answer import answer, steps
from specmodel.dashboard.live_text.input import draw_choices, own_text, store
from specmodel.dashboard.live_text.player import draw_buttons, draw_take
from specmodel.dashboard.live_text.run import OWN, run_of
from specmodel.dashboard.parts.page import Page

page = Page("live_text")


def beside(left: tuple[str, ...], right: tuple[str, ...]) -> None:
    """Parts side by side."""
    for column, names in zip(st.columns([3, 2], gap="medium"), (left, right), strict=True):
        with column:
            page.show(*names)


draw_choices(page)
run = run_of(page.chosen, own_text(), store())
page.not_in_link(page.chosen.option("textprompt") == OWN)
page.answer = answer(page.chosen, page.translate, own_text(), store())
page.show("origin")
lesson(
    page,
    steps(page.chosen, page.translate, own_text(), store()),
    ("opening", "opening_numbers", "opening_note"),
    {
        "buttons": partial(draw_buttons, page, run),
        "texts": partial(beside, ("speculative_text",), ("plain_text",)),
        "kinds": partial(beside, ("drafters", "drafters_note"), ("kinds_table", "kinds_note")),
        "take": partial(draw_take, page, run),
    },
)
page.finish()
