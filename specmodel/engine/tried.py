"""The settings of a file compared with each other, whatever differs: draft length, way of drafting, p-min, off.

Each has a time per output token; what another run would have shown is drawn from the repeats in the file, or from what
is assumed of a time that was measured once. Best, ties and regret are read off those draws.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.engine.comparable import tpot_ms
from specmodel.engine.lengths import Compared
from specmodel.engine.repeats import Spread, by_setting, own_part, same_conditions, together
from specmodel.measured.assumed_spread import TIME
from specmodel.measured.intervals import INTERVAL_METHODS, RESAMPLES, Estimate, estimate
from specmodel.measured.spec_stats import SpecStats

SEED = 83


@dataclass(frozen=True)
class Tried:
    """One setting: its counters (repeats together), how many runs, time per token, speed over the plain run.

    `speedup` is None where no plain run is known. `chance_best`, `regret` and `ties` compare it with all settings
    tried; `is_best` is the one that loses least on average where another one is faster.
    """

    stats: SpecStats
    runs: int
    ms: float
    speedup: Estimate | None
    chance_best: float
    regret: float
    ties: bool
    is_best: bool


def tried_settings(stats: SpecStats, plain_ms: float | None = None) -> tuple[Tried, ...]:
    """The settings that ran under the conditions of the main one (batch, context, request rate), the fastest first.

    Without a plain run in the file `plain_ms` is the plain step; without either there are no speedups.

    >>> named = [SpecStats("a", "b", label=f"k = {k}", num_speculative_tokens=k, tpot_ms=10.0 - k / 2) for k in (2, 4)]
    >>> main = named[1].replace(parts=tuple(named), parts_are_settings=True)
    >>> [(each.stats.label, round(each.speedup.value, 2), each.ties) for each in tried_settings(main, 16.0)]
    [('k = 4', 2.0, False), ('k = 2', 1.78, True)]
    """
    if not stats.parts_are_settings:
        return ()
    own = own_part(stats) or stats
    alike = [each for each in stats.parts if same_conditions(each, own) and tpot_ms(each)]
    found = by_setting(alike)
    if len([runs for runs in found if runs[0].speculation]) < 1:
        return ()
    times = [geometric_mean([tpot_ms(each) or 0.0 for each in runs]) for runs in found]
    logs = _log_times(found, times)
    plain = next((at for at, runs in enumerate(found) if not runs[0].speculation), None)
    compared = Compared.of(np.exp(-logs), range(len(found)))
    given = plain_ms or own.plain_ms
    base = logs[:, plain] if plain is not None else None if given is None else np.full(RESAMPLES, math.log(given))
    rows = [
        Tried(
            together(runs),
            len(runs),
            times[at],
            _speedup(at, plain, base, logs, times, found, given),
            float(compared.chance[at]),
            float(compared.regret[at]),
            at in compared.ties,
            at == compared.best,
        )
        for at, runs in enumerate(found)
    ]
    return tuple(sorted(rows, key=lambda each: each.ms))


def _log_times(found: Sequence[Sequence[SpecStats]], times: Sequence[float]) -> Floats:
    """Logs of the times per token that other runs might have shown, shape (RESAMPLES, settings)."""
    rng, spread = np.random.default_rng(SEED), Spread.of(found)
    noise = [
        TIME * rng.standard_normal(RESAMPLES)
        if spread is None
        else spread.deviation / math.sqrt(len(runs)) * rng.standard_t(spread.freedom, RESAMPLES)
        for runs in found
    ]
    logs: Floats = np.log(times) + np.column_stack(noise)
    return logs


def _speedup(
    at: int,
    plain: int | None,
    base: Floats | None,
    logs: Floats,
    times: Sequence[float],
    found: Sequence[Sequence[SpecStats]],
    given: float | None,
) -> Estimate | None:
    if at == plain:
        return Estimate(1.0, None, None)
    if base is None:
        return None
    value = (times[plain] if plain is not None else given or 0.0) / times[at]
    repeated = Spread.of(found) is not None
    drawn = estimate(value, np.exp(base - logs[:, at]), "timed_once")
    return Estimate(value, drawn.low, drawn.high, method=INTERVAL_METHODS["repeats"]) if repeated else drawn
