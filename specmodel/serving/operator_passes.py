"""Passes from measured operators: for model, accelerator, engine, precision and number of accelerators.

The tables are made by `specmodel/data/make_pass_costs.py` from what NVIDIA measured (aiconfigurator-core, Apache-2.0);
`specmodel/data/pass_costs.NOTICE.txt` says what was taken and changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.serving.operator_grid import TOKENS, along_requests, bilinear, decode

MOST_KEPT = 1024
_FILE = Path(__file__).parents[1] / "data" / "pass_costs.npz"
ENGINES: Mapping[str, str] = {"vllm": "vLLM", "sglang": "SGLang", "trtllm": "TensorRT-LLM"}
SOURCE_VERSION = "0.12.0"
"""Of aiconfigurator-core, the package that the tables were made from."""


@dataclass(frozen=True)
class Setup:
    """What a table of operators is for: keys of model and accelerator, engine, precision, and how many accelerators."""

    model: str
    accelerator: str
    engine: str
    precision: str
    count: int


@dataclass(frozen=True, eq=False)
class OperatorPass:
    """Milliseconds of a pass as the sum of its measured kernels, interpolated. With q tokens of each of B requests:

        F(B·q)                          what every token goes through: matrices, experts, collectives
        + A(B, S) · max(1, q / turn)    attention; a cache is read once for all q, from `turn` on arithmetic counts
        + A(B·q, 1) − A(B, 1)           what the further rows of queries cost
        + max(M(B, S), M(B·q, S) · max(1 / module_turn, 1 / q))    attention that has its projections in it (MLA)

    F is linear between aligned token counts, A and M between requests and contexts in the logarithms. Kernels alone:
    scheduling, sampling, drafting and what captured graphs leave of launches are not in it. Beyond `largest` tokens
    nothing was measured and the last slope goes on. Source of the separation: derived here; against the whole sum of
    operators it is off by 0.1 to 0.5 % in the median.

    >>> one = operator_pass(Setup("llama31_8b", "h100_sxm", "vllm", "own", 1))
    >>> round(float(one(1, 1, 1024)), 1), round(float(one(4, 32, 4096)), 1)
    (6.2, 13.2)
    """

    setup: Setup
    engine_version: str
    tokens_ms: Floats
    attention_ms: Floats | None
    module_ms: Floats | None
    turn: float
    module_turn: float

    @property
    def largest(self) -> float:
        """Tokens of the largest pass that was measured."""
        return float(TOKENS[-1])

    def __call__(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Any:
        """Milliseconds of the pass; arrays broadcast."""
        q, batch, context = (
            np.asarray(each, dtype=float) for each in (tokens_per_sequence, batch_size, context_tokens)
        )
        asked = tuple((each.shape, each.tobytes()) for each in (q, batch, context))
        found = self._kept.get(asked)
        if found is None:
            found = self._sum(q, batch, context)
            found.setflags(write=False)
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[asked] = found
        return found

    @cached_property
    def _kept(self) -> dict[Any, Floats]:
        """Passes that were asked for: while acceptance moves, every page asks for the same ones again."""
        return {}

    def _sum(self, q: Floats, batch: Floats, context: Floats) -> Floats:
        tokens = q * batch
        slope = (self.tokens_ms[-1] - self.tokens_ms[-2]) / (TOKENS[-1] - TOKENS[-2])
        total = np.interp(tokens, TOKENS, self.tokens_ms) + np.maximum(tokens - TOKENS[-1], 0) * slope
        if self.attention_ms is not None:
            rows = along_requests(self.attention_ms, tokens) - along_requests(self.attention_ms, batch)
            read = bilinear(self.attention_ms, batch, context) * np.maximum(1, q / self.turn)
            total = total + read + np.maximum(rows, 0)
        if self.module_ms is not None:
            many = bilinear(self.module_ms, tokens, context) * np.maximum(1 / self.module_turn, 1 / q)
            total = total + np.maximum(bilinear(self.module_ms, batch, context), many)
        return np.asarray(total, dtype=float)


@cache
def measured_setups() -> Mapping[Setup, str]:
    """Every setup that has a table, with the version of the engine that was measured.

    >>> measured_setups()[Setup("llama31_8b", "h100_sxm", "vllm", "own", 1)]
    '0.24.0'
    """
    return {setup: version for setup, (version, _row) in _index().items()}


@cache
def operator_pass(setup: Setup) -> OperatorPass:
    """The pass of a setup; `KeyError` where it was not measured: `measured_setups` says which were.

    >>> operator_pass(Setup("llama31_8b", "h100_sxm", "vllm", "own", 1)).engine_version
    '0.24.0'
    """
    version, row = _index()[setup]
    held = _arrays()
    codes = np.cumsum(held["tokens"][row], dtype=np.uint16)
    attention, module = (_table(int(held[name][row])) for name in ("attention", "module"))
    turn, module_turn = (float(each) for each in held["turns"][row])
    return OperatorPass(setup, version, decode(codes), attention, module, turn, module_turn)


def _table(number: int) -> Floats | None:
    return None if number < 0 else decode(np.cumsum(_arrays()["tables"][number], axis=1, dtype=np.uint16))


@cache
def _arrays() -> Mapping[str, Any]:
    with np.load(_FILE) as held:
        return {name: held[name] for name in held.files}


@cache
def _index() -> Mapping[Setup, tuple[str, int]]:
    """Setup -> version of the engine, and the row of its numbers."""
    held = _arrays()
    names = [[str(each) for each in held[name]] for name in ("models", "accelerators", "engines", "precisions")]
    versions = [str(each) for each in held["versions"]]
    index = {}
    for row, (*places, count, version) in enumerate(held["rows"].tolist()):
        model, accelerator, engine, precision = (known[place] for known, place in zip(names, places, strict=True))
        index[Setup(model, accelerator, engine, precision, count)] = (versions[version], row)
    return index
