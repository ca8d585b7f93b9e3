"""What happens inside one round? Two lanes on one clock, step by step."""

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.lesson import lesson
from specmodel.dashboard.one_round.lesson import assumption, opening, round_steps
from specmodel.dashboard.parts.page import Page
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import round_cost
from specmodel.model.simulate import simulate, trace

page = Page("one_round", N_("What happens inside one round?"))
_ = page.translate

lesson(page, round_steps(page), lambda: opening(page))
page.why(
    [
        assumption(page.scenario, _),
        _("Draft and target take turns; engines that overlap them save part of the drafting time."),
    ],
    trace,
    simulate,
    Acceptance,
    round_cost,
)
page.finish()
