"""How many sequences fit into memory, what a drafter takes away from them, and the largest batch that follows."""

import math
from dataclasses import dataclass

from specmodel.base.numbers import number_between
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Load
from specmodel.serving.target_model import GIGA, TargetModel

MOST_SEQUENCES = 1e9
DRAFTER_BYTES_PER_WEIGHT = 2.0


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
    drafter_cache_bytes: float = 0.0,
) -> Capacity:
    """Sequences of `context_tokens` that fit: (usable memory − weights of target and drafter) ÷ cache of a sequence.

    The drafter takes `drafter_billions` × 2 bytes once, and `drafter_cache_bytes` for every cached token.
    Activations and fragmentation are left out; engines cache in blocks, so a few sequences fewer fit.

    >>> from specmodel.serving.hardware import accelerator, target_model
    >>> llama, h100 = target_model("llama31_8b"), accelerator("h100_sxm")
    >>> capacity(llama, h100, 8192).sequences
    52
    >>> capacity(llama, h100, 8192, drafter_billions=1.24, drafter_cache_bytes=32768).sequences
    39
    """
    number_between(context_tokens, "context_tokens", 0)
    number_between(drafter_billions, "drafter_billions", 0)
    number_between(drafter_cache_bytes, "drafter_cache_bytes", 0)
    weights = model.weight_bytes + drafter_billions * GIGA * DRAFTER_BYTES_PER_WEIGHT
    sequence = model.cache_bytes(context_tokens) + drafter_cache_bytes * context_tokens
    return Capacity(hardware.usable_bytes, weights, sequence)


def largest_batch(room: Capacity | None, load: Load) -> int:
    """The largest batch: what memory holds, at most what the engine is set to; memory that is not known sets no limit.

    >>> largest_batch(None, Load()), largest_batch(Capacity(80e9, 16e9, 1e9), Load())
    (1024, 64)
    """
    fits = None if room is None else room.sequences
    return load.max_sequences if not fits else max(1, min(load.max_sequences, fits))
