"""The draft lengths of a sweep: what was measured, and between and beyond it what the fitted cost of a round says.

Measured lengths vary by what the repeats in the file show, or by what is assumed of a time that was measured once. From
two measured lengths on, the cost of a round is fitted (rho(k) = 1 + f + c·k), and lengths that were not measured take
their tokens from the next longer run (`specmodel.model.other_lengths`).
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import SpecmodelError
from specmodel.engine.draws import Transfer
from specmodel.engine.lengths import Compared, LengthChoice
from specmodel.engine.sweep import MeasuredSetting, chains_at
from specmodel.measured.assumed_spread import TIME
from specmodel.measured.intervals import INTERVAL_METHODS, RESAMPLES, Estimate, estimate
from specmodel.model.other_lengths import length_bands
from specmodel.model.step_cost import StepCost, fit_step_cost

SEED = 80
FURTHER = 2
"""How many draft lengths beyond the longest measured one are shown."""


def setting_choices(measured: Sequence[MeasuredSetting], batch_size: float | None) -> tuple[LengthChoice, ...]:
    """The draft lengths of one batch size, off first; empty without times. Trees are left out.

    >>> from specmodel.engine.sweep import settings
    >>> from specmodel.measured.spec_stats import SpecStats
    >>> plain = SpecStats("a", "b", speculation=False, step_ms=10.0, batch_size=1.0)
    >>> fast = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=10.0, batch_size=1.0)
    >>> measured = settings(fast.replace(parts=(plain, fast), parts_are_settings=True))
    >>> [(each.num_speculative_tokens, each.speedup.value) for each in setting_choices(measured, 1.0)]
    [(0, 1.0), (3, 2.0)]
    """
    rows = chains_at(measured, batch_size)
    if not any(rows):
        return ()
    drawn = _measured_draws(rows)
    predicted = _predicted(rows, drawn)
    lengths = sorted({0, *rows, *predicted})
    longest = max(rows)
    ran = [at for at, k in enumerate(lengths) if k in rows or not k]
    speeds = np.column_stack([drawn[k] if k in drawn else predicted[k][2] for k in lengths])
    compared = Compared.of(speeds, ran)
    choices = []
    for at, k in enumerate(lengths):
        row = rows.get(k)
        length, speedup = _estimates(k, row, drawn.get(k), predicted.get(k))
        step = row.stats.step_ms if row is not None else None
        chance, regret, ties = float(compared.chance[at]), float(compared.regret[at]), at in compared.ties
        is_measured = row is not None or not k
        gain = float(compared.gain[at])
        choices.append(LengthChoice(k, length, step, speedup, chance, ties, k > longest, regret, is_measured, gain))
    return tuple(choices)


def fitted_cost(rows: dict[int, MeasuredSetting]) -> StepCost | None:
    """Fixed cost and cost per draft over the measured lengths, in plain steps; None below two that tell it.

    A round costs tokens per round ÷ speedup plain steps.

    >>> fitted_cost({}) is None
    True
    """
    told = {k: row.stats.mean_acceptance_length / row.speedup for k, row in rows.items() if k and _tells(row)}  # type: ignore[operator]
    if len(told) < 2:
        return None
    sds = [rows[k].deviation or TIME for k in told]
    try:
        return fit_step_cost(list(told), list(told.values()), sds)
    except SpecmodelError:
        return None


def _tells(row: MeasuredSetting) -> bool:
    return bool(row.stats.mean_acceptance_length and row.speedup)


def _measured_draws(rows: dict[int, MeasuredSetting]) -> dict[int, Floats]:
    """Speedups over the plain run that repeats of each setting might have shown; off is 1 by definition."""
    rng = np.random.default_rng(SEED)
    plain = _log_noise(rows[0], rng) if 0 in rows else np.zeros(RESAMPLES)
    drawn = {k: (row.speedup or 0.0) * np.exp(plain - _log_noise(row, rng)) for k, row in rows.items() if k}
    return {0: np.ones(RESAMPLES), **drawn}


def _log_noise(row: MeasuredSetting, rng: np.random.Generator) -> Floats:
    """What the log of a measured time may be off by: Student's t with the spread of the repeats, or as assumed."""
    noise: Floats
    if row.deviation is None:
        noise = TIME * rng.standard_normal(RESAMPLES)
    else:
        noise = row.deviation * rng.standard_t(row.freedom, RESAMPLES)
    return noise


Predicted = tuple[Estimate, float, Floats]


def _predicted(rows: dict[int, MeasuredSetting], drawn: dict[int, Floats]) -> dict[int, Predicted]:
    """Tokens per round, speedup and its draws for lengths that were not measured; none without a fitted cost."""
    cost = fitted_cost(rows)
    if cost is None:
        return {}
    told = sorted(k for k, row in rows.items() if k and _tells(row))
    rng, transfer = np.random.default_rng(SEED + 1), Transfer.drawn(RESAMPLES)
    found: dict[int, Predicted] = {}
    for shortest, source in pairwise([0, *told]):
        for k in range(shortest + 1, source):
            found[k] = _between(k, source, rows[source], drawn[source], cost, transfer.shorter, rng)
    for k in range(told[-1] + 1, told[-1] + 1 + FURTHER):
        found[k] = _between(k, told[-1], rows[told[-1]], drawn[told[-1]], cost, transfer.longer, rng)
    return {k: each for k, each in found.items() if k not in rows}


def _between(
    k: int,
    source: int,
    row: MeasuredSetting,
    measured: Floats,
    cost: StepCost,
    place: Floats,
    rng: np.random.Generator,
) -> Predicted:
    """One length from the run of another one: its tokens moved by the rules, its cost by the fit."""
    by_position = row.stats.per_position_acceptance is not None
    survival = row.stats.acceptance(source).per_position_acceptance
    bands = length_bands(survival, [k, source], by_position=by_position)
    tokens = bands.low[0] + place * (bands.high[0] - bands.low[0])
    moved = cost.at([k, source])
    rho = moved[0] * np.exp(float(cost.sd_at(k)) / moved[0] * rng.standard_normal(RESAMPLES))
    speeds: Floats = measured * tokens / bands.value[1] * moved[1] / rho
    value = float((row.speedup or 0.0) * bands.value[0] / bands.value[1] * moved[1] / moved[0])
    return estimate(float(bands.value[0]), tokens, "assumed"), value, speeds


def _estimates(
    k: int, row: MeasuredSetting | None, drawn: Floats | None, predicted: Predicted | None
) -> tuple[Estimate, Estimate]:
    if not k:
        one = Estimate(1.0, None, None)
        return one, one
    if row is not None:
        tau = row.stats.mean_acceptance_length
        tokens = Estimate(None, None, None) if tau is None else estimate(tau, None, "none")
        if row.low is not None:
            return tokens, Estimate(row.speedup, row.low, row.high, method=INTERVAL_METHODS["repeats"])
        return tokens, estimate(row.speedup or 0.0, drawn, "timed_once")
    assert predicted is not None
    return predicted[0], estimate(predicted[1], predicted[2], "timed_once")
