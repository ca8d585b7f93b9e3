"""The sizes of a target model that decide what one of its passes costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.params import Declared, param

GIGA = 1e9


@dataclass(frozen=True)
class TargetModel(Declared):
    """The sizes of a target model that decide what a pass costs. Without arguments Llama-3.1-8B in 16 bits.

    Raises `OutOfDomain` for a value outside its domain and `SpecmodelError` where the values contradict each other.

    >>> TargetModel(experts=8, active_experts=9)
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: 9 active experts of 8: a token cannot use more experts than a layer has
    """

    total_billions: float = param(
        "Parameters, in all",
        "All weights of the model, in billions.",
        default=8.03,
        low=1e-6,
        high=1e6,
        format=",.2f",
        unit="B",
        key="params",
    )
    active_billions: float = param(
        "Parameters of one token",
        "Weights that one token uses, in billions: all of them in a dense model.",
        default=8.03,
        low=1e-6,
        high=1e6,
        format=",.2f",
        unit="B",
        key="active",
    )
    experts: int = param(
        "Experts E",
        "Routed experts of a layer; 0 for a dense model.",
        default=0,
        low=0,
        high=100_000,
        format="d",
        key="experts",
        integer=True,
    )
    active_experts: int = param(
        "Experts of one token K",
        "Routed experts that one token uses in a layer.",
        default=0,
        low=0,
        high=100_000,
        format="d",
        key="topk",
        integer=True,
    )
    shared_experts: float = param(
        "Shared experts",
        "Experts that every token uses, beside the routed ones.",
        default=0,
        low=0,
        high=1000,
        format=".0f",
        key="shared",
    )
    dense_bytes: float = param(
        "Bytes per weight",
        "2 for 16 bits, 1 for 8 bits, about 0.53 for 4 bits with their scales. Of everything but the experts.",
        default=2,
        low=0.05,
        high=8,
        format=".2f",
        key="bytes",
    )
    expert_bytes: float = param(
        "Bytes per expert weight",
        "The same for the weights of the experts.",
        default=2,
        low=0.05,
        high=8,
        format=".2f",
        key="ebytes",
    )
    layers: int = param(
        "Layers",
        "Layers of the model; the cache and attention numbers below count all of them.",
        default=32,
        low=1,
        high=10_000,
        format="d",
        key="layers",
        integer=True,
    )
    kv_bytes_full: float = param(
        "Cache per token",
        "Bytes that one token takes in the caches of all layers with full attention.",
        default=131_072,
        low=0,
        high=1e9,
        format=",.0f",
        unit="B",
        key="kv",
    )
    kv_bytes_window: float = param(
        "Cache per token, layers with a window",
        "The same for layers that see only the last tokens; 0 where there are none.",
        default=0,
        low=0,
        high=1e9,
        format=",.0f",
        unit="B",
        key="kvw",
    )
    window_tokens: float = param(
        "Window", "Tokens that those layers see.", default=4096, low=1, high=1e9, format=",.0f", key="win"
    )
    kv_bytes_kept: float = param(
        "Cache kept beyond the window",
        "Bytes of one token that stay in memory beyond the window although a pass does not read them: of layers that "
        "choose the tokens which they read (sparse attention). 0 where older tokens are dropped.",
        default=0,
        low=0,
        high=1e9,
        format=",.0f",
        unit="B",
        key="kvkept",
    )
    attention_macs_full: float = param(
        "Attention per pair of tokens",
        "Multiply-accumulates for one new and one cached token, in all layers with full attention.",
        default=262_144,
        low=0,
        high=1e12,
        format=",.0f",
        key="macs",
    )
    attention_macs_window: float = param(
        "Attention per pair of tokens, layers with a window",
        "The same for layers with a window.",
        default=0,
        low=0,
        high=1e12,
        format=",.0f",
        key="macsw",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.active_experts > self.experts:
            message = "{active} active experts of {experts}: a token cannot use more experts than a layer has"
            raise SpecmodelError(Message(message, {"active": self.active_experts, "experts": self.experts}))
        if self.active_billions > self.total_billions:
            message = "{active:g} billion active parameters of {total:g}: a token cannot use more than there are"
            raise SpecmodelError(Message(message, {"active": self.active_billions, "total": self.total_billions}))
        if 0 < self.experts == self.active_experts and self.active_billions < self.total_billions:
            message = (
                "all {experts} experts are active, but only {active:g} of {total:g} billion parameters: then a token "
                "uses all of them"
            )
            values = {"active": self.active_billions, "total": self.total_billions, "experts": self.experts}
            raise SpecmodelError(Message(message, values))
        if self.dense_weights < 0:
            message = (
                "{active:g} active of {total:g} billion parameters do not fit {used:g} of {experts} experts: the "
                "experts alone would need more"
            )
            used = self.active_experts + self.shared_experts
            values = {"active": self.active_billions, "total": self.total_billions}
            raise SpecmodelError(Message(message, values | {"used": used, "experts": self.experts}))

    @property
    def expert_weights(self) -> float:
        """Weights of one expert in all layers: (total − active) ÷ (E − K); 0 for a dense model."""
        unused = self.experts - self.active_experts
        return (self.total_billions - self.active_billions) * GIGA / unused if unused else 0.0

    @property
    def dense_weights(self) -> float:
        """Weights that every token uses beside experts: active − (K + shared)·expert."""
        return self.active_billions * GIGA - (self.active_experts + self.shared_experts) * self.expert_weights

    @property
    def weight_bytes(self) -> float:
        """Bytes that the weights take in memory."""
        experts = (self.experts + self.shared_experts) * self.expert_weights
        return (self.total_billions * GIGA - experts) * self.dense_bytes + experts * self.expert_bytes

    def cache_bytes(self, context_tokens: Any) -> Any:
        """Bytes that one sequence takes in the cache; arrays broadcast. Sparse attention keeps what it does not read.

        >>> float(TargetModel().cache_bytes(1024)) / 2**20
        128.0
        """
        seen = np.minimum(context_tokens, self.window_tokens)
        kept = self.kv_bytes_kept * (context_tokens - seen)
        return self.kv_bytes_full * context_tokens + self.kv_bytes_window * seen + kept
