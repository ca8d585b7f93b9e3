"""Speeds that other requests, windows or rounds might have shown, where a file has the time of each.

Ratios are drawn on the log scale: a speed is a factor, 2 × and ½ × are equally far from 1. Units are drawn with
replacement and the sums divided, and the draws are spread out by what a bootstrap of few units lacks (`expanded`).
Where both runs have the same number of units they are drawn in pairs, since they were the same prompts in the same
order; if they were not, pairs of strangers have the same spread as strangers.
"""

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.measured.intervals import RESAMPLES, expanded, grouped, resampled
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

TOKENS, MS, PLAIN_MS = 0, 1, 2


def log_pace_draws(pace: Units | None, column: int = MS, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats | None:
    """Draws of log(time ÷ output tokens), shape (resamples,), around 0 for what was measured; None below two units.

    >>> bool(abs(log_pace_draws(Units.of("requests", [(20, 100.0, 0, None)] * 9))).max() < 1e-12)
    True
    """
    sums = _sums(pace, column, seed, resamples)
    return None if sums is None or pace is None else _centred(np.log(sums[0] / sums[1]), sums[2])


def log_speedup_draws(
    plain: Units | None, spent: Units | None, *, seed: int = 0, resamples: int = RESAMPLES
) -> Floats | None:
    """Draws of log(plain time per token ÷ time per token with speculation), around 0; None where either has no times.

    >>> runs = [Units.of("requests", [(20, 100.0 * n * f, 0, None) for n in (1, 2, 3)]) for f in (1, 2)]
    >>> bool(abs(log_speedup_draws(*runs)).max() < 1e-12)
    True
    """
    paired = plain is not None and spent is not None and len(plain.counts) == len(spent.counts)
    above = _sums(plain, MS, seed if paired else seed + 1, resamples)
    below = _sums(spent, MS, seed, resamples)
    if above is None or below is None:
        return None
    logs = np.log(above[0] / above[1]), np.log(below[0] / below[1])
    if paired:
        return _centred(logs[0] - logs[1], below[2])
    return _centred(logs[0], above[2]) - _centred(logs[1], below[2])


def log_beside_draws(pace: Units | None, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats | None:
    """Draws of log(plain steps measured beside the rounds ÷ time of the rounds), around 0; None where there are none.

    >>> pace = Units.of("requests", [(20, 100.0, 200.0, None)] * 9)  # tokens, ms, ms of as many plain steps
    >>> bool(abs(log_beside_draws(pace)).max() < 1e-12)
    True
    """
    above, below = (_sums(pace, column, seed, resamples) for column in (PLAIN_MS, MS))
    return None if above is None or below is None else _centred(np.log(above[0] / below[0]), below[2])


def is_timed(stats: SpecStats) -> bool:
    """Whether a file has the time of each of several units.

    >>> is_timed(SpecStats("a", "log"))
    False
    """
    return _sums(stats.pace, MS, 0, 1) is not None


def _sums(pace: Units | None, column: int, seed: int, resamples: int) -> tuple[Floats, Floats, int] | None:
    """Summed times and tokens of resamples and the number of units; first the times, then the tokens."""
    if pace is None or not pace.counts[:, [TOKENS, column]].all():
        return None
    counts = grouped(pace.counts, pace.kind, column, TOKENS)
    if len(counts) < 2:
        return None
    sums = resampled(len(counts), resamples, seed) @ counts
    return sums[:, column], sums[:, TOKENS], len(counts)


def _centred(logs: Floats, units: int) -> Floats:
    """Draws of a log ratio spread out for few units, around 0."""
    spread: Floats = expanded(logs, units)
    spread -= spread.mean()
    return spread
