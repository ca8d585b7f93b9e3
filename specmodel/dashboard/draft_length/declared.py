"""What the Draft length page declares of itself."""

from dataclasses import replace

from specmodel.base.messages import N_
from specmodel.dashboard.parts.explore import SCENARIO
from specmodel.dashboard.session.declaration import PageDeclaration, fields_of
from specmodel.model.confidence import Stopping, stopped_rounds
from specmodel.model.draft_lengths import (
    best_num_speculative_tokens,
    draft_lengths,
    marginal_gain_ms,
    speedup_map,
)
from specmodel.model.mean_rounds import mean_rounds

PANEL = replace(
    SCENARIO,
    key="draft_length",
    more=(*SCENARIO.more, *fields_of(Stopping, "p_min", "concentration")),
    more_label=N_("More costs, prompts, p-min"),
)

DECLARED = PageDeclaration(
    key="draft_length",
    title=N_("Draft length"),
    section=N_("Explore"),
    order=20,
    question=N_("How many tokens should it draft?"),
    panel=lambda options: PANEL,
    groups=lambda options: (Stopping(),),
    explains=(
        draft_lengths,
        best_num_speculative_tokens,
        marginal_gain_ms,
        speedup_map,
        mean_rounds,
        stopped_rounds,
    ),
)
