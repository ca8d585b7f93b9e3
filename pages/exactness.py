"""Why is the output still the target model's? Two distributions, one test, and all that comes out, enumerated."""

from specmodel.base.messages import N_
from specmodel.dashboard.exactness.input import pair_input
from specmodel.dashboard.exactness.sections import Exactness
from specmodel.dashboard.lesson.old_lesson import lesson
from specmodel.dashboard.parts.old_page import Page
from specmodel.model.independent_drafts import recursive_rejection_acceptance
from specmodel.sampling.blocks import BlockModels
from specmodel.sampling.breaks import rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling.draws import chi_square
from specmodel.sampling.temperature import acceptance_by_temperature, toy_logits
from specmodel.sampling.verify import residual, verify

page = Page("exactness", N_("Why is the output still the target model's?"))
_ = page.translate
shown = Exactness(page, pair_input(page))
lesson(page, shown.steps(), shown.opening)
page.why(
    [
        _("One token at a time: in a round each draft meets distributions that the drafts before it decided."),
        _("Exact means up to rounding: where engines compute in bfloat16, greedy texts may part without a fault."),
    ],
    verify,
    residual,
    chi_square,
    acceptance_by_temperature,
    wrong_draft_output,
    typical_acceptance,
    rounding,
    BlockModels.by_token,
    BlockModels.by_block,
    recursive_rejection_acceptance,
    toy_logits,
)
page.finish()
