"""The article's first table, live: what each acceptance comes to. Drawn only while it is open."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session.translation import Translator
from specmodel.model.draft_lengths import Sweep, sweep

ARTICLE_ALPHAS = (0.2, 0.4, 0.6, 0.8, 0.95)
COLUMNS = (
    "alpha",
    "mean_acceptance_length",
    "num_rounds",
    "total_ms",
    "total_ms_low",
    "total_ms_high",
    "time_ratio",
    "num_wasted_draft_tokens",
)


def acceptance_table(page: Page) -> None:
    """The article's five acceptances and the current one, everything else as in the scenario."""
    _, scenario = page.translate, page.scenario
    with st.expander(_("Table by acceptance"), key="by_acceptance", on_change="rerun") as table:
        if not wanted(table):
            return
        swept = sweep(scenario, alpha=sorted({*ARTICLE_ALPHAS, scenario.alpha}))
        data = {name: swept.column(name).tolist() for name in COLUMNS}
        page.table("by_acceptance", _("By acceptance"), _columns(swept, _), data=data)


def _columns(swept: Sweep, translate: Translator) -> dict[str, Sequence[Any]]:
    rows = swept.outcomes
    return {
        translate("acceptance"): [f"{scenario.alpha:g}" for scenario in swept.scenarios],
        translate("tokens per round"): [f"{row.mean_acceptance_length:.3f}" for row in rows],
        translate("rounds"): [f"{row.num_rounds:,.1f}" for row in rows],
        translate("time (s)"): [f"{row.total_ms / 1000:,.2f}" for row in rows],
        translate("5–95 %"): [f"{row.total_ms_low / 1000:,.2f} – {row.total_ms_high / 1000:,.2f}" for row in rows],
        translate("time ratio"): [f"{row.total_ms / row.baseline_ms:.3f}" for row in rows],
        translate("wasted drafts"): [f"{row.num_wasted_draft_tokens:,.0f}" for row in rows],
    }
