"""What happens when the workload changes? Rules that choose the draft length, played on the same seeded rounds."""

from specmodel.base.messages import N_
from specmodel.dashboard.drift.input import drift_input
from specmodel.dashboard.drift.sections import Drift
from specmodel.dashboard.lesson.old_lesson import lesson
from specmodel.dashboard.parts.old_page import Page
from specmodel.drift.adaptation import Adaptation
from specmodel.drift.boundary import failure_boundary, phase_speedups
from specmodel.drift.phases import Phase
from specmodel.drift.plan import best_plan
from specmodel.drift.rounds import draw_rounds
from specmodel.drift.workload_inputs import with_spread

page = Page("drift", N_("What happens when the workload changes?"))
_ = page.translate
shown = Drift(page, drift_input(page))
lesson(page, shown.steps(), shown.opening)
page.rests_on(shown.facts())
page.why(
    [
        _("One request at a time: under load the cost of a round rises with the batch (see Serving load)."),
        _("Acceptance changes from request to request; inside an answer it does so only where the draft learns."),
        _("A request is of one kind of text: real ones mix them."),
        _("Rules see which drafts are accepted; those that go by the drafter's own probabilities are left out."),
        _("How a draft learns is a curve with two assumed numbers; what it learned is lost at the next phase."),
    ],
    failure_boundary,
    phase_speedups,
    Phase,
    with_spread,
    draw_rounds,
    best_plan,
    Adaptation.learned,
)
page.finish()
