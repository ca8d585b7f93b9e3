"""Which way of drafting fits? Every method side by side on the reader's workload and load."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.methods.input import BATCHES, choices, compared, shown_rows, workload_input
from specmodel.dashboard.methods.sections import (
    answer_words,
    facts,
    method_cards,
    method_columns,
    method_data,
    one_method,
)
from specmodel.dashboard.methods.tree import tree_section
from specmodel.dashboard.parts.old_page import Page
from specmodel.dashboard.passes.pass_input import pass_input
from specmodel.dashboard.session import state
from specmodel.figures.methods import methods_figure, trade_figure
from specmodel.methods import compare
from specmodel.model.best_tree import best_tree, expected_tokens
from specmodel.model.independent_drafts import lookahead_acceptance, recursive_rejection_acceptance
from specmodel.serving.load import Load

page = Page("methods", N_("Which way of drafting fits?"))
_ = page.translate
workload = workload_input(page)
source = pass_input(page, drafting=False)
rows = compared(source, choices(workload, page.scenario), page.scenario)
load = state.group(Load)
answer = st.container()
shown = shown_rows(page, rows)
with answer:
    page.say(answer_words(shown, load, _))
    page.measured_cards(method_cards(shown, _))
    page.note(_("Speedups of the model: published figures of each method on your pass costs, not measured together."))

left, right = st.columns([3, 2], gap="medium")
with left:
    alt = _("Speedup against batch size, one line for each way of drafting.")
    figure = methods_figure(shown, BATCHES, load, str(state.option("look")), _)
    page.chart(figure, "curves", _("Speedup against batch size"), alt, height=520)
with right:
    alt = _("Tokens of a round against its cost at this batch, one point for each way of drafting.")
    page.chart(trade_figure(shown, _), "trade", _("What a round gives and costs here"), alt, height=520)
page.table(
    "methods",
    _("Side by side"),
    method_columns(shown, source, _),
    data=method_data(shown),
    shown=lambda frame: st.dataframe(frame, hide_index=True, height="content"),
)
page.note(
    _.sentences(
        _("A star: published for other work or another temperature. Click a heading to sort."),
        _("The drafter is that of the published setup, whose target may be another model than yours."),
    )
)
one_method(page, rows, workload)
tree_section(page, rows)
page.rests_on(facts(page, source, workload))
page.why(
    [
        _("Published figures come from different models, engines and prompts: the order may differ on yours."),
        _("The checking pass and the plain step are yours; the cost of drafting is a share of the plain step."),
        _("A longer context or another temperature changes acceptance; only what was published is here."),
    ],
    compare,
    expected_tokens,
    best_tree,
    lookahead_acceptance,
    recursive_rejection_acceptance,
)
page.finish()
