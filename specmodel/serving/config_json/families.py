"""The architectures that are read: what their config.json leaves to the code of the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from specmodel.base.messages import Verbatim
from specmodel.serving.config_json.keys import Keys, refuse

Window = Literal["", "all", "late", "second", "sixth", "chunked"]


@dataclass(frozen=True)
class Family:
    """What a config.json of this architecture does not say.

    `window`: which layers see only the last tokens where no list says it: none, all, those after `max_window_layers`,
    the first of every two, every one but each sixth, or those with rotary positions. `latent`: one compressed vector of
    a token is cached for all heads; `sparse`: of those a pass reads the ones that an indexer chooses; `linear`: layers
    with a state in place of a cache. `bias`: queries, keys and values have biases. `gated`: queries come with a gate as
    large. `tied`: the output head shares the embedding. `head_size`: heads do not share the width. `norms`: norms of a
    layer. `expert_width` names the inner width of an expert; `shared`: one more expert of that width for every token;
    `dense_beside`: the dense part stands beside the experts of its layer.
    """

    window: Window = ""
    latent: bool = False
    sparse: bool = False
    linear: bool = False
    bias: bool = False
    gated: bool = False
    tied: bool = False
    head_size: bool = False
    norms: int = 2
    expert_width: str = "moe_intermediate_size"
    shared: bool = False
    dense_beside: bool = False


_LLAMA = Family()
_QWEN2 = Family(window="late", bias=True)
_QWEN3 = Family(window="late")
_GATED = Family(linear=True, gated=True)
_GEMMA3 = Family(window="sixth", tied=True, head_size=True, norms=4)
_GEMMA4 = Family(window="sixth", tied=True, head_size=True, norms=4, dense_beside=True)
_LATENT = Family(latent=True)
_SPARSE = Family(latent=True, sparse=True)
_LLAMA4 = Family(window="chunked", expert_width="intermediate_size", shared=True)

FAMILIES: Mapping[str, Family] = {
    "llama": _LLAMA,
    "granite": _LLAMA,
    "smollm3": Family(tied=True),
    "mistral": Family(window="all"),
    "ministral3": Family(window="all"),
    "mixtral": Family(window="all", expert_width="intermediate_size"),
    "phi3": Family(window="all"),
    "qwen2": _QWEN2,
    "qwen2_moe": _QWEN2,
    "qwen2_5_vl": _QWEN2,
    "qwen2_5_vl_text": _QWEN2,
    "qwen3": _QWEN3,
    "qwen3_moe": _QWEN3,
    "qwen3_vl_text": _QWEN3,
    "qwen3_vl_moe_text": _QWEN3,
    "qwen3_next": _GATED,
    "qwen3_5": _GATED,
    "qwen3_5_text": _GATED,
    "qwen3_5_moe": _GATED,
    "qwen3_5_moe_text": _GATED,
    "gemma2": Family(window="second", tied=True, head_size=True, norms=4),
    "gemma3": _GEMMA3,
    "gemma3_text": _GEMMA3,
    "gemma4": _GEMMA4,
    "gemma4_text": _GEMMA4,
    "gpt_oss": Family(window="second", bias=True, head_size=True, expert_width="intermediate_size"),
    "deepseek_v2": _LATENT,
    "deepseek_v3": _LATENT,
    "deepseek_v32": _SPARSE,
    "kimi_k2": _LATENT,
    "kimi_k25": _LATENT,
    "glm4_moe": _LLAMA,
    "glm4_moe_lite": _LATENT,
    "glm_moe_dsa": _SPARSE,
    "minimax_m2": Family(expert_width="intermediate_size"),
    "llama4": _LLAMA4,
    "llama4_text": _LLAMA4,
}
NOT_COUNTED = (
    "hidden_size_per_layer_input",
    "num_kv_shared_layers",
    "hybrid_override_pattern",
    "compress_ratios",
    "ssm_state_size",
)
"""Keys of parts that the numbers of a target model cannot say: embeddings of each layer, caches that layers share."""


def family_of(keys: Keys) -> Family:
    """The architecture that a config.json names; one that is not known, or has parts that are not counted, is refused.

    >>> family_of(Keys({"model_type": "qwen3_next"})).linear
    True
    """
    name = keys.text("model_type")
    if not name:
        refuse("{key} is missing: without it the model cannot be counted", key="model_type")
    if name not in FAMILIES:
        known = Verbatim(", ".join(sorted(FAMILIES)))
        refuse("model_type = {value} is not known here; known are {known}", value=name, known=known)
    for key in NOT_COUNTED:
        if keys.get(key):
            refuse("{key}: such a part cannot be said with the numbers of a target model", key=key)
    return FAMILIES[name]
