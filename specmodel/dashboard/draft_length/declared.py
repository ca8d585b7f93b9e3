"""What the Draft length page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.parts.explore import scenario_panel
from specmodel.dashboard.session.declaration import PageDeclaration
from specmodel.model.draft_lengths import (
    best_num_speculative_tokens,
    draft_lengths,
    marginal_gain_ms,
    speedup_map,
)
from specmodel.model.mean_rounds import mean_rounds

DECLARED = PageDeclaration(
    key="draft_length",
    title=N_("Draft length"),
    section=N_("Explore"),
    order=20,
    question=N_("How many tokens should it draft?"),
    panel=scenario_panel,
    explains=(
        draft_lengths,
        best_num_speculative_tokens,
        marginal_gain_ms,
        speedup_map,
        mean_rounds,
    ),
)
