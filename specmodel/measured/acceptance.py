"""How sure one can be of an acceptance that an engine counted: intervals, and draws that carry on to speed and best k.

Counts of one request are not independent. Where a file shows smaller units (requests, windows of a log, rounds), whole
units are drawn with replacement. Where it does not, rounds are taken as independent and the interval is too narrow;
the method says so. Where only ratios were printed there is no interval.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from specmodel.base.messages import N_
from specmodel.measured.intervals import FEW_GROUPS, Estimate, resampled
from specmodel.measured.sampling_units import COLUMNS, Units
from specmodel.measured.spec_stats import TYPED, SpecStats
from specmodel.model.acceptance import Acceptance

Floats = NDArray[np.float64]
LEVEL = 0.95
RESAMPLES = 1000
MAX_GROUPS = 500

METHODS = {
    "requests": N_("bootstrap over requests"),
    "windows": N_("bootstrap over the windows of the log"),
    "rounds": N_("bootstrap over blocks of neighbouring rounds"),
    "few": N_("bootstrap over fewer than 8 requests, windows or blocks, widened to that of independent rounds"),
    "independent": N_("rounds taken as independent, which they are not: the interval is too narrow"),
    "timed": N_("bootstrap over requests, their times included"),
    "none": N_("no interval: there are ratios but no counts"),
}


@dataclass(frozen=True, eq=False)
class MeasuredAcceptance:
    """S_1 … S_k as counted, with `draws` of shape (resamples, k) from what else might have been counted, or None.

    `by_position` is False where only tokens per round are known and one alpha was assumed for all positions.

    >>> stats = SpecStats("a", "log", num_rounds=100, num_draft_tokens=300, num_accepted_draft_tokens=180,
    ...                   accepted_per_position=(76, 59, 45))
    >>> found = measured_acceptance(stats)
    >>> found.length.value, found.length.low < 2.8 < found.length.high, found.method
    (2.8, True, 'independent')
    """

    acceptance: Acceptance
    draws: Floats | None
    method: str
    by_position: bool

    @cached_property
    def length(self) -> Estimate:
        """tau, tokens per round."""
        return self._estimate(self.acceptance.mean_acceptance_length, lambda draws: 1 + draws.sum(axis=1))

    @cached_property
    def rate(self) -> Estimate:
        """Accepted ÷ drafted of rounds that draft k."""
        k = self.acceptance.num_speculative_tokens
        return self._estimate((self.acceptance.mean_acceptance_length - 1) / k, lambda draws: draws.sum(axis=1) / k)

    @cached_property
    def per_position(self) -> tuple[Estimate, ...]:
        """S_1 … S_k."""
        return tuple(
            self._estimate(value, partial(_column, position=i))
            for i, value in enumerate(self.acceptance.per_position_acceptance)
        )

    @cached_property
    def conditional(self) -> tuple[Estimate, ...]:
        """a_1 … a_k; a position that was never reached has no value."""
        found = []
        for i, value in enumerate(self.acceptance.conditional_acceptance):
            if np.isnan(value):
                found.append(Estimate(None, None, None, LEVEL))
                continue
            found.append(self._estimate(value, partial(_ratio, position=i)))
        return tuple(found)

    def _estimate(self, value: float, of: Callable[[Floats], Floats]) -> Estimate:
        if self.draws is None:
            return Estimate(value, None, None, LEVEL, method=METHODS[self.method])
        drawn = of(self.draws)
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Estimate(value, min(float(low), value), max(float(high), value), LEVEL, method=METHODS[self.method])


def _column(draws: Floats, position: int) -> Floats:
    return draws[:, position]


def _ratio(draws: Floats, position: int) -> Floats:
    before = draws[:, position - 1] if position else np.ones(len(draws))
    return draws[before > 0, position] / before[before > 0] if np.any(before > 0) else np.zeros(1)


def measured_acceptance(
    stats: SpecStats, num_speculative_tokens: int | None = None, *, seed: int = 0, resamples: int = RESAMPLES
) -> MeasuredAcceptance:
    """The acceptance that an engine counted, and how sure it is.

    Units are drawn with replacement and the counters summed before dividing (Efron and Tibshirani 1993, chapter 8;
    single rounds in blocks of n^(1/3): Kunsch 1989). Without units the rounds are taken as independent: draws are from
    the Dirichlet distribution of the counts h_0 … h_k (rounds that accepted exactly j) plus one round spread over all
    of them, the posterior of a multinomial under that prior (Gelman et al., Bayesian Data Analysis, §3.4). With fewer
    than 8 units both are made and the wider one is kept. `num_speculative_tokens` is needed where the file has none.

    >>> stats = SpecStats("a", "log", printed_length=2.8)
    >>> measured_acceptance(stats, 3).length.low is None
    True
    """
    acceptance = stats.acceptance(num_speculative_tokens)
    by_position = stats.per_position_acceptance is not None
    rng = np.random.default_rng(seed)
    units = stats.units if stats.units is not None and len(stats.units.counts) > 1 else None
    independent = _independent(acceptance, None if stats.source == TYPED else stats.num_rounds, rng, resamples)
    if units is None:
        return MeasuredAcceptance(
            acceptance, independent, "independent" if independent is not None else "none", by_position
        )
    drawn, groups = _drawn(units, acceptance, by_position, seed, resamples)
    if not drawn.size:
        return MeasuredAcceptance(
            acceptance, independent, "independent" if independent is not None else "none", by_position
        )
    if groups >= FEW_GROUPS:
        return MeasuredAcceptance(acceptance, drawn, units.kind, by_position)
    wider = drawn if independent is None or drawn.sum(axis=1).std() > independent.sum(axis=1).std() else independent
    return MeasuredAcceptance(acceptance, wider, "few", by_position)


def _independent(
    acceptance: Acceptance, rounds: float | None, rng: np.random.Generator, resamples: int
) -> Floats | None:
    if not rounds:
        return None
    k = acceptance.num_speculative_tokens
    drawn = rng.dirichlet(acceptance.pmf * rounds + 1 / (k + 1), size=resamples)
    survival: Floats = drawn[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    return np.minimum(survival, 1.0)


def _drawn(units: Units, acceptance: Acceptance, by_position: bool, seed: int, resamples: int) -> tuple[Floats, int]:
    """Survival S_1 … S_k of each resample of the units, and how many units there were to draw from.

    Units without positions give tokens per round only: S_1 … S_k are then raised to the one power that gives those,
    which for one alpha is another alpha.
    """
    counts, k = _grouped(units), acceptance.num_speculative_tokens
    sums = resampled(len(counts), resamples, seed) @ counts
    sums = sums[sums[:, 0] > 0]
    if by_position and counts.shape[1] >= len(COLUMNS) + k:
        survival: Floats = sums[:, len(COLUMNS) : len(COLUMNS) + k] / sums[:, :1]
        return _widened(survival, len(counts)), len(counts)
    measured, powers = np.array(acceptance.per_position_acceptance), np.geomspace(1e3, 1e-3, 2001)
    lengths = 1 + (measured ** powers[:, None]).sum(axis=1)
    drawn: Floats = measured ** np.interp(1 + sums[:, 2] / sums[:, 0], lengths, powers)[:, None]
    return _widened(drawn, len(counts)), len(counts)


def ms_per_token_draws(stats: SpecStats, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats | None:
    """Time per output token that other requests of this kind might have shown; None where requests were not timed.

    Both what was accepted and how long it took are in it, so it is the honest interval of a measured speed.

    >>> ms_per_token_draws(SpecStats("a", "log")) is None
    True
    """
    pace = stats.pace
    if pace is None or not 2 <= len(pace.counts) <= MAX_GROUPS:
        return None
    tokens, spent = (resampled(len(pace.counts), resamples, seed) @ pace.counts[:, :2]).T
    drawn = spent / tokens
    spread: Floats = drawn.mean() + _factor(len(pace.counts)) * (drawn - drawn.mean())
    return np.maximum(spread, 1e-9)


def _factor(groups: int) -> float:
    return float(stdtrit(groups - 1, (1 + LEVEL) / 2) / ndtri((1 + LEVEL) / 2) * np.sqrt(groups / (groups - 1)))


def _widened(drawn: Floats, groups: int) -> Floats:
    """Draws spread out by t·√(n/(n − 1)) ÷ z, which a bootstrap of n units lacks; still never rising.

    Source: Hesterberg (2015), What Teachers Should Know About the Bootstrap, Amer. Statist. 69 (expanded percentile).
    """
    if groups < 2 or not len(drawn):
        return drawn[:0]
    factor = _factor(groups)
    centre = drawn.mean(axis=0)
    spread: Floats = np.minimum.accumulate(np.clip(centre + factor * (drawn - centre), 0.0, 1.0), axis=1)
    return spread


def _grouped(units: Units) -> Floats:
    """Units to draw: single rounds joined to blocks of neighbours, and never more than `MAX_GROUPS`."""
    counts, size = units.counts, len(units.counts)
    block = int(np.ceil(size ** (1 / 3))) if units.kind == "rounds" else 1
    block = max(block, -(-size // MAX_GROUPS))
    if block == 1:
        return counts
    starts = np.arange(0, size, block)
    joined: Floats = np.add.reduceat(counts, starts, axis=0)
    return joined
