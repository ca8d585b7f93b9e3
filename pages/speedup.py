"""When does speculation pay? The face of the app: the answer, the curve, the waste."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import declarations
from specmodel.dashboard.parts.page import Page, headline
from specmodel.dashboard.speedup.acceptance_table import acceptance_table
from specmodel.dashboard.speedup.measured_run import measured_points, measured_section
from specmodel.dashboard.speedup.views import as_time_ratio, speedup_or_time_ratio
from specmodel.figures.speedup import speedup_figure
from specmodel.figures.time import time_figure, time_per_token_figure
from specmodel.model.costs import round_cost
from specmodel.model.draft_lengths import BEST_LENGTH, best_num_speculative_tokens, covering, draft_lengths
from specmodel.model.outcome import Outcome, evaluate
from specmodel.model.rounds import rounds_distribution
from specmodel.model.scenario import break_even_alpha
from specmodel.model.speedup_curve import long_run_speedups, neighbours, speedup_curve

page = Page("speedup", N_("When does speculation pay?"))
_, scenario, pinned = page.translate, page.scenario, page.pinned
most = covering(scenario, pinned)
outcome, lengths = evaluate(scenario), draft_lengths(scenario, most)
before, lengths_before = (evaluate(pinned), draft_lengths(pinned, most)) if pinned else (None, None)

page.verdict(outcome.verdict, headline(outcome, page))
names = ("speedup", "tpot_ms", "alpha_needed", "wasted_per_token", "wasted_ms_per_token")
declared = declarations(Outcome)
cards = [(declared[name], getattr(outcome, name), getattr(before, name, None)) for name in names]
page.cards([*cards[:3], (BEST_LENGTH, lengths.best, lengths_before and lengths_before.best), *cards[3:]])
page.note(
    _("Exact results of the model for the assumed values of the sliders. The band holds 5 to 95 % of single answers.")
)

left, right = st.columns([3, 2], gap="medium")
with left:
    curve = speedup_curve(scenario)
    page.chart(
        speedup_figure(
            curve,
            scenario,
            outcome,
            _,
            thin={k: long_run_speedups(scenario, k) for k in neighbours(scenario)},
            ghost=(speedup_curve(pinned), pinned, before) if pinned and before else None,
            measured=measured_points(page),
            as_time_ratio=as_time_ratio(),
        ),
        "speedup",
        _("Time ratio against acceptance") if as_time_ratio() else _("Speedup against acceptance"),
        _("Speedup against acceptance probability, with the break-even point and the current scenario."),
        height=430,
        control=speedup_or_time_ratio,
    )
with right:
    page.chart(
        time_figure(lengths, scenario, _, ghost=lengths_before),
        "time",
        _("Time of one answer against draft length"),
        _("Time of one answer against draft tokens per round, with the best draft length marked."),
        height=250,
    )
    page.chart(
        time_per_token_figure(scenario, outcome, _, ghost=(pinned, before) if pinned and before else None),
        "token",
        _("Where the time of one output token goes"),
        _("Time of one output token split into target pass, accepted drafts, wasted drafts and overhead."),
        height=185,
    )
acceptance_table(page)
measured_section(page)
page.why(
    [
        _("One acceptance probability for every text, and for every position unless a measurement brought its own."),
        _("Prefill, queueing and other requests of a batch: this is decoding of one request at a time."),
        _("A drafter that shares memory or compute with the target may slow the target down."),
        _("The article's table found “exactly 1.00” at α = 0.4. That was one draw; the exact ratio there is 1.013."),
    ],
    evaluate,
    break_even_alpha,
    round_cost,
    speedup_curve,
    rounds_distribution,
    best_num_speculative_tokens,
)
page.finish()
