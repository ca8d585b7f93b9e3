"""Your own drafter, as you measured it: its acceptance by position and what a draft step costs."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared, declarations, like
from specmodel.methods import _fields
from specmodel.methods._method import Method
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost, DraftShape
from specmodel.model.scenario import Scenario
from specmodel.serving.proposal import Proposal


@dataclass(frozen=True)
class Measured(Declared):
    """A drafter as measured: the chance of the first draft, by what factor later ones differ, and what a step costs.

    Nothing of it stands in a link: it is filled in from the scenario, which does.
    """

    alpha: float = _fields.alpha("", 0.6)
    acceptance_shape: tuple[float, ...] = like(declarations(Scenario)["acceptance_shape"], key="")
    num_speculative_tokens: int = _fields.length("", 5)
    draft_cost_ratio: float = _fields.step_cost("", 0.1364)
    drafting_ms: float = _fields.drafting_ms("")
    weights_billions: float = _fields.weights("")
    cache_bytes_per_token: int = _fields.cache_bytes("")


def propose_measured(
    acceptance: Acceptance, draft_cost_ratio: float = 0.0, drafting_ms: float = 0.0, shape: DraftShape = "sequential"
) -> Proposal:
    """A round with a measured acceptance: k drafts, k + 1 tokens checked.

    `draft_cost_ratio` is the cost of a step of the drafter in plain target steps (all drafting, where it takes one
    step); `drafting_ms` is added once a round.

    >>> propose_measured(Acceptance.from_per_position([0.7, 0.5]), 0.1).tau
    2.2
    """
    k = acceptance.num_speculative_tokens
    steps = k if shape == "sequential" else min(k, 1)
    cost = DraftCost(shape, ratio=draft_cost_ratio, ms=drafting_ms / max(steps, 1))
    return Proposal(acceptance, k, k + 1, cost, steps)


def _propose(values: Measured) -> Proposal:
    accepted = Acceptance.shaped(values.alpha, values.num_speculative_tokens, values.acceptance_shape)
    return propose_measured(accepted, values.draft_cost_ratio, values.drafting_ms)


METHOD = Method(
    key="measured",
    order=130,
    label=N_("Your measured one"),
    params=Measured,
    propose=_propose,
    wins=N_("Whatever your own runs show: measure on your prompts, at your temperature and batch."),
    loses=N_("Outside what was measured: acceptance changes with the prompts, costs with the batch and the context."),
    needs=N_("A log, a metrics page or a table of rounds from your engine."),
    trained=False,
    lossless="depends",
    lossless_note=N_("It depends on how your engine accepts drafts."),
    citation="–",
)
