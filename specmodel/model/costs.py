"""Milliseconds of a draft, of a target pass over several tokens, and of a whole round.

A round drafts k tokens, checks them in one pass of the target over k + 1 tokens, and pays an overhead. With k = 0
speculation is off: the round is one plain decoding step and costs `target_ms`. `round_cost` is one request at a time;
with other requests beside it a pass costs what `specmodel.serving.passes` says, and a draft what `DraftCost` says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_
from specmodel.base.numbers import number_between, one_of

DraftShape = Literal["sequential", "parallel", "lookup", "heads"]


@dataclass(frozen=True)
class RoundCost:
    """Milliseconds of each part of one round; every field may be an array over k.

    >>> RoundCost(draft_ms=15.0, verify_ms=22.0, overhead_ms=0.0).round_ms
    37.0
    """

    draft_ms: Floats | float
    verify_ms: Floats | float
    overhead_ms: Floats | float

    @property
    def round_ms(self) -> Floats | float:
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


@dataclass(frozen=True)
class DraftCost:
    """What drafting k tokens costs, by the shape that the drafter gives it:

    - sequential: one step of the drafter after another, k steps (draft model, chain of EAGLE, chained MTP)
    - parallel: one pass of the drafter for all of them (PARD, P-EAGLE, block drafters)
    - lookup: about nothing, on the host (n-gram, suffix tree)
    - heads: the target's own heads, once a round, a fraction of a target pass (Medusa)

    A step costs `ratio` plain target passes of the same batch and context, plus `ms`, plus what `step_ms` says that a
    step of so many sequences costs, where that was measured.

    >>> float(DraftCost("sequential", ratio=0.1).draft_ms(5, plain_ms=20.0))
    10.0
    >>> DraftCost("parallel", ms=2.0).draft_ms([0, 1, 8], plain_ms=20.0).tolist()
    [0.0, 2.0, 2.0]
    """

    shape: DraftShape = "sequential"
    ratio: float = 0.0
    ms: float = 0.0
    step_ms: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        one_of(self.shape, dict.fromkeys(get_args(DraftShape)), N_("shape of drafting"))
        number_between(self.ratio, "ratio", 0)
        number_between(self.ms, "ms", 0)

    def steps(self, num_speculative_tokens: Any) -> Floats:
        """How many steps of the drafter k drafts take: k one after another, else one; none for k = 0."""
        drafts = np.asarray(num_speculative_tokens, dtype=float)
        return drafts if self.shape == "sequential" else np.minimum(drafts, 1.0)

    def draft_ms(self, num_speculative_tokens: Any, plain_ms: Any, batch_size: Any = 1) -> Any:
        """Milliseconds of drafting in one round, beside a plain target step of `plain_ms`; arrays broadcast."""
        measured = self.step_ms(batch_size) if self.step_ms else 0.0
        step = self.ratio * np.asarray(plain_ms, dtype=float) + self.ms + measured
        return self.steps(num_speculative_tokens) * step
