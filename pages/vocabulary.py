"""Can a drafter with another tokenizer still pay? The article's rule, the exact bounds, and real tokenizer pairs."""

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.page import Page, headline
from specmodel.dashboard.vocabulary.tokenizers import (
    article_columns,
    article_data,
    chosen_pair,
    pair_bounds,
    pair_table,
    pairing_marks,
)
from specmodel.figures.vocabulary import bounds_figure, overlap_figure
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import break_even_alpha
from specmodel.model.vocabulary import alpha_ceiling, alpha_floor, effective_alpha

page = Page("vocabulary", N_("Can a drafter with another tokenizer still pay?"))
_, scenario, pinned = page.translate, page.scenario, page.pinned
outcome, before = evaluate(scenario), evaluate(pinned) if pinned else None

page.verdict(outcome.verdict, headline(outcome, page))
page.numbers(outcome, "effective_alpha", "break_even_alpha", "alpha_needed", "speedup", pinned=before)
page.note(_("Exact results of the model, with the overlap applied by the article's simplified rule (assumed)."))

left, right = st.columns(2, gap="medium")
with right:
    pair, mark = chosen_pair(page)
    rows = pair_bounds(pair, scenario.alpha, _)
    alt = _("Effective acceptance by kind of text: exact bounds, the article's rule, and the break-even.")
    title = _("What the pair can keep of the acceptance")
    kept = pair_bounds(pair, pinned.alpha, _) if pinned else ()
    page.chart(bounds_figure(rows, outcome, _, pinned=kept), "bounds", title, alt, height=290)
    page.note(_("Shares are measured by this project on real text; bounds are exact for those shares."))
with left:
    alt = _("Speedup against vocabulary overlap by the article's rule, with its three pairings and the break-even.")
    figure = overlap_figure(scenario, outcome, pairing_marks(_), mark, _, pinned=pinned)
    page.chart(figure, "overlap", _("The article's simplified rule"), alt, height=430)
    page.table(
        "article",
        _("The article's third table, at this acceptance"),
        article_columns(scenario, _),
        data=article_data(scenario),
    )
pair_table(page)
page.why(
    [
        _("The simplified rule counts every token of the vocabulary alike; text does not."),
        _("Equal strings need not have equal numbers: an engine must translate ids, or it rejects every draft."),
        _("Splitting differs too: the same text may be other tokens to each model, even where both know them."),
    ],
    effective_alpha,
    alpha_ceiling,
    alpha_floor,
    break_even_alpha,
)
page.finish()
