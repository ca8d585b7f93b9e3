"""What attention of each layer weighs, caches and computes, by the kind of the layer."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from specmodel.serving.config_json.families import Family
from specmodel.serving.config_json.keys import Keys, refuse

Kind = Literal["full", "window", "state"]
KINDS: dict[str, Kind] = {
    "full_attention": "full",
    "attention": "full",
    "sliding_attention": "window",
    "chunked_attention": "window",
    "linear_attention": "state",
}
STATE_PASSES = 2
"""A pass reads the state of a sequence and writes it: both count."""


@dataclass(frozen=True)
class Attention:
    """Attention of all layers together: weights, numbers in the caches and in the states, multiply-accumulates.

    `full` and `window` are numbers of one token in the caches of the layers of that kind; `kept` are those that stay
    beyond the window; `index` are those of an indexer, which is read in full. `state` are the numbers of one sequence.
    """

    layers: int
    weights: int = 0
    full: int = 0
    window: int = 0
    kept: int = 0
    index: int = 0
    state: int = 0
    macs_full: int = 0
    macs_window: int = 0
    window_tokens: int | None = None


def attention_of(keys: Keys, family: Family) -> Attention:
    """Attention of all layers. Raises `SpecmodelError` for a key that is missing, or a mixture that cannot be said.

    >>> keys = Keys({"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8})
    >>> found = attention_of(keys, Family())
    >>> found.full, found.macs_full
    (65536, 262144)
    """
    layers = keys.whole("num_hidden_layers", high=10_000)
    if family.latent:
        return _latent(keys, family, layers)
    counts = Counter(kinds_of(keys, family, layers))
    if counts["window"] and counts["state"]:
        refuse("layers with a window beside layers with a state: the numbers of a target model say one of both")
    heads = _heads(keys, family, local=True), _heads(keys, family, local=False)
    (local, seen, local_macs), (full, cached, macs) = heads
    state_weights, state = _state_layer(keys) if counts["state"] else (0, 0)
    weights = counts["window"] * local + counts["full"] * full + counts["state"] * state_weights
    return Attention(
        layers,
        weights,
        full=counts["full"] * cached,
        window=counts["window"] * seen,
        state=counts["state"] * state,
        macs_full=counts["full"] * macs,
        macs_window=counts["window"] * local_macs,
        window_tokens=_window(keys) if counts["window"] else None,
    )


def kinds_of(keys: Keys, family: Family, layers: int) -> list[Kind]:
    """The kind of each layer: from its list where there is one, else by the rule of the architecture.

    >>> kinds_of(Keys({"full_attention_interval": 4}), Family(linear=True), 4)
    ['state', 'state', 'state', 'full']
    """
    listed = keys.listed("layer_types", layers)
    if listed is not None:
        unknown = next((each for each in listed if not isinstance(each, str) or each not in KINDS), None)
        if unknown is not None:
            refuse("layer_types: {value} is not known here", value=str(unknown))
        return [KINDS[each] for each in listed]
    if family.linear:
        every = keys.whole("full_attention_interval", "attn_layer_period", high=layers)
        return ["full" if (index + 1) % every == 0 else "state" for index in range(layers)]
    return _by_window(keys, family, layers)


def _by_window(keys: Keys, family: Family, layers: int) -> list[Kind]:
    if family.window == "chunked":
        return _chunked(keys, layers)
    if not family.window or _window(keys) is None or not keys.flag("use_sliding_window", family.window != "late"):
        return ["full"] * layers
    if family.window == "all":
        return ["window"] * layers
    if family.window == "late":
        first = keys.whole("max_window_layers", low=0, default=layers)
        return ["window" if index >= first else "full" for index in range(layers)]
    every = 2 if family.window == "second" else keys.whole("sliding_window_pattern", default=6)
    return ["full" if (index + 1) % every == 0 else "window" for index in range(layers)]


def _chunked(keys: Keys, layers: int) -> list[Kind]:
    """Layers with rotary positions see their chunk alone: those that `no_rope_layers` marks with 1."""
    if keys.get("attention_chunk_size") is None:
        return ["full"] * layers
    keys.assume("Layers that see a chunk of the text are counted with the whole chunk: on average a token sees half.")
    marks = keys.listed("no_rope_layers", layers) if keys.get("no_rope_layers") else None
    every = keys.whole("no_rope_layer_interval", default=4)
    rotary = marks or [int((index + 1) % every != 0) for index in range(layers)]
    return ["window" if mark else "full" for mark in rotary]


def _window(keys: Keys) -> int | None:
    names = ("sliding_window", "attention_chunk_size")
    return None if keys.get(*names) is None else keys.whole(*names)


def _heads(keys: Keys, family: Family, *, local: bool) -> tuple[int, int, int]:
    """Weights of grouped heads in one layer, numbers of a token in its cache, multiply-accumulates of a pair."""
    width, heads = keys.whole("hidden_size"), keys.whole("num_attention_heads", high=100_000)
    groups, size = _groups(keys, heads), _size(keys, family, width, heads)
    same = False
    if family.dense_beside and not local:
        size, same = keys.whole("global_head_dim", default=size), keys.flag("attention_k_eq_v", False)
        groups = keys.whole("num_global_key_value_heads", default=groups, high=heads) if same else groups
    bias = keys.flag("attention_bias", family.bias)
    queries, cached = heads * size * (2 if family.gated else 1), 2 * groups * size
    projected = queries + (cached // 2 if same else cached)
    weights = width * (projected + heads * size) + (projected if bias else 0) + 2 * size
    return weights, cached, 2 * heads * size


def _groups(keys: Keys, heads: int) -> int:
    if keys.get("num_key_value_heads") is None:
        keys.assume("num_key_value_heads is missing: as many as num_attention_heads.")
    groups = keys.whole("num_key_value_heads", default=heads, high=heads)
    if heads % groups:
        refuse("{heads} heads cannot share {groups} of keys and values evenly", heads=heads, groups=groups)
    return groups


def _size(keys: Keys, family: Family, width: int, heads: int) -> int:
    """The size of a head: width ÷ heads where it is not said, unless the architecture has another rule."""
    if keys.get("head_dim") is not None or family.head_size:
        return keys.whole("head_dim", high=100_000)
    if width % heads:
        refuse("head_dim is missing, and {width} is no multiple of {heads} heads", width=width, heads=heads)
    return width // heads


def _state_layer(keys: Keys) -> tuple[int, int]:
    """Weights of a gated delta rule in one layer, and the numbers of its state: a matrix a head, and a convolution."""
    width = keys.whole("hidden_size")
    of_keys = keys.whole("linear_num_key_heads") * keys.whole("linear_key_head_dim")
    heads, size = keys.whole("linear_num_value_heads"), keys.whole("linear_value_head_dim")
    taps, values = keys.whole("linear_conv_kernel_dim", high=1000), heads * size
    mixed = 2 * of_keys + values
    weights = width * (mixed + values + 2 * heads) + taps * mixed + 2 * heads + size + values * width
    return weights, values * keys.whole("linear_key_head_dim") + (taps - 1) * mixed


def _latent(keys: Keys, family: Family, layers: int) -> Attention:
    """Latent attention: queries meet the compressed vector of a token itself (absorbed), with its rotary part beside.

    Source: DeepSeek-V2 (arXiv 2405.04434) for the parts; a sparse one reads `index_topk` tokens (DeepSeek-V3.2).
    """
    width, heads = keys.whole("hidden_size"), keys.whole("num_attention_heads", high=100_000)
    latent, rope = keys.whole("kv_lora_rank"), keys.whole("qk_rope_head_dim", low=0)
    plain, values = keys.whole("qk_nope_head_dim"), keys.whole("v_head_dim")
    through = keys.whole("q_lora_rank", low=0, default=0)
    asked = heads * (plain + rope)
    queries = width * through + through + through * asked if through else width * asked
    one = queries + width * (latent + rope) + latent + latent * heads * (plain + values) + heads * values * width
    cached, macs = layers * (latent + rope), layers * heads * (2 * latent + rope)
    if not family.sparse:
        return Attention(layers, layers * one, full=cached, macs_full=macs)
    indexers = _indexers(keys, layers)
    index_heads, index_size = keys.whole("index_n_heads"), keys.whole("index_head_dim")
    indexer = through * index_heads * index_size + width * (index_size + index_heads) + 2 * index_size
    keys.assume(
        "Keys of the indexer are counted with 8 bits and read for all tokens; of the others {tokens:,} are read.",
        tokens=keys.whole("index_topk"),
    )
    return Attention(
        layers,
        layers * one + indexers * indexer,
        window=cached,
        kept=cached,
        index=indexers * index_size,
        macs_full=indexers * index_heads * index_size,
        macs_window=macs,
        window_tokens=keys.whole("index_topk"),
    )


def _indexers(keys: Keys, layers: int) -> int:
    """Layers with an indexer of their own; others take the choice of the one before."""
    listed = keys.listed("indexer_types", layers)
    if listed is not None:
        return max(1, [str(each) for each in listed].count("full"))
    every = keys.whole("index_topk_freq", default=1)
    first = keys.whole("index_skip_topk_offset", low=0, default=0)
    return sum(index < first or (index + 1 - first) % every == 0 for index in range(layers))
