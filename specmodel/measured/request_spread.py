"""How much the acceptance of requests differs, beyond what chance does to their rounds."""

import math

import numpy as np

from specmodel.measured.sampling_units import COLUMNS
from specmodel.measured.spec_stats import SpecStats

FEWEST_REQUESTS = 5


def request_spread(stats: SpecStats) -> float | None:
    """Standard deviation of alpha between the requests of a file; None where it does not tell requests apart.

    The alpha of a request is accepted ÷ (accepted + rounds that ended in a rejection), its maximum-likelihood estimate
    under one alpha at every position. Of the variance between requests the mean sampling variance a·(1 − a)/n is taken
    off (method of moments, derived here); what remains below 0 is 0. Needs acceptance by position, which tells the
    rounds that were kept whole, and five requests.

    >>> from specmodel.measured.sampling_units import Units
    >>> rows = [(100, 100, kept, (kept,)) for kept in (50, 90) * 5]
    >>> round(request_spread(SpecStats("a", "log", units=Units.of("requests", rows))), 3)
    0.207
    >>> request_spread(SpecStats("a", "log")) is None
    True
    """
    units = stats.units
    if units is None or units.kind != "requests" or units.counts.shape[1] <= len(COLUMNS):
        return None
    rounds, accepted, whole = units.counts[:, 0], units.counts[:, 2], units.counts[:, -1]
    trials = accepted + rounds - whole
    told = trials > 1
    if told.sum() < FEWEST_REQUESTS:
        return None
    alpha, trials = accepted[told] / trials[told], trials[told]
    chance = np.mean(alpha * (1 - alpha) / (trials - 1))
    return math.sqrt(max(float(np.var(alpha, ddof=1) - chance), 0.0))
