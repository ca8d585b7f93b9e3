"""What happens when the workload changes? Rules that choose the draft length, played on the same seeded rounds."""

import streamlit as st

from specmodel.dashboard.drift.answer import answer, steps
from specmodel.dashboard.drift.controls import (
    choose_rules,
    choose_workload,
    draw_rules,
    draw_wide,
    lesson_controls,
    measured_groups,
    workload_before,
    workload_decides,
)
from specmodel.dashboard.drift.editor import edit_phases
from specmodel.dashboard.drift.race import start_of
from specmodel.dashboard.lesson.lesson import lesson
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state

page = Page("drift")
groups = measured_groups()
page.answer = answer(page.chosen, page.translate, groups, workload_before())
with st.container(horizontal=True, vertical_alignment="bottom"):
    page.show("no_groups")
    choose_workload(page, groups)
    choose_rules(page)
page.show("phases_left_out")
edit_phases(page, start_of(groups, workload_before()))

given = (state.chosen(), page.translate, groups, workload_before())  # as the controls have left it
page.not_in_link(workload_decides(page))
page.chosen = given[0]
page.answer = answer(*given)
page.show("fixed_note", "numbers_left_out")


def boundary_row() -> None:
    left, right = st.columns([3, 2], gap="medium")
    with left:
        page.show("boundary")
    with right:
        page.show("boundary_table")


def time_row() -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        page.show("saved")
    with right:
        page.show("regret")


def what_rules_do() -> None:
    with st.expander(page.translate("What each rule does")):
        draw_rules(page)


controls = {"boundary_row": boundary_row, "time_row": time_row, "what_rules_do": what_rules_do}
controls["phases_table"] = lambda: page.show("phases_table", drawn=draw_wide)
lesson(page, steps(*given), ("verdict", "numbers"), {**controls, **lesson_controls(page)})
page.finish()
