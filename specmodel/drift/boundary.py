"""Where speculation stops paying: the acceptance at which draft and verification cost what plain decoding does."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.acceptance import mean_acceptance_lengths
from specmodel.drift.phases import DriftError, Workload
from specmodel.drift.setting import setting_of
from specmodel.messages import Message

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PhaseAtLength:
    """A phase in rounds of k drafts: its long-run speedup, and the boundary for its own acceptance by position.

    `break_even_alpha` is None where no acceptance is enough. `loses` where the speedup is below 1.
    """

    label: str
    alpha: float
    break_even_alpha: float | None
    speedup: float

    @property
    def loses(self) -> bool:
        """Whether plain decoding is faster in the long run."""
        return self.speedup < 1 - 1e-12


@dataclass(frozen=True)
class Boundary:
    """Rounds of k drafts: their cost in plain steps, the acceptance that pays for it, and the phases beside it.

    `alpha` is for one acceptance at every position; None where even certain acceptance does not pay.
    """

    num_speculative_tokens: int
    rho: float
    alpha: float | None
    phases: tuple[PhaseAtLength, ...] = ()

    @property
    def losing_phases(self) -> tuple[str, ...]:
        """The phases on the wrong side, each named once."""
        return tuple(dict.fromkeys(phase.label for phase in self.phases if phase.loses))


def failure_boundary(costs: ArrayLike, num_speculative_tokens: int, workload: Workload | None = None) -> Boundary:
    """The acceptance at which a round of k drafts costs what the tokens it yields cost plainly: tau = rho.

    rho = costs[k] ÷ costs[0]; tau = 1 + a + … + a^k rises with a from 1 to k + 1, so there is one such a where
    1 ≤ rho ≤ k + 1; below it, speculation is slower than none. Derived here from speedup = tau/rho (Leviathan et al.
    2023, Theorem 3.8), and the same as `break_even_alpha` of a scenario, for any costs.

    >>> round(failure_boundary([22, 25, 28, 31, 34, 37], 5).alpha, 3)
    0.408
    >>> from specmodel.drift.published import workload
    >>> failure_boundary([22, 25, 28, 31, 34, 37], 5, workload("shift")).losing_phases
    ()
    >>> failure_boundary([10, 14, 18, 22, 26, 30], 5, workload("shift")).losing_phases
    ('Role play',)
    """
    setting, k = setting_of(costs), num_speculative_tokens
    if not 1 <= k <= setting.max_k:
        message = "num_speculative_tokens = {k} has no boundary: expected 1 to {most}"
        raise DriftError(Message(message, {"k": k, "most": setting.max_k}))
    rho = setting.round_ms[k] / setting.plain_ms
    phases = workload.phases if workload else ()
    speedups = phase_speedups(workload, costs)[:, k].tolist() if workload else []
    found = [
        PhaseAtLength(phase.label, float(phase.alphas.mean()), _solve(rho, k, phase.acceptance_shape), speedup)
        for phase, speedup in zip(phases, speedups, strict=True)
    ]
    return Boundary(k, rho, _solve(rho, k, ()), tuple(found))


def _solve(rho: float, k: int, shape: tuple[float, ...]) -> float | None:
    def surplus(alpha: float) -> float:
        return float(mean_acceptance_lengths(alpha, k, shape)[-1]) - rho

    if rho <= 1:
        return 0.0
    if surplus(1.0) < -1e-12 * rho:
        return None
    if surplus(1.0) <= 0:
        return 1.0
    from scipy.optimize import brentq  # slow to load, and not needed to read logs

    return float(brentq(surplus, 0.0, 1.0, xtol=1e-14))


def phase_speedups(workload: Workload, costs: ArrayLike) -> Floats:
    """Long-run speedup of each phase at each draft length, shape (phases, max + 1).

    For one acceptance it is tau/rho. Where the answers of a phase differ, equally many tokens of each take
    rho/tau(alpha) plain steps, so the speedup is the inverse of the mean of these: the harmonic mean. The mean over the
    spread within a phase is taken at 64 quantiles of each answer's Beta distribution.

    >>> from specmodel.drift.phases import Phase
    >>> own = Workload("own", "Own", (Phase("Chat", alpha=0.5, persistence=0),))
    >>> phase_speedups(own, [20, 20, 35]).round(6).tolist()
    [[1.0, 1.5, 1.0]]
    """
    setting = setting_of(costs)
    rho = np.array(setting.round_ms) / setting.plain_ms
    rows = []
    for phase in workload.phases:
        alphas = phase.typical_alphas()
        tau = mean_acceptance_lengths(alphas.ravel(), setting.max_k, phase.acceptance_shape)
        rows.append(1 / (rho / tau).mean(axis=0))
    return np.array(rows)
