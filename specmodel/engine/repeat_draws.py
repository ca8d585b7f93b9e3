"""Speedups that other runs might have shown, where a file has repeats of its settings: their spread is data."""

import math

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.engine.comparable import tpot_ms
from specmodel.engine.draws import SpeedDraws
from specmodel.engine.repeats import Spread, by_setting, own_part, same_conditions, same_setting
from specmodel.measured.intervals import RESAMPLES
from specmodel.measured.spec_stats import SpecStats

SEED = 82


def repeated_factors(stats: SpecStats) -> SpeedDraws | None:
    """Factors on the speedup of the main setting over the plain runs of its file; None without repeats or plain runs.

    exp(s·sqrt(1/n + 1/m)·t) with Student's t: s is the spread of the log of the time per token within settings, pooled,
    n and m are the runs of the setting and of the plain one (the two-sample t interval, of logs).

    >>> runs = [SpecStats("a", "b", label="off", speculation=False, tpot_ms=ms) for ms in (10.0, 10.2)]
    >>> runs += [SpecStats("a", "b", num_speculative_tokens=3, tpot_ms=ms) for ms in (5.0, 5.1)]
    >>> found = repeated_factors(runs[2].replace(parts=tuple(runs), parts_are_settings=True))
    >>> found.method, bool(0.9 < np.quantile(found.factors, 0.025) < 1)
    ('repeats', True)
    """
    own = own_part(stats)
    if own is None:
        return None
    spread = Spread.of(by_setting(stats.parts))
    plain = [each for each in stats.parts if not each.speculation and same_conditions(each, own) and tpot_ms(each)]
    runs = [each for each in stats.parts if same_setting(each, own)]
    if spread is None or not plain or not runs:
        return None
    sd = spread.deviation * math.sqrt(1 / len(runs) + 1 / len(plain))
    factors = np.exp(sd * np.random.default_rng(SEED).standard_t(spread.freedom, RESAMPLES))
    return SpeedDraws(factors, "repeats", True)


def two_setting_logs(first: SpecStats, second: SpecStats) -> Floats | None:
    """Draws of log(time of the first ÷ of the second) around 0, where both files repeat their settings; else None.

    >>> two_setting_logs(SpecStats("a", "b"), SpecStats("a", "b")) is None
    True
    """
    total = np.zeros(RESAMPLES)
    for at, stats in enumerate((first, second)):
        own = own_part(stats)
        spread = None if own is None else Spread.of(by_setting(stats.parts))
        if own is None or spread is None:
            return None
        runs = sum(same_setting(each, own) for each in stats.parts)
        sd = spread.deviation / math.sqrt(runs)
        total = total + sd * np.random.default_rng(SEED + 10 + at).standard_t(spread.freedom, RESAMPLES)
    return total
