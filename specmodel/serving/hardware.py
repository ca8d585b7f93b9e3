"""What a pass runs on and what runs: an accelerator and a target model, with presets whose rows name their sources."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from specmodel.base.messages import N_
from specmodel.base.numbers import one_of
from specmodel.base.params import Declared, declarations, param
from specmodel.serving.target_model import GIGA, TargetModel

_DATA = Path(__file__).parents[1] / "data"
TERA = 1e12


@dataclass(frozen=True)
class Accelerator(Declared):
    """One kind of accelerator, how many of them, and how much of their peak a serving engine reaches.

    Without arguments one NVIDIA H100 SXM. Raises `OutOfDomain` for a value outside its domain.

    >>> Accelerator(count=2).bytes_per_s == 2 * Accelerator().bytes_per_s
    True
    """

    tflops_16: float = param(
        "Peak at 16 bits",
        "Dense matrix arithmetic with 16-bit numbers, without the vendor's sparsity.",
        default=989.5,
        low=0.001,
        high=1e6,
        format=",.1f",
        unit="TFLOP/s",
        key="f16",
    )
    tflops_8: float = param(
        "Peak at 8 bits",
        "Dense matrix arithmetic with 8-bit numbers; 0 where the chip has none, which then computes at 16 bits.",
        default=1979,
        low=0,
        high=1e6,
        format=",.1f",
        unit="TFLOP/s",
        key="f8",
    )
    tflops_4: float = param(
        "Peak at 4 bits",
        "Dense matrix arithmetic with 4-bit numbers; 0 where the chip has none, which then computes at 8 or 16 bits.",
        default=0,
        low=0,
        high=1e6,
        format=",.1f",
        unit="TFLOP/s",
        key="f4",
    )
    bandwidth_gb_s: float = param(
        "Memory bandwidth",
        "Peak rate at which the memory of one accelerator is read.",
        default=3350,
        low=0.1,
        high=1e6,
        format=",.0f",
        unit="GB/s",
        key="bw",
    )
    memory_gb: float = param(
        "Memory",
        "Memory of one accelerator, in 10⁹ bytes.",
        default=80,
        low=0.1,
        high=1e5,
        format=",.0f",
        unit="GB",
        key="mem",
    )
    watts: float = param(
        "Power",
        "Power that one accelerator draws. The presets have the vendor's maximum: an upper bound.",
        default=700,
        low=0,
        high=1e5,
        format=",.0f",
        unit="W",
        key="watts",
    )
    count: int = param(
        "Accelerators",
        "How many share the model (tensor parallel). What they send to each other is left out.",
        default=1,
        low=1,
        high=1024,
        format="d",
        key="gpus",
        integer=True,
    )
    compute_fraction: float = param(
        "Arithmetic reached",
        "Share of the peak FLOP/s that a pass reaches (assumed).",
        default=0.7,
        low=0.01,
        high=1,
        format=".2f",
        key="mfu",
    )
    bandwidth_fraction: float = param(
        "Bandwidth reached",
        "Share of the peak bandwidth that a pass reaches (assumed).",
        default=0.8,
        low=0.01,
        high=1,
        format=".2f",
        key="mbu",
    )
    memory_fraction: float = param(
        "Memory the engine may use",
        "Share of the memory for weights and caches; vLLM's `gpu_memory_utilization` is such a share.",
        default=0.9,
        low=0.01,
        high=1,
        format=".2f",
        key="memuse",
    )

    step_overhead_ms: float = param(
        "Overhead of a step",
        "What every pass takes whatever its size: launching kernels, scheduling, sampling. 1.207 ms in a published fit "
        "for vLLM on one H100 (SpecDecode-Bench, arXiv 2601.11580).",
        default=1.207,
        low=0,
        high=100_000,
        format=",.2f",
        unit="ms",
        key="step",
    )
    layer_ms: float = param(
        "Overhead of a layer",
        "What each layer of the model adds to every pass whatever its size: launches, small kernels, what accelerators "
        "send to each other. Fitted to served models: 0.076 ms dense, 0.1 ms with experts.",
        default=0,
        low=0,
        high=1000,
        format=",.3f",
        unit="ms",
        key="layer",
    )

    @property
    def bytes_per_s(self) -> float:
        """Bytes that all accelerators together read in a second."""
        return self.bandwidth_gb_s * GIGA * self.bandwidth_fraction * self.count

    def flops(self, bytes_per_weight: float) -> float:
        """FLOP/s of all accelerators for weights of this size: the fastest of the precisions that are not narrower.

        >>> Accelerator().flops(0.53) == Accelerator().flops(1.0) > Accelerator().flops(2.0)
        True
        """
        peak = self.tflops_16
        if bytes_per_weight <= 1.1:
            peak = max(peak, self.tflops_8)
        if bytes_per_weight <= 0.6:
            peak = max(peak, self.tflops_4)
        return peak * TERA * self.compute_fraction * self.count

    @property
    def usable_bytes(self) -> float:
        """Bytes for weights and caches on all accelerators."""
        return self.memory_gb * GIGA * self.memory_fraction * self.count


@dataclass(frozen=True)
class PresetRow:
    """A named row of a table: its values, where they come from, and which of them are assumed."""

    key: str
    name: str
    values: Any
    source: str
    assumed: tuple[str, ...]


def accelerators() -> Mapping[str, PresetRow]:
    """The accelerators that come with the package, by key.

    >>> accelerators()["h100_sxm"].values == Accelerator()
    True
    """
    return _presets("accelerators.csv", Accelerator)


def target_models() -> Mapping[str, PresetRow]:
    """The target models that come with the package, by key.

    >>> target_models()["llama31_8b"].values == TargetModel()
    True
    """
    return _presets("target_models.csv", TargetModel)


def accelerator(key: str) -> Accelerator:
    """One accelerator by its key; an error names those that there are.

    >>> accelerator("h100_sxm").memory_gb
    80.0
    """
    chosen: Accelerator = one_of(key, accelerators(), N_("accelerator")).values
    return chosen


def target_model(key: str) -> TargetModel:
    """One model by its key; an error names those that there are.

    >>> target_model("llama31_8b").layers
    32
    """
    chosen: TargetModel = one_of(key, target_models(), N_("target model")).values
    return chosen


@cache
def _presets(file: str, kind: type[Declared]) -> Mapping[str, PresetRow]:
    with (_DATA / file).open(encoding="utf-8", newline="") as rows:
        return {row["key"]: _preset(row, kind) for row in csv.DictReader(rows)}


def _preset(row: Mapping[str, str], kind: type[Declared]) -> PresetRow:
    known = declarations(kind)
    values = kind(**{name: text or "0" for name, text in row.items() if name in known})
    return PresetRow(row["key"], row["name"], values, row["source"], tuple(row["assumed"].split()))
