"""How many tokens should it draft? The article's second table, live, and the map acceptance × draft length."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.draft_length.table import advice, draft_length_cards, draft_length_columns, draft_length_data
from specmodel.dashboard.parts.page import Page
from specmodel.figures.draft_length import accepted_figure, map_figure, marginal_figure, waste_figure
from specmodel.figures.time import time_figure
from specmodel.model.draft_lengths import (
    best_num_speculative_tokens,
    covering,
    draft_lengths,
    marginal_gain_ms,
    speedup_map,
)
from specmodel.model.rounds import mean_rounds
from specmodel.model.speedup_curve import ALPHAS

page = Page("draft_length", N_("How many tokens should it draft?"))
_, scenario, pinned = page.translate, page.scenario, page.pinned
most = covering(scenario, pinned)
table, ghost = draft_lengths(scenario, most), draft_lengths(pinned, most) if pinned else None

page.say(advice(table, scenario, _))
page.cards(draft_length_cards(table, scenario, ghost, pinned))
page.note(_("At the best draft length; exact results of the model for the assumed values of the sliders."))

left, right = st.columns(2, gap="medium")
with left:
    title = _("Time of one answer")
    alt = _("Time of one answer against draft tokens per round, with the best draft length marked.")
    page.chart(time_figure(table, scenario, _, ghost=ghost), "time", title, alt, height=300)
    alt = _("Seconds that each further draft token saves or costs.")
    page.chart(
        marginal_figure(table, _, ghost=ghost), "marginal", _("What one more draft token gains"), alt, height=260
    )
with right:
    alt = _("Draft tokens of one answer by draft length, split into accepted and wasted.")
    page.chart(waste_figure(table, _, ghost=ghost), "waste", _("Draft tokens kept and wasted"), alt, height=300)
    title = _("Accepted drafts in a round of {k}").format(k=scenario.num_speculative_tokens)
    figure = accepted_figure(scenario.acceptance, _, ghost=pinned.acceptance if pinned else None)
    page.chart(figure, "accepted", title, _("Share of rounds by number of accepted drafts."), height=260)
alt = _("Speedup over acceptance and draft length, with the break-even contour and the best draft length at each.")
grid = speedup_map(scenario, ALPHAS, most)
page.chart(map_figure(grid, scenario, _, pinned=pinned), "map", _("Where speculation pays"), alt, height=420)
page.table(
    "by_draft_length", _("By draft length"), draft_length_columns(table, scenario, _), data=draft_length_data(table)
)
page.why(
    [
        _("The same acceptance at every position, unless a measurement brought its own; real drafters often differ."),
        _("Draft tokens cost the same whatever their number; parallel drafters and heads do not behave so."),
        _("A tie means: within the 5 to 95 % spread of one answer at the best draft length."),
    ],
    draft_lengths,
    best_num_speculative_tokens,
    marginal_gain_ms,
    speedup_map,
    mean_rounds,
)
page.finish()
