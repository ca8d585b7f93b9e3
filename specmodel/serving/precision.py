"""In which precision a model is served: what that makes of the bytes of its weights and of its cache."""

from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.numbers import one_of
from specmodel.serving.target_model import TargetModel


@dataclass(frozen=True)
class Precision:
    """A precision: its name, bytes of a weight with its scales (None: the model's own), the cache against 16 bits."""

    key: str
    label: str
    bytes_per_weight: float | None
    cache_share: float = 1.0


OWN = "own"
_PRECISIONS = (
    Precision(OWN, N_("as published"), None),
    Precision("fp8", N_("FP8, scaled while it runs"), 1.0),
    Precision("fp8_static", N_("FP8 with fixed scales, FP8 cache"), 1.0, 0.5),
    Precision("fp8_block", N_("FP8 in blocks"), 1.0),
    Precision("nvfp4", N_("NVFP4"), 9 / 16),
    Precision("int4", N_("INT4 weights, 16-bit arithmetic"), 0.53),
)
PRECISIONS: Mapping[str, Precision] = {each.key: each for each in _PRECISIONS}


def at_precision(model: TargetModel, key: str) -> TargetModel:
    """The model with its weights, experts and embeddings included, and its cache in that precision.

    >>> from specmodel.serving.target_model import TargetModel
    >>> at_precision(TargetModel(), "fp8").weight_bytes / TargetModel().weight_bytes
    0.5
    """
    chosen: Precision = one_of(key, PRECISIONS, N_("precision"))
    size, share = chosen.bytes_per_weight, chosen.cache_share
    if size is None:
        return model
    return model.replace(
        dense_bytes=size,
        expert_bytes=size,
        kv_bytes_full=model.kv_bytes_full * share,
        kv_bytes_window=model.kv_bytes_window * share,
        kv_bytes_kept=model.kv_bytes_kept * share,
    )
