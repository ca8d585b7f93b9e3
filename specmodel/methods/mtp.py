"""Multi-token prediction: modules that came with the model draft, chained or one of them again and again."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared, param
from specmodel.methods import _fields
from specmodel.methods._by_depth import falling_chances
from specmodel.methods._method import Method
from specmodel.model.costs import DraftCost
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.proposal import Proposal


@dataclass(frozen=True)
class Mtp(Declared):
    """One step for each draft, by one module that runs again on its own drafts or by modules in a chain.

    Both take the same time, since a module runs once for each draft. One module stands in memory once, but was often
    trained for one draft only, so its chance may fall with the position. Of chained modules each was trained for
    its own position, and all of them stand in memory: weights and cache count `modules` times.
    """

    first_acceptance: float = _fields.first_acceptance("mtp_first", 0.9)
    second_acceptance: float = _fields.second_acceptance("mtp_second", 0.7529)
    later_factor: float = _fields.later_factor("mtp_factor", 1.0182)
    num_speculative_tokens: int = _fields.length("mtp_k", 1)
    draft_cost_ratio: float = _fields.step_cost("mtp_c", 0.015)
    modules: int = param(
        "Modules",
        "1 is one module that runs again for each further draft, as engines do. More are a chain, each made for its "
        "own position; where drafts outnumber them they take turns. Parameters and cache below are those of one "
        "module and count once for each.",
        default=1,
        low=1,
        high=MAX_SPECULATIVE_TOKENS,
        format="d",
        key="mtp_modules",
        integer=True,
    )
    weights_billions: float = _fields.weights("mtp_size", 11.5)
    cache_bytes_per_token: int = _fields.cache_bytes("mtp_kv", 1152)


def _propose(values: Mtp) -> Proposal:
    k = values.num_speculative_tokens
    accepted = falling_chances(values.first_acceptance, values.second_acceptance, values.later_factor, k)
    return Proposal(accepted, k, k + 1, DraftCost(ratio=values.draft_cost_ratio), k)


METHOD = Method(
    key="mtp",
    order=80,
    label=N_("Multi-token prediction (MTP)"),
    params=Mtp,
    propose=_propose,
    wins=N_(
        "Where the model brings it along: DeepSeek-V3 keeps 85 to 90 % of its one draft; V3.2 makes 1.9 tokens in a "
        "round of 1.015 steps (eight B300, vLLM). Code keeps most: 0.905, 0.805 and 0.736 of three drafts "
        "(Qwen3.6-27B, one prompt)."
    ),
    loses=N_(
        "On long drafts where one module was trained for one token: GLM-4.5-Air keeps 0.92, 0.68 and 0.38 by position, "
        "so its chance per draft falls from 0.92 to 0.74 and 0.56. Not every module falls so: one that ran eight times "
        "went on from 0.76 with 0.81 to 0.88 (GSM8K, vLLM). On stories and translation, in long contexts (first "
        "position 0.935 to 0.721, Qwen3.6-27B), and on a mixture of experts in slow memory (0.8 times, GLM-5.2 on an "
        "M3 Ultra)."
    ),
    needs=N_(
        "Nothing to train: it is part of pretraining. To host: 11.5 billion weights for DeepSeek-V3's module, of which "
        "1.5 billion work for a token, and the cache of one layer. One module that runs again takes that once however "
        "many drafts there are; a chain takes it once for each of its modules."
    ),
    trained=False,
    lossless="depends",
    lossless_note=N_(
        "With rejection sampling it is. The relaxed acceptance that TensorRT-LLM offers for reasoning is not."
    ),
    citation="DeepSeek-AI 2024, arXiv 2412.19437",
)
