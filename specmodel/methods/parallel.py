"""Parallel drafters: one pass of a small drafter gives all drafts at once (PARD, P-EAGLE)."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared
from specmodel.methods import _fields
from specmodel.methods._by_depth import two_chances
from specmodel.methods._method import Method
from specmodel.model.costs import DraftCost
from specmodel.serving.proposal import Proposal


@dataclass(frozen=True)
class Parallel(Declared):
    """All drafts in one pass, whose cost does not grow with their number."""

    first_acceptance: float = _fields.first_acceptance("parallel_first", 0.8317)
    later_acceptance: float = _fields.later_acceptance("parallel_later", 0.7241)
    num_speculative_tokens: int = _fields.length("parallel_k", 7)
    draft_cost_ratio: float = _fields.round_cost("parallel_c", 0.18)
    weights_billions: float = _fields.weights("parallel_size")
    cache_bytes_per_token: int = _fields.cache_bytes("parallel_kv")


def _propose(values: Parallel) -> Proposal:
    k = values.num_speculative_tokens
    accepted = two_chances(values.first_acceptance, values.later_acceptance, k)
    return Proposal(accepted, k, k + 1, DraftCost("parallel", ratio=values.draft_cost_ratio), min(k, 1))


METHOD = Method(
    key="parallel",
    order=90,
    label=N_("Parallel drafter (PARD, P-EAGLE)"),
    params=Parallel,
    propose=_propose,
    wins=N_(
        "Where drafting one token after another is what costs: P-EAGLE keeps 2.9 to 3.9 tokens a round against "
        "EAGLE-3's 2.2 to 3.3 and is 1.05 to 1.69 times as fast (gpt-oss-20b, B200, vLLM). PARD gave Llama-3.1-8B 4.0 "
        "times on mathematics and 4.8 times on code (A100)."
    ),
    loses=N_(
        "On chat (PARD 2.7 times), and with load: P-EAGLE's lead over EAGLE-3 shrinks from 1.55 to 1.05 between 1 and "
        "64 requests. Neither publishes what its drafting pass costs."
    ),
    needs=N_(
        "PARD: a small model adapted once for a whole family (0.5 to 1.5 billion weights, its own cache). P-EAGLE: a "
        "head for each target."
    ),
    trained=True,
    lossless="yes",
    lossless_note=N_("With rejection sampling; greedy proposals are exact as well."),
    citation="An et al. 2025, arXiv 2504.18583 (PARD); P-EAGLE: vLLM blog 2026-03-13",
)
