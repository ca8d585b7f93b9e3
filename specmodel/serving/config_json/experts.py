"""What follows attention in each layer: a dense part, or experts with their router."""

from dataclasses import dataclass

from specmodel.serving.config_json.families import Family
from specmodel.serving.config_json.keys import Keys, refuse

ROUTED = ("n_routed_experts", "num_experts", "num_local_experts")
CHOSEN = ("num_experts_per_tok", "top_k_experts", "num_experts_per_token")


@dataclass(frozen=True)
class Experts:
    """The weights behind attention: `beside` of all layers without routed experts, and the experts.

    `expert` are the weights of one expert of one layer, `layers` those that have experts, `shared` how many of the same
    size every token uses beside the chosen ones; those are part of `beside`.
    """

    beside: int
    expert: int = 0
    layers: int = 0
    routed: int = 0
    chosen: int = 0
    shared: float = 0

    @property
    def total(self) -> int:
        """All weights."""
        return self.beside + self.layers * self.routed * self.expert

    @property
    def used(self) -> int:
        """Those that one token uses."""
        return self.beside + self.layers * self.chosen * self.expert


def experts_of(keys: Keys, family: Family, layers: int) -> Experts:
    """What follows attention in all layers. Raises `SpecmodelError` for a key that is missing or makes no sense.

    >>> dense = Keys({"hidden_size": 4096, "intermediate_size": 14336})
    >>> experts_of(dense, Family(), 32).total
    5637144576
    """
    width = keys.whole("hidden_size")
    routed = keys.whole(*ROUTED, low=0, high=100_000, default=0)
    if not routed or not keys.flag("enable_moe_block", True):
        return Experts(layers * 3 * width * keys.whole("intermediate_size"))
    inner, chosen = keys.whole(family.expert_width), keys.whole(*CHOSEN, high=100_000)
    if chosen >= routed:
        refuse("{chosen} of {routed} experts for a token: fewer are needed", chosen=chosen, routed=routed)
    sparse = _sparse_layers(keys, layers)
    biased = keys.text("model_type") == "gpt_oss"
    expert = 3 * width * inner + (2 * inner + width if biased else 0)
    together = _shared_width(keys, family, inner)
    router = routed * (width + 1) + (width if keys.get("shared_expert_intermediate_size") else 0)
    beside = sparse * (3 * width * together + router)
    if family.dense_beside:
        beside += layers * 3 * width * keys.whole("intermediate_size")
    elif layers > sparse:
        beside += (layers - sparse) * 3 * width * keys.whole("intermediate_size_mlp", "intermediate_size")
    return Experts(beside, expert, sparse, routed, chosen, _in_experts(keys, together, inner))


def _in_experts(keys: Keys, together: int, inner: int) -> float:
    """Shared experts in those of the routed size; others count among what is dense."""
    if together % inner == 0:
        return together // inner
    keys.assume("Shared experts of another size than the routed ones count as dense weights.")
    return 0


def _shared_width(keys: Keys, family: Family, inner: int) -> int:
    """The inner width of all shared experts of a layer."""
    if family.shared:
        return inner
    width = keys.whole("shared_expert_intermediate_size", low=0, default=0)
    return width or keys.whole("n_shared_experts", "num_shared_experts", low=0, high=1000, default=0) * inner


def _sparse_layers(keys: Keys, layers: int) -> int:
    """How many layers have experts: by the list of them, those that are dense first or by name, or every n-th."""
    if isinstance(keys.get("moe_layers"), list) and keys.get("moe_layers"):
        return min(layers, len(set(map(str, keys.get("moe_layers")))))
    first = keys.whole("first_k_dense_replace", low=0, high=layers, default=0)
    every = keys.whole("interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_freq", default=1)
    named = keys.get("mlp_only_layers") or []
    if not isinstance(named, list):
        refuse("{key} = {value}: a list of layers is needed", key="mlp_only_layers", value=str(named))
    offset = 0 if keys.get("moe_layer_freq") is not None else 1
    sparse = sum(index >= first and (index + offset) % every == 0 and index not in named for index in range(layers))
    if not sparse:
        refuse("no layer of {layers} has experts, although there are some", layers=layers)
    return sparse
