"""Makes `pass_costs.npz` from NVIDIA's measured operators. Run by hand; the app imports neither this nor the package.

    python -m venv collector && collector/bin/pip install aiconfigurator-core==0.12.0
    PYTHONPATH=. collector/bin/python specmodel/data/make_pass_costs.py

Source: aiconfigurator-core 0.12.0 by NVIDIA (PyPI, Apache-2.0; see `pass_costs.NOTICE.txt`): operators timed on each
accelerator under each engine, and the list of operators that a decoding step of a model runs. A step is their sum:
kernels alone, without scheduling, sampling and what captured graphs leave of launches.

What is left out, since some rows are many times too slow although the source calls them measured:
configurations with an operator that was not measured, or whose weights do not fit; those that lie anywhere outside half
to twice a roofline fitted to served models; token counts that are not aligned. F is made non-decreasing.
"""

import multiprocessing
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from specmodel.data.measured_operators import MODULES, Operators
from specmodel.serving.hardware import accelerators, target_models
from specmodel.serving.operator_grid import CONTEXTS, REQUESTS, TOKENS, encode
from specmodel.serving.operator_passes import OperatorPass, Setup
from specmodel.serving.precision import OWN, PRECISIONS, at_precision
from specmodel.serving.reached import as_reached
from specmodel.serving.roofline import RooflinePass

VERSION = "0.12.0"
MODELS = {
    "llama31_8b": "meta-llama/Meta-Llama-3.1-8B",
    "llama33_70b": "meta-llama/Meta-Llama-3.1-70B",
    "llama31_405b": "meta-llama/Meta-Llama-3.1-405B",
    "qwen3_0_6b": "Qwen/Qwen3-0.6B",
    "qwen3_1_7b": "Qwen/Qwen3-1.7B",
    "qwen3_8b": "Qwen/Qwen3-8B",
    "qwen3_32b": "Qwen/Qwen3-32B",
    "qwen3_30b_a3b": "Qwen/Qwen3-30B-A3B",
    "qwen3_235b_a22b": "Qwen/Qwen3-235B-A22B",
    "qwen3_coder_480b": "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    "mixtral_8x7b": "mistralai/Mixtral-8x7B-v0.1",
    "mixtral_8x22b": "mistralai/Mixtral-8x22B-v0.1",
    "gpt_oss_20b": "openai/gpt-oss-20b",
    "gpt_oss_120b": "openai/gpt-oss-120b",
    "deepseek_v3": "deepseek-ai/DeepSeek-V3",
    "kimi_k2": "moonshotai/Kimi-K2-Instruct",
    "minimax_m25": "MiniMaxAI/MiniMax-M2.5",
}
SYSTEMS = {
    "a100_80gb": "a100_sxm",
    "h100_sxm": "h100_sxm",
    "h200": "h200_sxm",
    "b200": "b200_sxm",
    "b300": "b300_sxm",
    "gb200": "gb200",
    "gb300": "gb300",
    "l40s": "l40s",
    "rtx_pro_6000": "rtx_pro_6000_server",
}
ENGINES = ("vllm", "sglang", "trtllm")
COUNTS = (1, 2, 4, 8)
QUANTIZED = {"fp8": "fp8", "fp8_static": "fp8_static", "fp8_block": "fp8_block", "nvfp4": "nvfp4", "int4": "int4_wo"}
"""Precision -> what the package calls it. Fixed scales are the measured kernels less the measured scaling."""
QUANTIZED_ALREADY = {"gpt_oss_20b", "gpt_oss_120b"}
IN_BLOCKS_ALREADY = {"deepseek_v3", "kimi_k2", "minimax_m25"}
MEASURED = {"silicon", "mixed"}
SMALL_KERNELS = {"Embedding", "Elementwise"}
"""Reckoned from their bytes by the package, in all configurations."""
CHECKED = list(product((1, 4), (1, 8, 32, 128), (1024, 8192)))
"""New tokens of a request, requests and contexts at which a table is compared with the roofline."""


def _quant(setup: Setup) -> dict[str, str | None]:
    """The precisions of a setup as the package calls them; the cache has 16 bits where the precision says nothing."""
    name = QUANTIZED.get(setup.precision)
    latent = setup.model in ("deepseek_v3", "kimi_k2")
    return {
        "gemm_quant_mode": name,
        "moe_quant_mode": "fp8" if name == "fp8_static" else name,
        "kvcache_quant_mode": "fp8" if PRECISIONS[setup.precision].cache_share < 1 else "bfloat16",
        "fmha_quant_mode": "bfloat16" if latent else None,
    }


@cache
def _model_path(name: str) -> str:
    """A folder with the configuration of a model as the package has it: it asks the network for some names."""
    import aiconfigurator_core

    held = Path(str(aiconfigurator_core.__file__)).parent / "model_configs"
    folder = Path(tempfile.mkdtemp()) / name.split("/")[1]
    folder.mkdir()
    for kind in ("config", "hf_quant_config"):
        file = held / f"{name.replace('/', '--')}_{kind}.json"
        if file.exists():
            shutil.copy(file, folder / f"{kind}.json")
    return str(folder)


