"""What a measured speedup says of an acceptance that nobody counted.

speedup = tau / rho, so a speedup and the cost of a round tell the tokens per round: tau = speedup × rho. A round costs
one plain step at least, since a pass over several tokens is no faster than one over one, and emits k + 1 tokens at
most: that alone bounds tau by speedup ≤ tau ≤ k + 1. Where the cost of a draft is known, rho = 1 + f + c·k narrows it,
with a fixed cost f from nothing to 0.4 plain steps (what published sweeps show, `specmodel.model.step_cost`).
"""

from dataclasses import dataclass

from specmodel.base.messages import Message
from specmodel.engine.case import EngineCase
from specmodel.measured.spec_stats import MAX_POSITIONS, StatsError

MOST_FIXED = 0.4


@dataclass(frozen=True)
class Implied:
    """Tokens per round (`low` to `high`) that a speedup implies, and accepted ÷ drafted, where k is known.

    `low` of a run without a known draft cost is the bound that no cost can break; `high` is then k + 1, or None without
    k. `is_possible` is False where more tokens would be needed than k drafts can give.
    """

    num_speculative_tokens: int | None
    low: float
    high: float | None
    draft_cost_ratio: float | None

    @property
    def is_possible(self) -> bool:
        """Whether rounds of k drafts can emit so many tokens."""
        return self.num_speculative_tokens is None or self.low <= self.num_speculative_tokens + 1

    @property
    def rates(self) -> tuple[float, float] | None:
        """Accepted ÷ drafted at both ends; None without k."""
        k = self.num_speculative_tokens
        if k is None or self.high is None:
            return None
        return max(self.low - 1, 0.0) / k, min(max(self.high - 1, 0.0) / k, 1.0)


def implied_acceptance(case: EngineCase, draft_cost_ratio: float | None = None) -> Implied | None:
    """What the speedup of a run implies of its acceptance; None where there is no speedup, or acceptance was measured.

    `draft_cost_ratio` is one draft ÷ one plain step. Raises `StatsError` where it is no number from 0 to 100.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> case = EngineCase(SpecStats("", "typed", num_speculative_tokens=4, tpot_ms=10.0), plain_ms_typed=18.0)
    >>> implied_acceptance(case)
    Implied(num_speculative_tokens=4, low=1.8, high=5.0, draft_cost_ratio=None)
    >>> found = implied_acceptance(case, 0.1)
    >>> round(found.low, 2), round(found.high, 2), [round(each, 2) for each in found.rates]
    (2.52, 3.24, [0.38, 0.56])
    """
    speedup, k = case.decode_speedup, case.num_speculative_tokens
    if speedup is None or case.tokens_per_step is not None or (k is not None and k > MAX_POSITIONS):
        return None
    if draft_cost_ratio is not None and not 0 <= draft_cost_ratio <= 100:
        raise StatsError(
            Message("{value} is no cost of a draft: expected 0 to 100 plain steps", {"value": draft_cost_ratio})
        )
    if k is None or draft_cost_ratio is None:
        return Implied(k, max(speedup, 1.0), None if k is None else float(k + 1), None)
    whole = 1 + draft_cost_ratio * k
    return Implied(
        k, max(speedup * whole, 1.0), min(max(speedup * (whole + MOST_FIXED), 1.0), k + 1.0), draft_cost_ratio
    )
