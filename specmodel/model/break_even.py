"""Break-even: the acceptance below which speculation makes decoding slower."""

import math
from functools import lru_cache

from specmodel.model.acceptance import mean_acceptance_lengths
from specmodel.model.scenario import Scenario, cost_ratio


def break_even_alpha(scenario: Scenario) -> float | None:
    """The effective acceptance at which speculation costs as much as it gains; None where there is none.

    It solves tau = rho, that is 1 + a + … + a^k = round time ÷ plain step, by bracketing; the left side rises from 1
    to k + 1, so a solution exists exactly when rho ≤ k + 1. For k = 1 it is rho − 1. With k = 0 there is nothing to
    break even. Where acceptance differs by position, a is that at position 1 and the others keep their factors.
    Derived here from Speedup = tau/rho (Leviathan et al. 2023, Theorem 3.8).

    >>> round(break_even_alpha(Scenario()), 3)
    0.408
    >>> break_even_alpha(Scenario(overhead_ms=200)) is None
    True
    """
    return _reaching(cost_ratio(scenario), scenario.num_speculative_tokens, scenario.acceptance_shape)


@lru_cache(maxsize=2048)
def _reaching(rho: float, drafts: int, shape: tuple[float, ...]) -> float | None:
    """The acceptance at which a round of so many drafts emits rho tokens; it does not ask how many are accepted now."""
    most = float(mean_acceptance_lengths(1.0, drafts, shape)[-1]) if shape else drafts + 1
    if drafts == 0 or rho > most * (1 + 1e-12):
        return None
    if rho >= most and not shape:
        return 1.0

    def surplus(alpha: float) -> float:
        if shape:
            return float(mean_acceptance_lengths(alpha, drafts, shape)[-1]) - rho
        return math.fsum(alpha**j for j in range(drafts + 1)) - rho

    from scipy.optimize import brentq  # slow to load, and not needed to read logs

    return float(brentq(surplus, 0.0, 1.0, xtol=1e-14)) if rho > 1 else 0.0
