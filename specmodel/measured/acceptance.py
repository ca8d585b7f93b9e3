"""How sure one can be of an acceptance that an engine counted: intervals, and draws that carry on to speed and best k.

Counts of one request are not independent. Where a file shows smaller units (requests, windows of a log, rounds), whole
units are drawn with replacement. Where it does not, what differs between runs is assumed, and the method says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.measured.assumed_spread import RUN_SEED, assumed_requests, powers_of_other_runs, rates_only
from specmodel.measured.intervals import (
    FEW_GROUPS,
    INTERVAL_METHODS,
    RESAMPLES,
    Estimate,
    estimate,
    expanded,
    grouped,
    resampled,
)
from specmodel.measured.sampling_units import COLUMNS, Units
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.acceptance import Acceptance
from specmodel.model.other_lengths import raised_to


@dataclass(frozen=True, eq=False)
class MeasuredAcceptance:
    """S_1 … S_k as counted, with `draws` of shape (resamples, k) from what else might have been counted.

    `by_position` is False where only tokens per round are known and one alpha was assumed for all positions.

    >>> stats = SpecStats("a", "log", num_rounds=100, num_draft_tokens=300, num_accepted_draft_tokens=180,
    ...                   accepted_per_position=(76, 59, 45))
    >>> found = measured_acceptance(stats)
    >>> found.length.value, found.length.low < 2.8 < found.length.high, found.method
    (2.8, True, 'assumed')
    """

    acceptance: Acceptance
    draws: Floats
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
        return tuple(
            Estimate(None, None, None, method=INTERVAL_METHODS[self.method])
            if np.isnan(value)
            else self._estimate(value, partial(_ratio, position=i))
            for i, value in enumerate(self.acceptance.conditional_acceptance)
        )

    def _estimate(self, value: float, of: Callable[[Floats], Floats]) -> Estimate:
        return estimate(value, of(self.draws), self.method)


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
    rounds and windows in blocks of n^(1/3): Kunsch 1989). Without units the rounds are drawn from the Dirichlet
    distribution of the counts h_0 … h_k (rounds that accepted exactly j) plus one round spread over all of them, the
    posterior of a multinomial under that prior (Gelman et al., Bayesian Data Analysis, §3.4), and then vary as
    `assumed_spread` says that runs do. With fewer than 5 units both are made and the wider one is kept.
    `num_speculative_tokens` is needed where the file has none.

    >>> stats = SpecStats("a", "log", printed_length=2.8)
    >>> found = measured_acceptance(stats, 3)
    >>> found.method, found.length.low < 2.6 < 3 < found.length.high
    ('assumed', True)
    """
    acceptance = stats.acceptance(num_speculative_tokens)
    by_position = stats.per_position_acceptance is not None
    rounds = None if rates_only(stats) else stats.num_rounds
    drawn, method = _assumed(acceptance, rounds, assumed_requests(stats), seed, resamples), "assumed"
    if stats.units is not None and len(stats.units.counts) > 1:
        by_units, groups = _by_units(stats.units, acceptance, by_position, seed, resamples)
        if groups >= FEW_GROUPS:
            drawn, method = by_units, stats.units.kind
        elif groups > 1:
            wider = by_units.sum(axis=1).std() > drawn.sum(axis=1).std()
            drawn, method = by_units if wider else drawn, "few"
    return MeasuredAcceptance(acceptance, drawn, method, by_position)


def _assumed(acceptance: Acceptance, rounds: float | None, requests: float, seed: int, resamples: int) -> Floats:
    """Draws of S_1 … S_k, shape (resamples, k): chance in as many rounds, and what differs between runs."""
    k = acceptance.num_speculative_tokens
    powers = powers_of_other_runs(requests, resamples, RUN_SEED + seed)[:, None]
    if not rounds:
        counted = np.tile(np.array(acceptance.per_position_acceptance), (resamples, 1))
    else:
        drawn = np.random.default_rng(seed).dirichlet(acceptance.pmf * rounds + 1 / (k + 1), size=resamples)
        counted = np.clip(drawn[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:], 0.0, 1.0)
    spread: Floats = counted**powers
    return spread


def _by_units(units: Units, acceptance: Acceptance, by_position: bool, seed: int, resamples: int) -> tuple[Floats, int]:
    """S_1 … S_k of resamples of the units, shape (resamples, k), and the number of units drawn (0: none had a round).

    A resample draws as many units as there are, with replacement, and adds up their counters. With positions,
    S_i = accepted at i ÷ rounds. Units without positions tell only the tokens per round of a resample: the measured
    S_1 … S_k are then all raised to the one power that gives those tokens. That keeps them between 0 and 1 and falling,
    and where one alpha was assumed for all positions (S_i = alpha^i) the result is again that of one alpha.
    """
    counts, k = grouped(units.counts, units.kind, 2), acceptance.num_speculative_tokens
    sums = resampled(len(counts), resamples, seed) @ counts
    sums = np.where(sums[:, :1] > 0, sums, counts.sum(axis=0))  # a resample without a round tells nothing
    if len(counts) < 2 or not sums[0, 0] or not k:
        return np.empty((0, k)), 0
    if by_position and counts.shape[1] >= len(COLUMNS) + k:
        drawn = sums[:, len(COLUMNS) : len(COLUMNS) + k] / sums[:, :1]
    else:
        drawn = raised_to(np.array(acceptance.per_position_acceptance), 1 + sums[:, 2] / sums[:, 0])
    spread = np.minimum.accumulate(np.clip(expanded(drawn, len(counts)), 0.0, 1.0), axis=1)
    return spread, len(counts)
