"""Where speculation stops paying: the acceptance at which draft and verification cost what plain decoding does."""

from dataclasses import dataclass, replace

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.numbers import SAME, whole_number
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.round_costs import RoundCosts
from specmodel.model.acceptance import mean_acceptance_lengths

MOST_MEANS = 200
"""So many requests stand for a phase whose acceptance drifts evenly over more."""


@dataclass(frozen=True)
class PhaseAtLength:
    """A phase in rounds of k drafts: its mean acceptance, its long-run speedup, and the boundary of its own.

    `break_even_alpha` is the mean acceptance at which this phase would be as fast as plain decoding, with requests
    that differ and positions that differ as its own do; None where no acceptance is enough. `loses` where the speedup
    is below 1, which is where the mean acceptance is below that.
    """

    label: str
    alpha: float
    break_even_alpha: float | None
    speedup: float

    @property
    def loses(self) -> bool:
        """Whether plain decoding is faster in the long run."""
        return self.speedup < 1 - SAME


@dataclass(frozen=True)
class Boundary:
    """Rounds of k drafts: their cost in plain steps, the acceptance that pays for it, and the phases beside it.

    `alpha` is for one acceptance, of all requests and at every position; None where even certain acceptance does not
    pay.
    """

    num_speculative_tokens: int
    rho: float
    alpha: float | None
    phases: tuple[PhaseAtLength, ...] = ()

    @property
    def losing_phases(self) -> tuple[str, ...]:
        """The phases on the wrong side, each named once."""
        return tuple(dict.fromkeys(phase.label for phase in self.phases if phase.loses))


def failure_boundary(costs: RoundCosts, num_speculative_tokens: int, workload: Workload | None = None) -> Boundary:
    """The acceptance at which a round of k drafts costs what the tokens it yields cost plainly: tau = rho.

    rho is the time of a round ÷ plain step; tau = 1 + a + … + a^k rises with a from 1 to k + 1, so there is one such
    a where 1 ≤ rho ≤ k + 1; below it, speculation is slower than none. Derived here from speedup = tau/rho (Leviathan
    et al. 2023, Theorem 3.8), and the same as `break_even_alpha` of a scenario, for any costs.

    A phase has a boundary of its own, the mean acceptance at which its long-run speedup is 1 with requests and
    positions that differ as they do in it. It loses exactly where its mean acceptance is below that.

    >>> costs = RoundCosts([22, 25, 28, 31, 34, 37])
    >>> round(failure_boundary(costs, 5).alpha, 3)
    0.408
    >>> from specmodel.drift.published import workload
    >>> failure_boundary(costs, 5, workload("shift")).losing_phases
    ()
    >>> failure_boundary(RoundCosts([10, 14, 18, 22, 26, 30]), 5, workload("shift")).losing_phases
    ('Role play',)
    """
    k = whole_number(num_speculative_tokens, "num_speculative_tokens", 1, costs.max_k)
    rho = float(costs.rho[k])
    phases = workload.phases if workload else ()
    speedups = phase_speedups(workload, costs)[:, k].tolist() if workload else []
    found = [
        PhaseAtLength(phase.label, float(phase.alphas.mean()), _break_even(phase, rho, k), speedup)
        for phase, speedup in zip(phases, speedups, strict=True)
    ]
    return Boundary(k, rho, _break_even(Phase("–", persistence=0), rho, k), tuple(found))


def _break_even(phase: Phase, rho: float, k: int) -> float | None:
    """The mean acceptance at which a phase takes as long as plain decoding; its requests stay as correlated as now.

    A drifting phase moves towards 0 or 1 as a whole, so its requests come closer together there. The time per token
    falls as the acceptance rises, so there is one such point.
    """

    def surplus(towards: float) -> float:
        return float(1 / _plain_steps(_moved(phase, towards), k)[k]) - rho

    if rho <= 1:
        return 0.0
    if surplus(1.0) < -SAME * rho:
        return None
    if surplus(1.0) <= 0:
        return 1.0
    from scipy.optimize import brentq  # slow to load, and not needed to read logs

    return float(_moved(phase, brentq(surplus, -1.0, 1.0, xtol=1e-13)).alphas.mean())


def _moved(phase: Phase, towards: float) -> Phase:
    """A phase with every acceptance moved this share of the way to 1, or below 0 to 0."""
    left = 1 - abs(towards)
    return replace(phase, alpha=min(phase.alpha * left + max(towards, 0.0), 1.0), change=phase.change * left)


def _plain_steps(phase: Phase, max_k: int) -> Floats:
    """Mean of 1/tau over the requests of a phase, by draft length, shape (max_k + 1,)."""
    requests = min(phase.requests, MOST_MEANS) if phase.change else 1
    alphas = replace(phase, requests=requests).typical_alphas()
    tau = mean_acceptance_lengths(alphas.ravel(), max_k, phase.acceptance_shape)
    steps: Floats = (1 / tau).mean(axis=0)
    return steps


def phase_speedups(workload: Workload, costs: RoundCosts) -> Floats:
    """Long-run speedup of each phase at each draft length, shape (phases, max + 1).

    For one acceptance it is tau/rho. Where the answers of a phase differ, equally many tokens of each take
    rho/tau(alpha) plain steps, so the speedup is the inverse of the mean of these: the harmonic mean. The mean over the
    spread within a phase is taken at 64 quantiles of each answer's Beta distribution.

    >>> from specmodel.drift.phases import Phase
    >>> own = Workload("own", "Own", (Phase("Chat", alpha=0.5, persistence=0),))
    >>> phase_speedups(own, RoundCosts([20, 20, 35])).round(6).tolist()
    [[1.0, 1.5, 1.0]]
    """
    return np.array([1 / (costs.rho * _plain_steps(phase, costs.max_k)) for phase in workload.phases])
