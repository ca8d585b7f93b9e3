"""What the Reference page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.reference.entry import KINDS
from specmodel.dashboard.session.declaration import Option, PageDeclaration
from specmodel.measured.definitions import translate_rate
from specmodel.model.mean_rounds import mean_rounds
from specmodel.model.outcome import evaluate

DECLARED = PageDeclaration(
    key="reference",
    title=N_("Reference"),
    section=N_("Learn"),
    order=900,
    question=N_("What does each number mean, and where does it come from?"),
    options=(
        Option("entry", "", None),
        Option("find", "", None),
        Option("entries", "", ("", *KINDS)),
    ),
    explains=(evaluate, translate_rate, mean_rounds),
)
