"""What the Speedup page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.parts.explore import scenario_panel
from specmodel.dashboard.session.declaration import Option, PageDeclaration
from specmodel.measured.bundled import bundled_runs
from specmodel.measured.rounds import MeasuredRounds
from specmodel.model.break_even import break_even_alpha
from specmodel.model.costs import round_cost
from specmodel.model.draft_lengths import best_num_speculative_tokens
from specmodel.model.outcome import evaluate
from specmodel.model.rounds import rounds_distribution
from specmodel.model.scenario import cost_ratio
from specmodel.model.speedup_curve import speedup_curve

DECLARED = PageDeclaration(
    key="speedup",
    title=N_("Speedup"),
    section=N_("Explore"),
    order=10,
    question=N_("When does speculation pay?"),
    panel=scenario_panel,
    options=(
        Option("show", "speedup", ("speedup", "time_ratio")),
        Option("run", "none", ("none", *(run.key for run in bundled_runs()), "upload")),
        Option("text", "all", None),
        Option("drafts", "4", None),
        Option("temp", "all", None),
    ),
    explains=(
        evaluate,
        break_even_alpha,
        cost_ratio,
        round_cost,
        speedup_curve,
        rounds_distribution,
        best_num_speculative_tokens,
        MeasuredRounds.alpha,
        MeasuredRounds.conditional_acceptance,
    ),
)
