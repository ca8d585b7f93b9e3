"""What a pass costs by hardware and model: the larger of computing and reading, for weights and for attention.

The form is that of a roofline (Williams et al. 2009): a part of a pass takes the time of its arithmetic or of its
bytes, whichever is longer. Reading a weight costs the same for one token as for hundreds, so verification is free until
the arithmetic catches up; a mixture of experts reads more experts for more tokens, so there it is not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.serving.hardware import Accelerator
from specmodel.serving.target_model import TargetModel


def experts_touched(tokens: Any, experts: int, active_experts: int) -> Any:
    """How many experts of a layer a batch of t tokens reads: E·(1 − (1 − K/E)^t), if each token picks K of E evenly.

    Source: MoESD (arXiv 2505.19645, eq. 8). Real routers are not even and correlate within a text, so they touch fewer.

    >>> round(float(experts_touched(16, 128, 8)), 1)
    82.4
    """
    if not experts:
        return np.zeros_like(np.asarray(tokens, dtype=float))
    return experts * (1 - (1 - active_experts / experts) ** np.asarray(tokens, dtype=float))


@dataclass(frozen=True)
class PassParts:
    """A pass taken apart, each in ms: arithmetic and bytes of dense weights, of experts, and of attention; overhead.

    A part takes the longer of its two; the pass is the sum of the parts and the overhead.
    """

    dense_compute_ms: Any
    dense_bytes_ms: Any
    expert_compute_ms: Any
    expert_bytes_ms: Any
    attention_compute_ms: Any
    attention_bytes_ms: Any
    overhead_ms: float

    @property
    def weights_ms(self) -> Any:
        """Dense weights and experts."""
        dense = np.maximum(self.dense_compute_ms, self.dense_bytes_ms)
        return dense + np.maximum(self.expert_compute_ms, self.expert_bytes_ms)

    @property
    def attention_ms(self) -> Any:
        """Attention over the caches of the batch."""
        return np.maximum(self.attention_compute_ms, self.attention_bytes_ms)

    @property
    def total_ms(self) -> Any:
        """The whole pass."""
        return self.weights_ms + self.attention_ms + self.overhead_ms


@dataclass(frozen=True)
class RooflinePass:
    """Milliseconds of a pass from hardware and model. With t = B·q tokens, D dense weights and w weights an expert:

        dense      max(2·D·t / FLOP/s,        D·bytes / bandwidth)
        experts    max(2·(K + s)·w·t / FLOP/s, (E·(1 − (1 − K/E)^t) + s)·w·bytes / bandwidth)
        attention  B · max(2·M·S·q / FLOP/s,  cache bytes per token·S / bandwidth)

    M are multiply-accumulates of one new with one cached token; layers with a window see at most that many tokens.
    FLOP/s and bandwidth are the peaks × the fractions that are reached × the number of accelerators. What accelerators
    say to each other, launches and scheduling stand in a fixed overhead and one for each layer. Arithmetic runs at the
    fastest precision that the accelerator has and that is not narrower than the stored weights; attention runs at 16
    bits. `specmodel.serving.reached` has the fractions and the overhead that were fitted to served models.

    >>> from specmodel.serving.hardware import accelerator, target_model
    >>> one = RooflinePass(target_model("llama31_8b"), accelerator("h100_sxm"))
    >>> bool(one(8, 1, 1024) < 1.01 * one(1, 1, 1024)), bool(one(8, 256, 1024) > 1.5 * one(1, 256, 1024))
    (True, True)
    """

    model: TargetModel
    hardware: Accelerator

    def parts(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> PassParts:
        """The pass taken apart; arrays broadcast."""
        model, machine = self.model, self.hardware
        q, batch, context = (
            np.asarray(each, dtype=float) for each in (tokens_per_sequence, batch_size, context_tokens)
        )
        tokens, expert = q * batch, model.expert_weights
        touched = experts_touched(tokens, model.experts, model.active_experts) + model.shared_experts
        active = (model.active_experts + model.shared_experts) * expert
        seen = np.minimum(context, model.window_tokens)
        macs = model.attention_macs_full * context + model.attention_macs_window * seen
        cached = model.kv_bytes_full * context + model.kv_bytes_window * seen
        return PassParts(
            dense_compute_ms=2e3 * model.dense_weights * tokens / machine.flops(model.dense_bytes),
            dense_bytes_ms=1e3 * model.dense_weights * model.dense_bytes / machine.bytes_per_s,
            expert_compute_ms=2e3 * active * tokens / machine.flops(model.expert_bytes),
            expert_bytes_ms=1e3 * touched * expert * model.expert_bytes / machine.bytes_per_s,
            attention_compute_ms=2e3 * batch * macs * q / machine.flops(2.0),
            attention_bytes_ms=1e3 * batch * cached / machine.bytes_per_s,
            overhead_ms=machine.step_overhead_ms + machine.layer_ms * model.layers,
        )

    def __call__(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Any:
        """Milliseconds of the pass; arrays broadcast."""
        return self.parts(tokens_per_sequence, batch_size, context_tokens).total_ms


def turning_tokens(model: TargetModel, hardware: Accelerator) -> float:
    """Tokens of a batch from which the arithmetic of the weights takes longer than reading them: the roofline's turn.

    For dense weights that is FLOP/s × bytes per weight ÷ (2 × bandwidth). With experts, more tokens also read more
    experts, so the turn is where both meet, found by bracketing. Below it one more token is nearly free (dense) or
    costs the experts that it alone touches.

    >>> from specmodel.serving.hardware import accelerator, target_model
    >>> 200 < turning_tokens(target_model("llama31_8b"), accelerator("h100_sxm")) < 400
    True
    """
    whole = RooflinePass(model, hardware)

    def surplus(tokens: float) -> float:
        parts = whole.parts(tokens, 1, 0)
        compute = parts.dense_compute_ms + parts.expert_compute_ms
        return float(compute - parts.dense_bytes_ms - parts.expert_bytes_ms)

    from scipy.optimize import brentq

    high = 1.0
    while surplus(high) < 0:
        high *= 2
    return float(brentq(surplus, high / 2, high, xtol=1e-6)) if high > 1 else 1.0
