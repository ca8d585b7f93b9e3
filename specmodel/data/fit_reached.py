"""Fits `specmodel/serving/reached.py` to served models. Run by hand, where aiconfigurator-core 0.12.0 is installed.

    PYTHONPATH=. collector/bin/python specmodel/data/fit_reached.py

The rows are its `silicon_sample.csv`: time per output token of served models as NVIDIA recorded them. Kept are those
with one copy of attention and experts, decoding beside prefill on the same accelerators, where prefill of the other
requests takes an estimated 5 % of the time at most. The checkpoints in FP8 and NVFP4 hold an 8-bit cache.
"""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.precision import at_precision
from specmodel.serving.reached import DENSE, EXPERTS, Reached
from specmodel.serving.roofline import RooflinePass

MODELS = {
    "meta-llama/Llama-3.1-70B": "llama33_70b",
    "meta-llama/Llama-3.1-8B-Instruct": "llama31_8b",
    "nvidia/Llama-3.1-8B-Instruct-FP8": "llama31_8b",
    "Qwen/Qwen3-32B": "qwen3_32b",
    "openai/gpt-oss-120b": "gpt_oss_120b",
    "MiniMaxAI/MiniMax-M2.5": "minimax_m25",
    "deepseek-ai/DeepSeek-R1": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3": "deepseek_v3",
    "Qwen/Qwen3-235B-A22B-FP8": "qwen3_235b_a22b",
    "moonshotai/Kimi-K2.5": "kimi_k2",
}
SYSTEMS = {"h100_sxm": "h100_sxm", "h200_sxm": "h200", "b200_sxm": "b200", "b300_sxm": "b300"}
PRECISION = {"fp8": "fp8_static", "fp8_block": "fp8_block", "nvfp4": "nvfp4", "int4_wo": "int4"}
OWN_PRECISION = {"gpt_oss_120b": ("nvfp4", "fp8"), "minimax_m25": ("fp8",), "deepseek_v3": ("fp8", "fp8_block")}
PREFILL_SHARE = 0.05
PREFILL_REACHES = 0.5
Row = Mapping[str, Any]


def _rows() -> Iterator[Row]:
    """Model, accelerators, engine, batch, context and measured ms of each row that is kept."""
    import aiconfigurator_core

    file = Path(str(aiconfigurator_core.__file__)).parent / "systems" / "silicon_sample.csv"
    with file.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            name, system = MODELS.get(row["model_path"]), SYSTEMS.get(row["system"])
            whole = all(float(row[key] or 0) <= 1 for key in ("pp_size", "attention_dp_size", "moe_ep_size"))
            if row["mode"] == "agg" and name and system and whole and row["gemm_quant_mode"]:
                kept = _kept(row, name, system)
                if kept is not None:
                    yield kept


def _kept(row: Mapping[str, str], name: str, system: str) -> Row | None:
    quant, batch, ms = row["gemm_quant_mode"], float(row["batch_size"]), float(row["silicon_tpot_ms"])
    model = target_models()[name].values
    if quant not in OWN_PRECISION.get(name, ()):
        model = at_precision(model, PRECISION[quant])
        if quant == "nvfp4":
            model = model.replace(kv_bytes_full=model.kv_bytes_full / 2)
    chip = accelerators()[system].values.replace(count=int(float(row["tp_size"])), step_overhead_ms=0)
    chip = chip.replace(compute_fraction=1, bandwidth_fraction=1)
    prompt, answer = float(row["isl"]), float(row["osl"])
    flops = chip.flops(model.expert_bytes if model.experts else model.dense_bytes) * PREFILL_REACHES
    prefill_ms = 2e12 * model.active_billions * prompt / flops
    if batch * prefill_ms / answer > PREFILL_SHARE * ms:
        return None
    return {"model": name, "system": system, "engine": row["backend"], "ms": ms} | {
        "parts": _parts(model, chip, batch, prompt + answer / 2),
        "experts": model.experts > 0,
    }


def _parts(model: Any, chip: Accelerator, batch: float, context: float) -> list[float]:
    one = RooflinePass(model, chip).parts(1, batch, context)
    names = [f"{part}_{of}_ms" for part in ("dense", "expert", "attention") for of in ("compute", "bytes")]
    return [*(float(getattr(one, name)) for name in names), float(model.layers)]


def _computed(parts: Floats, compute: float, bandwidth: float, layer_ms: float) -> Floats:
    spent = [np.maximum(parts[:, i] / compute, parts[:, i + 1] / bandwidth) for i in (0, 2, 4)]
    found: Floats = sum(spent) + layer_ms * parts[:, 6]
    return found


def _fitted(rows: list[Row], compute: float) -> tuple[float, float]:
    """Bandwidth and ms of a layer with the least mean |log error|."""
    from scipy.optimize import minimize

    parts, ms = np.array([row["parts"] for row in rows]), np.array([row["ms"] for row in rows])

    def error(x: Floats) -> float:
        bandwidth, layer = min(max(x[0], 0.05), 1.0), max(x[1], 0.0)
        return float(np.abs(np.log(_computed(parts, compute, bandwidth, layer) / ms)).mean())

    starts = ((0.8, 0.05), (0.6, 0.1), (0.95, 0.02))
    best = min((minimize(error, start, method="Nelder-Mead") for start in starts), key=lambda found: found.fun)
    return min(float(best.x[0]), 1.0), max(float(best.x[1]), 0.0)


def _said(name: str, ratio: Floats) -> None:
    off = np.abs(1 / ratio - 1) * 100
    low, middle, high = np.quantile(ratio, [0.05, 0.5, 0.95])
    error = f"|error| median {np.median(off):.1f} %, 90th percentile {np.quantile(off, 0.9):.0f} %"
    print(
        f"  {name}, {ratio.size} rows: {error}; measured ÷ computed {low:.2f}, {middle:.2f}, {high:.2f} (5, 50, 95 %)"
    )


def _ratio(rows: list[Row], *shares: float) -> Floats:
    found: Floats = np.array([row["ms"] for row in rows]) / _computed(np.array([row["parts"] for row in rows]), *shares)
    return found


def _report(kind: str, rows: list[Row], used: Reached) -> None:
    print(
        f"{kind}: fitted bandwidth {_fitted(rows, used.compute)[0]:.3f}, layer {_fitted(rows, used.compute)[1]:.3f} ms"
    )
    _said("as used", _ratio(rows, used.compute, used.bandwidth, used.layer_ms))
    ms = np.array([row["ms"] for row in rows])
    _said("shares of 0.7 and 0.8, 1.207 ms a step", ms / (ms / _ratio(rows, 0.7, 0.8, 0.0) + 1.207))
    for by in ("model", "system", "engine"):
        left = []
        for one in sorted({row[by] for row in rows}):
            others, these = ([row for row in rows if (row[by] != one) is other] for other in (True, False))
            if len(others) >= 10:
                left.append(_ratio(these, used.compute, *_fitted(others, used.compute)))
        if left:
            _said(f"one {by} left out", np.concatenate(left))


def _main() -> None:
    rows = list(_rows())
    _report("dense", [row for row in rows if not row["experts"]], DENSE)
    _report("experts", [row for row in rows if row["experts"]], EXPERTS)


if __name__ == "__main__":
    _main()
