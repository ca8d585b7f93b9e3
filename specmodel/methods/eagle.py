"""EAGLE: a head of one layer drafts from the target's own features; as a chain or as a fixed tree."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared
from specmodel.methods import _fields
from specmodel.methods._eagle import propose
from specmodel.methods._method import Method


@dataclass(frozen=True)
class Eagle(Declared):
    """A head and its tree; with no more drafts than levels it is a chain."""

    first_acceptance: float = _fields.first_acceptance("eagle_first", 0.79)
    later_acceptance: float = _fields.later_acceptance("eagle_later", 0.7248)
    next_candidate: float = _fields.next_candidate("eagle_next", 0.1175)
    num_draft_tokens: int = _fields.nodes("eagle_nodes", 25)
    depth: int = _fields.depth("eagle_depth", 5)
    draft_cost_ratio: float = _fields.step_cost("eagle_c", 0.0592)
    drafting_ms: float = _fields.drafting_ms("eagle_ms")
    weights_billions: float = _fields.weights("eagle_size", 0.37)
    cache_bytes_per_token: int = _fields.cache_bytes("eagle_kv", 20_480)


METHOD = Method(
    key="eagle",
    order=50,
    label=N_("EAGLE"),
    params=Eagle,
    propose=propose,
    wins=N_(
        "On nearly everything with one request: 3.0 to 3.2 tokens a round as a chain of five, 3.6 to 4.0 as a tree "
        "(MT-bench, 7B to 70B). Its chance per draft is nearly flat: 0.79, 0.74, 0.72, 0.73, 0.67 (Vicuna-7B, Li et "
        "al. 2024, Table 2)."
    ),
    loses=N_(
        "On a mixture of experts with one request (Mixtral: 3.25 tokens, but a round of 2.17 steps) and under load: a "
        "chain of three falls below 1 from batch 24 on (Llama-3.1-8B, H100). Engines pay 11 to 12 % of a step for each "
        "draft, checking included, although the head does a twentieth of the target's work. Temperature 1 takes 9 to "
        "20 % of the tokens a round."
    ),
    needs=N_(
        "One layer to train for each target (0.24 to 1.05 billion weights; 1 to 2 days on eight RTX 3090). To host: "
        "that layer and the cache of one layer."
    ),
    trained=True,
    lossless="yes",
    lossless_note=N_("With rejection sampling along the tree."),
    citation="Li, Wei, Zhang, Zhang 2024, arXiv 2401.15077",
    length="num_draft_tokens",
)
