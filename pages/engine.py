"""Should speculation be on in your engine? From what it prints to what to set."""

import streamlit as st

from specmodel.dashboard.engine.answer import answer
from specmodel.dashboard.engine.beside import beside_boxes
from specmodel.dashboard.engine.fleet_box import fleet_box
from specmodel.dashboard.engine.how_long_box import how_long_box
from specmodel.dashboard.engine.input import engine_input
from specmodel.dashboard.engine.live import live_lately, live_series
from specmodel.dashboard.engine.mix_box import mix_box
from specmodel.dashboard.engine.to_set import paste_section, send_section
from specmodel.dashboard.engine.typed import answer_on
from specmodel.dashboard.engine.watch_box import watch_box
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state

page = Page("engine")
_ = page.translate
run = engine_input(page)
fleet_box(page)
page.chosen = state.chosen()  # the source may have set options
if run is None:
    page.answer = answer(page.chosen, _, None)
    page.show("verdict")
else:
    measured = answer_on(page.chosen, run)
    lately = live_lately()
    recent = answer_on(page.chosen, lately) if lately is not None else None
    page.answer = answer(page.chosen, _, measured, live_series(page), recent)
    page.show("about", "taken")
    page.show_all("warning_")
    beside_boxes(page, run)
    page.show("lately", "verdict", "lately_note", "numbers", "kind", "implied", "notes")
    how_long_box(page)
    page.show("two_runs_error", "two_runs_heading", "two_runs", "two_runs_table", "two_runs_note")
    left, right = st.columns(2, gap="medium")
    with left:
        page.show("positions", "positions_note")
    with right:
        page.show("lengths", "lengths_note")
    page.show("tried_heading", "best_setting", "tried", "tried_note", "next_setting")
    page.show("live_heading")
    if "live_heading" in page.answer:
        left, right = st.columns(2, gap="medium")
        with left:
            page.show("live_speedup", "live_length", "live_waste")
        with right:
            page.show("live_position", "live_step")
        page.show("live_note")
    page.show("groups_heading", "groups_table", "groups_note", "mix_note")
    mix_box(page, measured.groups)
    page.show("mix_error", "groups", "settings_heading", "settings", "settings_note", "repeats_note", "trees_note")
    paste_section(page, measured.to_paste)
    watch_box(page, measured)
    send_section(page, measured)
    page.show("symptoms_heading", "symptoms_note")
    page.show_all("symptom_")
    page.show("time_heading", "parts", "ceiling", "speed")
    if "lengths_table" in page.answer:
        with st.expander(_("By draft length"), key="lengths_open"):
            page.show("lengths_table")
    if "rates" in page.answer:
        with st.expander(_("What the engines call it"), expanded=page.chosen.option("src") == "hand", key="rates_open"):
            page.show("rates", "rates_note")
page.finish()
