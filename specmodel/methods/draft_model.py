"""A smaller model of the same family drafts, one token after another."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared
from specmodel.methods import _fields
from specmodel.methods._method import Method
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.proposal import Proposal


@dataclass(frozen=True)
class DraftModel(Declared):
    """A drafter of its own: one chance at every position, and k steps that each cost a share of a target step."""

    alpha: float = _fields.alpha("draft_model_alpha", 0.5755)
    num_speculative_tokens: int = _fields.length("draft_model_k", 5)
    draft_cost_ratio: float = _fields.step_cost("draft_model_c", 0.0352)
    weights_billions: float = _fields.weights("draft_model_size", 0.068)
    cache_bytes_per_token: int = _fields.cache_bytes("draft_model_kv")


def _propose(values: DraftModel) -> Proposal:
    k = values.num_speculative_tokens
    return Proposal(Acceptance.iid(values.alpha, k), k, k + 1, DraftCost(ratio=values.draft_cost_ratio), k)


METHOD = Method(
    key="draft_model",
    order=10,
    label=N_("Draft model"),
    params=DraftModel,
    propose=_propose,
    wins=N_(
        "Where the target is large and a small model of the same family exists. With a drafter that costs 2 to 4 % of "
        "a target step and a chance of 0.62 to 0.80 per draft, T5-XXL ran 2.3 to 3.4 times as fast (Leviathan et al. "
        "2023, Table 4); a 4B drafter at 13 % of a step still gave Chinchilla 1.9 to 2.5 times."
    ),
    loses=N_(
        "Where the drafter is not small against the target, and under load: a 0.5B drafter for a 70B target gave 1.5 "
        "times at one request a second and 0.71 times at ten (vLLM, 2024). Sampling at temperature 1 cost the T5 "
        "drafters 0.11 to 0.18 of acceptance."
    ),
    needs=N_(
        "Nothing to train where a matching small model exists. To host: its weights and a whole cache of its own; it "
        "has to share the target's vocabulary, or need a translation between the two."
    ),
    trained=False,
    lossless="yes",
    lossless_note=N_("With rejection sampling the output has exactly the target's distribution."),
    citation="Leviathan, Kalman, Matias 2023, arXiv 2211.17192; Chen et al. 2023, arXiv 2302.01318",
)
