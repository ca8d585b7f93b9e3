"""Why is the output still the target model's? Two distributions, one test, and all that comes out, enumerated."""

from specmodel.block_verification import BlockModels
from specmodel.dashboard.exactness import Exactness
from specmodel.dashboard.exactness_input import pair_input
from specmodel.dashboard.lesson import lesson
from specmodel.dashboard.page import Page
from specmodel.independent_drafts import recursive_rejection_acceptance
from specmodel.messages import N_
from specmodel.sampling import residual, verify
from specmodel.sampling_breaks import rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling_draws import chi_square
from specmodel.sampling_policy import acceptance_by_temperature, toy_logits

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
