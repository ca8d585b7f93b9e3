"""What happens inside one round? Two lanes on one clock, step by step."""

from specmodel.acceptance import Acceptance
from specmodel.costs import round_cost
from specmodel.dashboard.page import Page
from specmodel.dashboard.player import play
from specmodel.messages import N_
from specmodel.simulate import simulate, trace

page = Page("one_round", N_("What happens inside one round?"))
_, scenario = page.translate, page.scenario

play(page)
page.note(_("Simulated: one run of this scenario, drawn draft by draft from the seed in the link."))
page.symbols()
page.why(
    [
        _("Every draft is accepted with the same chance, whatever the text."),
        _("Draft and target take turns; engines that overlap them save part of the drafting time."),
    ],
    trace,
    simulate,
    Acceptance,
    round_cost,
)
page.finish()
