"""Where does batching eat the gain? Speculation under load: by batch, by request rate, the schedule, what it costs."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.passes.pass_input import pass_input
from specmodel.dashboard.serving.sections import (
    answer_for,
    cost_section,
    facts,
    fits,
    rate_section,
    schedule_section,
    why_section,
)
from specmodel.dashboard.serving.words import advice, headline, serving_cards
from specmodel.figures.serving import speedup_by_batch_figure, throughput_figure, tpot_figure
from specmodel.serving.arrivals import fixed_points
from specmodel.serving.bill import bill
from specmodel.serving.by_batch import best_k
from specmodel.serving.crossings import crossings
from specmodel.serving.memory import capacity
from specmodel.serving.roofline import RooflinePass, experts_touched, turning_tokens
from specmodel.serving.schedule import schedule, short_schedule
from specmodel.serving.served_model import Serving
from specmodel.serving.stationary import stationary_batch

page = Page("serving", N_("Where does batching eat the gain?"))
_ = page.translate
source = pass_input(page)
answer = answer_for(source, page.scenario)
before = answer_for(source, page.pinned) if page.pinned else None
page.verdict(answer.verdict, headline(answer, _))
page.measured_cards(serving_cards(answer, before, _))
page.note(
    _.sentences(
        advice(answer, _),
        _("Exact means of the model for the assumed values of the sliders; a pass costs what stands above."),
    )
)
fits(page, source, answer)

left, right = st.columns([3, 2], gap="medium")
with left:
    alt = _("Speedup against batch size: the chosen draft length, the best one, and plain decoding at 1.")
    figure = speedup_by_batch_figure(answer, _, ghost=before)
    page.chart(figure, "speedup", _("Speedup against batch size"), alt, height=470)
with right:
    alt = _("Tokens per second of the whole batch against batch size, with and without speculation.")
    page.chart(throughput_figure(answer, _), "throughput", _("Throughput"), alt, height=220)
    alt = _("Time per output token of one request against batch size, with and without speculation.")
    page.chart(tpot_figure(answer, _), "tpot", _("Time per output token"), alt, height=220)
schedule_section(page, answer)
rate_section(page, answer)
why_section(page, source, answer)
cost_section(page, source, answer)
page.rests_on(facts(page, source))
page.why(
    [
        _("All requests of a batch have the same context and acceptance; real ones differ."),
        _("What accelerators send to each other, and prefill where it is 0, are left out."),
        _("A roofline is a lower bound of a pass: real engines are slower, at small batches above all."),
        _("The request rate is decoding only: a request waits besides for the round that runs when it arrives."),
    ],
    Serving.speedup,
    best_k,
    RooflinePass,
    experts_touched,
    turning_tokens,
    schedule,
    short_schedule,
    fixed_points,
    crossings,
    stationary_batch,
    capacity,
    bill,
)
page.finish()
