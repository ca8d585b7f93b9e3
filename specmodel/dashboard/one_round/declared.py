"""What the One round page declares of itself."""

from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_
from specmodel.dashboard.parts.explore import scenario_panel
from specmodel.dashboard.session.declaration import Experiment, LessonPart, Option, PageDeclaration
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import round_cost
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS, Scenario
from specmodel.model.simulate import simulate, trace

VERIFIED = MAX_SPECULATIVE_TOKENS + 1
"""The stage of a round in which its drafts have been checked, whatever their number."""
_ONE_ALPHA: Mapping[str, Any] = {"acceptance_shape": (), "vocabulary_overlap": 1}

LESSON = {
    "play": LessonPart(
        2, N_("The drafter proposes tokens, one pass of the target checks them all, the first mistake ends it.")
    ),
    "kept": LessonPart(
        2,
        N_("A draft only counts if all before it were right, so no further one brings more than the last."),
        (
            Experiment(
                N_("Twice as many drafts"),
                N_(
                    "Five drafts keep 1.38 on average, ten keep 1.49: position i only counts with chance 0.6^i, so "
                    "nearly all the added drafts are thrown away."
                ),
                {Scenario: {"alpha": 0.6, "num_speculative_tokens": 10, **_ONE_ALPHA}},
            ),
            Experiment(
                N_("A better drafter"),
                N_("With α = 0.9 five drafts keep 3.69 on average, and one bar stands out: all of them."),
                {Scenario: {"alpha": 0.9, "num_speculative_tokens": 5, **_ONE_ALPHA}},
            ),
        ),
    ),
    "whole": LessonPart(
        1,
        N_("Chances multiply: five drafts with a chance of 0.6 each are all right in 8 of 100 rounds."),
        (
            Experiment(
                N_("How sure is sure enough?"),
                N_(
                    "To keep all five in every other round, each has to be right 87 times in 100: 0.87 multiplied "
                    "by itself five times is 0.498."
                ),
                {Scenario: {"alpha": 0.87, "num_speculative_tokens": 5, **_ONE_ALPHA}},
            ),
        ),
    ),
    "symbols": LessonPart(
        1, N_("Two numbers decide: τ, the tokens of a round, and ρ, its cost. It pays if τ is above ρ.")
    ),
}

DECLARED = PageDeclaration(
    key="one_round",
    title=N_("One round"),
    section=N_("Learn"),
    order=70,
    question=N_("What happens inside one round?"),
    panel=scenario_panel,
    options=(
        Option("seed", 1, range(1_000_000)),
        Option("round", 1, range(1, 10_000)),
        Option("stage", VERIFIED, range(VERIFIED + 1)),
    ),
    explains=(
        trace,
        simulate,
        Acceptance,
        round_cost,
    ),
    lesson=LESSON,
)
