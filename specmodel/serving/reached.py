"""What served models reach of the peaks, fitted for dense models and mixtures of experts apart, and how far it is off.

The rows are decoding steps of 1,451 served runs, 247 of dense models (Llama-3.1-70B and -8B, Qwen3-32B) and 1,204 with
experts (gpt-oss-120b, MiniMax-M2.5, DeepSeek-V3 and R1, Kimi-K2.5), on H100, H200, B200 and B300 under vLLM, SGLang and
TensorRT-LLM, that come with NVIDIA's aiconfigurator-core 0.12.0 (`silicon_sample.csv`, Apache-2.0): those with one copy
of attention and experts in which prefill takes 5 % of the time at most. Fitted are the bandwidth and the milliseconds
of a layer, to the time per output token; the dense values are those of an earlier fit to the rows of vLLM (0.886 and
0.076; all rows give 0.865 and 0.075). The share of the arithmetic is that of the measured operators at 2,048 tokens,
because decoding steps do not tell it. What this leaves, measured ÷ computed: 8 % in the median for dense models and 13
% with experts, where shares of 0.7 and 0.8 and 1.2 ms a step, assumed before, are off by 47 and 49 % (steps computed
half as long as they are). On other accelerators, RTX and AMD among them, the fit is assumed to hold.
`specmodel/data/fit_reached.py` does it again.
"""

from dataclasses import dataclass

from specmodel.serving.hardware import Accelerator
from specmodel.serving.target_model import TargetModel


@dataclass(frozen=True)
class Reached:
    """Shares of the peaks that a pass reaches, milliseconds of each layer beside them, and how far steps were off.

    `off_low` and `off_high`: nine of ten measured steps took between these multiples of the computed one, where the
    accelerator, the engine or the model was left out of the fit.
    """

    compute: float
    bandwidth: float
    layer_ms: float
    off_low: float
    off_high: float


DENSE = Reached(0.40, 0.886, 0.076, 0.78, 1.49)
EXPERTS = Reached(0.10, 0.70, 0.100, 0.60, 1.62)


def reached_by(model: TargetModel) -> Reached:
    """What models of this kind reach.

    >>> reached_by(TargetModel()).layer_ms
    0.076
    """
    return EXPERTS if model.experts else DENSE


def as_reached(hardware: Accelerator, model: TargetModel) -> Accelerator:
    """The accelerator with the shares of its peaks that served models of this kind reach, and their cost of a layer.

    >>> as_reached(Accelerator(), TargetModel()).bandwidth_fraction
    0.886
    """
    found = reached_by(model)
    return hardware.replace(
        compute_fraction=found.compute,
        bandwidth_fraction=found.bandwidth,
        layer_ms=found.layer_ms,
        step_overhead_ms=0,
    )
