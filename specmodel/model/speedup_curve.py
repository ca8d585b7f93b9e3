"""Curves over the acceptance probability: what the speedup figure draws. All values are exact."""

from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.model.acceptance import mean_acceptance_lengths
from specmodel.model.answer_spread import rounds_quantiles
from specmodel.model.outcome import BAND
from specmodel.model.scenario import Scenario, cost_ratio

ALPHAS = np.linspace(0, 1, 101)
BAND_POINTS = np.linspace(0, 1, 26)


@dataclass(frozen=True)
class SpeedupCurve:
    """Long-run speedup at each alpha, and the 5 to 95 % band of single outputs at the coarser `band_alpha`."""

    alpha: Floats
    speedup: Floats
    band_alpha: Floats
    low: Floats
    high: Floats


def speedup_curve(scenario: Scenario) -> SpeedupCurve:
    """Speedup = tau/rho against acceptance, all else as in the scenario; the band is that of one output of N tokens.

    The band is taken from the exact distribution of the rounds needed, at fixed values of the effective acceptance,
    so that only the draft length and the output length change what has to be computed.

    >>> curve = speedup_curve(Scenario())
    >>> round(float(curve.speedup[60]), 3)
    1.417
    """
    drafts, rho, overlap = scenario.num_speculative_tokens, cost_ratio(scenario), scenario.vocabulary_overlap
    effective = np.append(BAND_POINTS[overlap > BAND_POINTS], overlap)
    spread, shape = scenario.prompt_spread, scenario.acceptance_shape
    quantiles = np.array(
        [rounds_quantiles(float(a), drafts, scenario.output_tokens, shape, spread, BAND) for a in effective]
    )
    per_output = scenario.output_tokens / (quantiles * rho)
    return SpeedupCurve(
        alpha=ALPHAS,
        speedup=mean_acceptance_lengths(ALPHAS * overlap, drafts, scenario.acceptance_shape)[:, -1] / rho,
        band_alpha=effective / overlap if overlap else np.array([0.0, 1.0]),
        low=np.resize(per_output[:, 1], max(effective.size, 2)),
        high=np.resize(per_output[:, 0], max(effective.size, 2)),
    )


def neighbours(scenario: Scenario) -> tuple[int, ...]:
    """Draft lengths beside the scenario's own that are worth a thin line: half, one less, one more, double.

    >>> neighbours(Scenario())
    (2, 4, 6, 10)
    """
    own = scenario.num_speculative_tokens
    near = {own // 2, own - 1, own + 1, own * 2} if own else {1, 2, 4}
    return tuple(sorted(k for k in near if 1 <= k <= 64 and k != own))


def long_run_speedups(scenario: Scenario, num_speculative_tokens: int) -> Floats:
    """Long-run speedup at every alpha of `ALPHAS` for another draft length, without a band.

    >>> float(long_run_speedups(Scenario(), 0)[50])
    1.0
    """
    other = scenario.replace(num_speculative_tokens=num_speculative_tokens)
    effective = ALPHAS * scenario.vocabulary_overlap
    tau = mean_acceptance_lengths(effective, num_speculative_tokens, scenario.acceptance_shape)[:, -1]
    speedup: Floats = tau / cost_ratio(other)
    return speedup
