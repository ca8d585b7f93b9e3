"""What a step with speculation costs at other draft lengths: rho(k) = 1 + f + c·k plain steps.

f is what switching speculation on costs at once (scheduling, sampling, a drafter that has to be prepared), c what each
draft adds. Fitted over published sweeps f was 0.1 (vLLM) to 0.3–0.4 plain steps (EAGLE on Hugging Face). One measured
round tells only f + c·k, so other lengths lie in a band: at every k as much as at the measured one (all of it fixed) to
a straight line from the plain step (all of it per draft).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import number_between


@dataclass(frozen=True)
class StepCost:
    """rho(k) = 1 + fixed + per_draft·k plain steps; `covariance` of (fixed, per_draft) where they were fitted.

    >>> StepCost(0.1, 0.05).at([0, 1, 4]).round(2).tolist()
    [1.0, 1.15, 1.3]
    """

    fixed: float
    per_draft: float
    covariance: tuple[tuple[float, float], tuple[float, float]] | None = None

    def at(self, num_speculative_tokens: ArrayLike) -> Floats:
        """rho at each k; without a draft it is a plain step."""
        drafts = np.asarray(num_speculative_tokens, dtype=float)
        rho: Floats = np.where(drafts > 0, 1 + self.fixed + self.per_draft * drafts, 1.0)
        return rho

    def sd_at(self, num_speculative_tokens: ArrayLike) -> Floats:
        """Standard deviation of rho at each k that the fit leaves; 0 where nothing was fitted."""
        drafts = np.asarray(num_speculative_tokens, dtype=float)
        if self.covariance is None:
            return np.zeros_like(drafts)
        (a, b), (_, d) = self.covariance
        sd: Floats = np.where(drafts > 0, np.sqrt(np.maximum(a + 2 * b * drafts + d * drafts**2, 0.0)), 0.0)
        return sd


def one_round(num_speculative_tokens: int, rho: float, fixed_share: float = 0.5) -> StepCost:
    """From one measured round: `fixed_share` of what it costs beyond a plain step is fixed, the rest per draft.

    Shares 0 and 1 are the ends of the band, 0.5 its middle. Raises `SpecmodelError` for no drafts or a negative cost.

    >>> one_round(5, 1.5), one_round(5, 1.5, 1.0).at(1).item()
    (StepCost(fixed=0.25, per_draft=0.05, covariance=None), 1.5)
    """
    number_between(rho, "rho", 0)
    number_between(fixed_share, "fixed_share", 0, 1)
    if num_speculative_tokens < 1:
        raise SpecmodelError(Message("a round without drafts tells nothing of what drafting costs"))
    beyond = rho - 1
    return StepCost(beyond * fixed_share, beyond * (1 - fixed_share) / num_speculative_tokens)


def fit_step_cost(
    num_speculative_tokens: Sequence[float],
    rho: Sequence[float],
    relative_sd: float | Sequence[float] = 0.03,
    loaded_off: float | None = None,
) -> StepCost:
    """f and c by weighted least squares over measured rounds of two or more draft lengths, with their covariance.

    Weights are 1/(rho·relative_sd)². With more rounds than unknowns the covariance grows by the scatter around the line
    (chi-square ÷ degrees of freedom) where that exceeds 1. `loaded_off` is a measured step with the drafter loaded and
    nothing drafted, in plain steps: it fixes f = loaded_off − 1, and one length is then enough. A slope or a fixed cost
    below 0 cannot be a cost: the other one is then fitted alone. Derived here (ordinary weighted least squares).

    >>> cost = fit_step_cost([1, 3, 5], [1.2, 1.3, 1.4])
    >>> round(cost.fixed, 3), round(cost.per_draft, 3)
    (0.15, 0.05)
    >>> round(fit_step_cost([5], [1.4], loaded_off=1.1).per_draft, 3)
    0.06
    """
    drafts, costs = np.asarray(num_speculative_tokens, dtype=float), np.asarray(rho, dtype=float)
    sd = costs * np.asarray(relative_sd, dtype=float)
    if drafts.shape != costs.shape or not np.all(np.isfinite(costs) & (costs > 0) & (drafts > 0)):
        raise SpecmodelError(Message("every measured round needs a draft length and a cost, both above 0"))
    if np.unique(drafts).size + (loaded_off is not None) < 2:
        raise SpecmodelError(Message("one draft length tells only the sum of fixed cost and cost per draft"))
    if loaded_off is not None:
        drafts, costs = np.append(drafts, 0.0), np.append(costs, loaded_off)
        sd = np.append(sd, loaded_off * np.min(sd / costs[:-1]) / 10)
    both = _fitted(drafts, costs - 1, sd, (True, True))
    if both.per_draft < 0:
        return _fitted(drafts, costs - 1, sd, (True, False))
    return both if both.fixed >= 0 else _fitted(drafts, costs - 1, sd, (False, True))


def _fitted(drafts: Floats, beyond: Floats, sd: Floats, free: tuple[bool, bool]) -> StepCost:
    """Least squares of f (if free[0]) and c (if free[1]); what is not free is 0."""
    columns = np.column_stack((np.ones_like(drafts), drafts))[:, list(free)] / sd[:, None]
    spread = np.linalg.inv(columns.T @ columns)
    found = spread @ columns.T @ (beyond / sd)
    left = drafts.size - columns.shape[1]
    if left > 0:
        spread *= max(float(np.sum((columns @ found - beyond / sd) ** 2)) / left, 1.0)
    values, covariance = np.zeros(2), np.zeros((2, 2))
    values[list(free)] = found
    covariance[np.ix_(free, free)] = spread
    return StepCost(
        float(values[0]),
        float(values[1]),
        ((float(covariance[0, 0]), float(covariance[0, 1])), (float(covariance[1, 0]), float(covariance[1, 1]))),
    )