def _measured(setup: Setup) -> tuple[OperatorPass, str]:
    """The pass of a setup; `LookupError` where an operator was not measured or the whole is too far from a roofline."""
    path = _model_path(MODELS[setup.model])
    operators = Operators(path, SYSTEMS[setup.accelerator], setup.engine, setup.count, _quant(setup))
    shape = (REQUESTS.size, CONTEXTS.size)
    tokens, tables, work = np.zeros(TOKENS.size), [np.zeros(shape), np.zeros(shape)], np.zeros((2, 2))
    for kind, operator, factor in operators.rows:
        if kind == "GenerationAttention" or kind in MODULES:
            place = int(kind in MODULES)
            tables[place] += operators.over_caches(operator, factor)
            work[place] += operators.bounds(operator, factor)
            ms, source = operators.ms(operator, 8 * factor, 4096)
        else:
            tokens += [operators.ms(operator, 1, 1, count)[0] for count in TOKENS]
            ms, source = operators.ms(operator, 1, 1, 64)
        fixed_scales = kind == "Gemm" and setup.precision == "fp8_static" and source == "estimated"
        if ms > 0 and source not in MEASURED and kind not in SMALL_KERNELS and not fixed_scales:
            raise LookupError(f"{kind}: {source}")
    attention, module = (table if table.any() else None for table in tables)
    turn = max(work[0, 1] / work[0, 0], 1.0) if attention is not None else 1e9
    module_turn = max(work[1, 1] / work[1, 0], 1.0) if module is not None else 1.0
    found = OperatorPass(setup, operators.version, np.maximum.accumulate(tokens), attention, module, turn, module_turn)
    _check(found)
    return found, operators.version


def _check(found: OperatorPass) -> None:
    setup = found.setup
    model = at_precision(target_models()[setup.model].values, setup.precision)
    chip = as_reached(accelerators()[setup.accelerator].values.replace(count=setup.count), model)
    q, batch, context = np.array(CHECKED).T
    ratio = found(q, batch, context) / RooflinePass(model, chip)(q, batch, context)
    if ratio.min() < 0.5 or ratio.max() > 2:
        raise LookupError(f"{ratio.min():.2f} to {ratio.max():.2f} of the roofline")


def _setups(model: str, system: str) -> Iterator[Setup]:
    """What can be asked of a model on an accelerator: its weights fit, and its precision is not its own already."""
    published, chip = target_models()[model].values, accelerators()[system].values
    for engine, precision, count in product(ENGINES, PRECISIONS, COUNTS):
        weights = at_precision(published, precision).weight_bytes
        already = precision != OWN and (
            model in QUANTIZED_ALREADY or (model in IN_BLOCKS_ALREADY and precision.startswith("fp8"))
        )
        if not already and weights <= 0.9 * count * chip.memory_gb * 1e9:
            yield Setup(model, system, engine, precision, count)


def _of(pair: tuple[str, str]) -> tuple[list[OperatorPass], Counter[str]]:
    """All passes of a model on an accelerator, and why the others are none."""
    passes, refused = [], Counter[str]()
    for setup in _setups(*pair):
        try:
            passes.append(_measured(setup)[0])
        except Exception as error:
            refused[f"{type(error).__name__}: {str(error)[:60]}" if type(error) is not LookupError else "left out"] += 1
    print(*pair, len(passes), dict(refused), flush=True)
    return passes, refused


def _written(passes: list[OperatorPass]) -> dict[str, Any]:
    """The arrays of the file: rows of places in the lists of names, and the numbers, each table once."""
    names = {
        "models": list(MODELS),
        "accelerators": list(SYSTEMS),
        "engines": list(ENGINES),
        "precisions": list(PRECISIONS),
        "versions": sorted({each.engine_version for each in passes}),
    }
    tables: dict[bytes, int] = {}
    columns: dict[str, list[Any]] = {"rows": [], "tokens": [], "attention": [], "module": [], "turns": []}
    for one in passes:
        of = one.setup
        places = [
            names[kind].index(key)
            for kind, key in zip(names, (of.model, of.accelerator, of.engine, of.precision), strict=False)
        ]
        columns["rows"].append([*places, of.count, names["versions"].index(one.engine_version)])
        columns["tokens"].append(np.diff(encode(one.tokens_ms), prepend=np.uint16(0)))
        for name, table in (("attention", one.attention_ms), ("module", one.module_ms)):
            codes = None if table is None else np.diff(encode(table), axis=1, prepend=np.uint16(0)).tobytes()
            columns[name].append(-1 if codes is None else tables.setdefault(codes, len(tables)))
        columns["turns"].append([one.turn, one.module_turn])
    kinds = {"rows": np.uint8, "tokens": np.uint16, "attention": np.int16, "module": np.int16, "turns": np.float32}
    found: dict[str, Any] = {name: np.array(columns[name], dtype=kind) for name, kind in kinds.items()}
    shape = (len(tables), REQUESTS.size, CONTEXTS.size)
    found["tables"] = np.frombuffer(b"".join(tables), dtype=np.uint16).reshape(shape)
    return found | {name: np.array(values) for name, values in names.items()}


def _main() -> None:
    if version("aiconfigurator-core") != VERSION:
        raise SystemExit(f"the tables are made from aiconfigurator-core {VERSION}")
    with multiprocessing.Pool(2) as pool:
        made = pool.map(_of, list(product(MODELS, SYSTEMS)), chunksize=1)
    passes = [each for found, _refused in made for each in found]
    np.savez_compressed(Path(__file__).parent / "pass_costs.npz", **_written(passes))
    print(len(passes), sum((refused for _found, refused in made), Counter[str]()))


if __name__ == "__main__":
    _main()
