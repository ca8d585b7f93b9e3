"""vLLM: a speculative_config, which is told from a measurement.

Fields read in vllm/config/speculative.py (wheel 0.33.0 of 2026-11-01).
"""

import re
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._format import LogError, Objects
from specmodel.logs._vllm import ENGINE
from specmodel.measured.spec_stats import SpecStats

_CONFIG = re.compile(
    r"(method|model|revision|quantization|max_model_len|enforce_eager|parallel_drafting|draft_\w+|prompt_lookup_\w+|"
    r"suffix_decoding_\w+|synthetic_acceptance_\w+|disable_\w+|enable_\w+|use_\w+|rejection_sample_method|"
    r"num_speculative_tokens\w*|speculative_token_tree|posterior_\w+)"
)
_TELLING = ("num_speculative_tokens", "prompt_lookup_", "suffix_decoding_")


class _Config:
    """A speculative_config is told from a measurement, and said to be one."""

    def __init__(self) -> None:
        self._line = 0

    def take(self, line: int, found: dict[str, Any]) -> bool:
        if not {"method", "model"} & found.keys() or not any(key.startswith(_TELLING) for key in found):
            return False
        if not all(_CONFIG.fullmatch(key) for key in found):
            return False
        self._line = self._line or line
        return True

    def result(self) -> SpecStats | None:
        raise LogError(
            "line {line}: this is a speculative_config of vLLM, a configuration and not a measurement; give a log, a "
            "/metrics page or a benchmark result of the server that it configures",
            line=self._line,
        )


CONFIG = Objects(ENGINE, N_("configuration"), ("num_speculative_tokens", "prompt_lookup_max"), _Config, in_logs=False)
FORMATS = (CONFIG,)
