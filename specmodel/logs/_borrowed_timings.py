"""Other servers that answer with `timings` as llama.cpp does, told from it by what they add.

mlx-vlm adds `draft_kind`, `draft_rounds` and `peak_memory` (mlx_vlm/server/schemas.py), tabbyAPI the seconds and rates
in `usage` (endpoints/OAI/types/common.py).
"""

from collections.abc import Mapping
from typing import Any

from specmodel.logs._printed import inner

MLX_VLM = frozenset({"draft_kind", "draft_rounds", "peak_memory"})
TABBY = frozenset({"completion_time", "completion_tokens_per_sec"})


def is_mlx_vlm(timings: Mapping[str, Any]) -> bool:
    """Whether these `timings` are of mlx-vlm.

    >>> is_mlx_vlm({"predicted_n": 9, "peak_memory": 3.1}), is_mlx_vlm({"predicted_n": 9})
    (True, False)
    """
    return not MLX_VLM.isdisjoint(timings)


def is_tabby(found: Mapping[str, Any]) -> bool:
    """Whether an answer is of tabbyAPI.

    >>> is_tabby({"usage": {"completion_tokens": 9, "completion_time": 0.4}}), is_tabby({"usage": {}})
    (True, False)
    """
    return not TABBY.isdisjoint(inner(found, "usage"))


def is_borrowed(found: Mapping[str, Any], timings: Mapping[str, Any]) -> bool:
    """Whether an answer with `timings` is not of llama.cpp.

    >>> is_borrowed({"usage": {"completion_time": 0.4}}, {}), is_borrowed({}, {})
    (True, False)
    """
    return is_mlx_vlm(timings) or is_tabby(found)
