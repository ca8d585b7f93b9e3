"""How many sequences fit into memory, and what a drafter takes away from them."""

import math
from dataclasses import dataclass

from specmodel.base.messages import Message, SpecmodelError
from specmodel.serving.hardware import Accelerator
from specmodel.serving.target_model import GIGA, TargetModel

MOST_SEQUENCES = 1e9


@dataclass(frozen=True)
class Capacity:
    """Memory of a serving engine: bytes for weights, bytes of one sequence, and how many sequences fit.

    `sequences` is 0 where not even one fits, and None where a sequence takes next to nothing.
    """

    usable_bytes: float
    weight_bytes: float
    sequence_bytes: float

    @property
    def left_bytes(self) -> float:
        """What the weights leave for caches; negative where they do not fit."""
        return self.usable_bytes - self.weight_bytes

    @property
    def sequences(self) -> int | None:
        """Sequences whose caches fit beside the weights; None where that is more than any engine runs."""
        if self.left_bytes < 0:
            return 0
        if self.left_bytes >= self.sequence_bytes * MOST_SEQUENCES:
            return None
        return math.floor(self.left_bytes / self.sequence_bytes)


def capacity(
    model: TargetModel,
    hardware: Accelerator,
    context_tokens: float,
    *,
    drafter_billions: float = 0.0,
    drafter_bytes_per_weight: float = 2.0,
    drafter_cache_bytes: float = 0.0,
) -> Capacity:
    """Sequences of `context_tokens` that fit: (usable memory − weights of target and drafter) ÷ cache of a sequence.

    The drafter takes `drafter_billions` × bytes per weight once, and `drafter_cache_bytes` for every cached token.
    Activations and fragmentation are left out; engines cache in blocks, so a few sequences fewer fit.

    >>> from specmodel.serving.hardware import accelerator, target_model
    >>> llama, h100 = target_model("llama31_8b"), accelerator("h100_sxm")
    >>> capacity(llama, h100, 8192).sequences
    52
    >>> capacity(llama, h100, 8192, drafter_billions=1.24, drafter_cache_bytes=32768).sequences
    39
    """
    if not 0 <= context_tokens < math.inf:
        raise SpecmodelError(Message("a context has 0 tokens or more; got {context}", {"context": context_tokens}))
    if drafter_billions < 0 or drafter_cache_bytes < 0:
        raise SpecmodelError(Message("a drafter takes 0 bytes or more; got {size} billion", {"size": drafter_billions}))
    weights = model.weight_bytes + drafter_billions * GIGA * drafter_bytes_per_weight
    each = model.cache_bytes(context_tokens) + drafter_cache_bytes * context_tokens
    return Capacity(hardware.usable_bytes, weights, each)


def per_million_tokens(per_second: float, tokens_per_s: float) -> float:
    """What a million tokens cost where a second costs `per_second` (money, or joules where it is watts).

    >>> per_million_tokens(2.5 / 3600, 5000)
    0.1388888888888889
    """
    return per_second * 1e6 / tokens_per_s if tokens_per_s else math.inf
