"""Milliseconds of a draft, of a target pass over several tokens, and of a whole round.

A round drafts k tokens one after another, checks them in one pass of the target over k + 1 tokens, and pays an
overhead. With k = 0 speculation is off: the round is one plain decoding step and costs `target_ms`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class RoundCost:
    """Milliseconds of each part of one round; every field may be an array over k.

    >>> RoundCost(draft_ms=15.0, verify_ms=22.0, overhead_ms=0.0).round_ms
    37.0
    """

    draft_ms: NDArray[np.float64] | float
    verify_ms: NDArray[np.float64] | float
    overhead_ms: NDArray[np.float64] | float

    @property
    def round_ms(self) -> NDArray[np.float64] | float:
        """Draft, verification and overhead together, in ms."""
        return self.draft_ms + self.verify_ms + self.overhead_ms


def round_cost(
    num_speculative_tokens: ArrayLike,
    *,
    target_ms: float,
    draft_ms: float,
    verify_ms_per_token: float = 0.0,
    overhead_ms: float = 0.0,
) -> RoundCost:
    """Cost of a round of k drafts: k·draft_ms + (target_ms + k·verify_ms_per_token) + overhead_ms.

    The target pass verifies k + 1 tokens; its first token costs one plain step, each further one
    `verify_ms_per_token`. With `verify_ms_per_token` = `overhead_ms` = 0 this is the cost of Theorem 3.8 of Leviathan
    et al. 2023. With k = 0 nothing is drafted and nothing is added.

    >>> float(round_cost(5, target_ms=22, draft_ms=3).round_ms)
    37.0
    >>> round_cost([0, 1], target_ms=22, draft_ms=3, overhead_ms=1).round_ms.tolist()
    [22.0, 26.0]
    """
    drafts = np.asarray(num_speculative_tokens, dtype=float)
    return RoundCost(
        draft_ms=drafts * draft_ms,
        verify_ms=target_ms + drafts * verify_ms_per_token,
        overhead_ms=np.where(drafts > 0, float(overhead_ms), 0.0),
    )
