"""What happens inside one round? Two lanes on one clock, step by step."""

from specmodel.acceptance import Acceptance
from specmodel.costs import round_cost
from specmodel.dashboard.lesson import lesson
from specmodel.dashboard.page import Page
from specmodel.dashboard.round_lesson import assumption, opening, round_steps
from specmodel.messages import N_
from specmodel.simulate import simulate, trace

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
