"""The operators of a decoding step, timed one by one from the tables of NVIDIA's aiconfigurator-core 0.12.0.

Only `make_pass_costs.py` uses it; the package is imported where it is needed, so that nothing else has to have it.
"""

import json
import logging
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.serving.operator_grid import CONTEXTS, REQUESTS

MODULES = {"MlaModuleGeneration", "Fallback", "MlaGeneration"}
"""Attention with its projections: keyed by requests, each new token of a request counts as one."""
_KEPT: dict[tuple[str, str, str, int], Floats] = {}
_HANDLES: dict[tuple[str, str], Any] = {}
"""The tables of a system and an engine: they answer for the operators of every model, and take long to load."""


class Operators:
    """The operators of a decoding step of one model on one system under one engine, as the package has them."""

    def __init__(self, model: str, system: str, engine: str, count: int, quant: Mapping[str, str | None]) -> None:
        logging.disable(logging.WARNING)
        import aiconfigurator_core as core
        from aiconfigurator_core.sdk import EngineHandle
        from aiconfigurator_core.sdk.config_builders import build_model_config
        from aiconfigurator_core.sdk.engine import build_engine_spec_json
        from aiconfigurator_core.sdk.models import get_model
        from aiconfigurator_core.sdk.perf_database import get_database_view

        config = build_model_config(
            tp_size=count, pp_size=1, attention_dp_size=1, moe_tp_size=count, moe_ep_size=1, **quant
        )
        built = get_model(model, config, engine)
        database = get_database_view(system, engine, "current", database_mode="SILICON", allow_missing_data=False)
        self.version = str(database.version)
        spec = json.loads(
            build_engine_spec_json(
                built,
                model_path=model,
                system=system,
                backend=engine,
                backend_version=database.version,
                kv_block_size=None,
                systems_path=None,
                nextn=0,
                database=database,
            )
        )
        self.where = (system, engine)
        if self.where not in _HANDLES:
            _HANDLES[self.where] = EngineHandle(core.engine_spec_bincode_from_json(json.dumps(spec)))
        self.engine = _HANDLES[self.where]
        self.rows = [self._measured_shape(row) for row in spec["generation_ops"]]

    def _measured_shape(self, row: dict[str, Any]) -> tuple[str, str, int]:
        """(kind, operator, factor); attention of a number of heads that was not measured is twice that of half."""
        (kind, fields), factor = next(iter(row.items())), 1
        while kind == "GenerationAttention" and fields["n_kv"] > 1 and fields["n"] % 2 == 0 and not self._known(row):
            fields = dict(fields, n=fields["n"] // 2, n_kv=fields["n_kv"] // 2)
            row, factor = {kind: fields}, factor * 2
        return kind, json.dumps([row]), factor

    def _known(self, row: dict[str, Any]) -> bool:
        try:
            self.engine.evaluate_ops_json(json.dumps([row]), is_context=False, batch_size=1, s=1024)
        except Exception as error:
            return not ("missing" in str(error) or "mpirical" in str(error))
        return True

    def ms(self, operator: str, requests: float, context: float, tokens: float | None = None) -> tuple[float, str]:
        """Milliseconds of one operator, and where they come from."""
        x = None if tokens is None else int(tokens)
        found = self.engine.evaluate_ops_json(
            operator, is_context=False, batch_size=int(requests), s=int(context) + 1, x=x
        )
        return float(found[0][1]), str(found[0][3])

    def over_caches(self, operator: str, factor: int) -> Floats:
        """Milliseconds of attention at every number of requests and context of the grid; kept, precisions share it."""
        if (*self.where, operator, factor) not in _KEPT:
            asked = product(REQUESTS * factor, CONTEXTS)
            found = [self.ms(operator, requests, context)[0] for requests, context in asked]
            _KEPT[(*self.where, operator, factor)] = np.array(found).reshape(REQUESTS.size, CONTEXTS.size)
        return _KEPT[(*self.where, operator, factor)]

    def bounds(self, operator: str, factor: int) -> tuple[float, float]:
        """What the arithmetic and the bytes of an operator take at the peaks, in ms, at 8 requests of 4,096 tokens."""
        rows = self.engine.evaluate_ops_sol_json(operator, is_context=False, batch_size=8 * factor, s=4097, x=None)
        return float(rows[0][2]), float(rows[0][3])
