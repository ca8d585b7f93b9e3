"""What the Validation page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.session.declaration import Option, PageDeclaration
from specmodel.model.other_lengths import length_bands
from specmodel.model.step_cost import one_round
from specmodel.validation.judged import records
from specmodel.validation.load_rules import calibrated_points
from specmodel.validation.point import RULES
from specmodel.validation.rules import judge

EVERY = "all"
FIRST_RULE = "engine"

DECLARED = PageDeclaration(
    key="validation",
    title=N_("Validation"),
    section=N_("Measure"),
    order=65,
    question=N_("How far can these numbers be trusted?"),
    options=(
        Option("judged", FIRST_RULE, (EVERY, *RULES)),
        Option("origin", "", None),
    ),
    explains=(judge, records, length_bands, one_round, calibrated_points),
)
