"""The measured settings of a sweep (draft lengths, batch sizes): nothing is predicted, the fastest is looked up.

Several runs of one setting are repeats: their mean counts, and how far they lie apart is the interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from specmodel.engine.comparable import tpot_ms
from specmodel.engine.repeats import Spread, by_setting, own_part, same_batch, same_conditions, together, way_of
from specmodel.measured.spec_stats import SpecStats


@dataclass(frozen=True)
class MeasuredSetting:
    """One measured setting of a sweep: its draft length, batch, and decode speedup over the plain run of that batch.

    `runs` were made of it. `low` and `high` are the 95 % interval that the spread between repeats in the file gives,
    None where nothing was repeated. `deviation` is the standard deviation of the log of its time per token that the
    repeats leave, `freedom` its degrees of freedom.
    """

    stats: SpecStats
    batch_size: float | None
    num_speculative_tokens: int
    speedup: float | None
    low: float | None = None
    high: float | None = None
    runs: int = 1
    deviation: float | None = None
    freedom: int = 0

    @property
    def is_tree(self) -> bool:
        """Whether it drafts trees: SGLang's benchmark says so by a top-k above 1, which stands in the label."""
        return "top-k" in self.stats.label


def settings(stats: SpecStats, plain_ms: float | None = None) -> tuple[MeasuredSetting, ...]:
    """The settings of a file that measured several, each against the plain runs of the same batch; off counts as 1.

    Where the file has no plain run of a batch, `plain_ms` (typed, or of another file) or the plain step measured beside
    the rounds takes its place. A setting that speculates with an unknown draft length is left out: it could only pass
    for off. Of several temperatures that of the file's main setting counts. Batches that differ by rounding are one.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, batch_size=1.0)
    >>> fast = SpecStats("a", "b", num_speculative_tokens=3, tpot_ms=5.0, batch_size=1.0)
    >>> [each.speedup for each in settings(fast.replace(parts=(plain, fast), parts_are_settings=True))]
    [1.0, 2.0]
    """
    if not stats.parts_are_settings:
        return ()
    told = [each for each in stats.parts if each.num_speculative_tokens or not each.speculation]
    found = by_setting(each for each in told if each.temperature in (None, stats.temperature))
    plain = [runs for runs in by_setting(each for each in stats.parts if not each.speculation) if _mean_ms(runs)]
    spread = Spread.of(found)
    return tuple(_setting(runs, plain, plain_ms, spread) for runs in found)


def _setting(
    runs: Sequence[SpecStats], plain: Sequence[Sequence[SpecStats]], plain_ms: float | None, spread: Spread | None
) -> MeasuredSetting:
    stats, spent = together(runs), _mean_ms(runs)
    alike = next((each for each in plain if same_conditions(each[0], runs[0])), None)
    if alike is None:  # one that tells its batch only
        alike = next((each for each in plain if same_batch(each[0].batch_size, runs[0].batch_size)), None)
    speedup = _ratio(_mean_ms(alike) if alike else plain_ms or stats.plain_ms, spent)
    k = (stats.num_speculative_tokens or 0) if stats.speculation else 0
    batch = None if stats.batch_size is None else _rounded(stats.batch_size)
    if speedup is None or spread is None:
        return MeasuredSetting(stats, batch, k, speedup, runs=len(runs))
    sd, freedom = spread.deviation / math.sqrt(len(runs)), spread.freedom
    if not k:
        return MeasuredSetting(stats, batch, k, speedup, None, None, len(runs), sd, freedom)
    off = spread.factor(len(runs), len(alike) if alike else 0)
    return MeasuredSetting(stats, batch, k, speedup, speedup / off, speedup * off, len(runs), sd, freedom)


def _mean_ms(runs: Sequence[SpecStats]) -> float | None:
    """Time per token over the repeats of a setting: a geometric mean, since ratios are made of it."""
    known = [ms for each in runs if (ms := tpot_ms(each))]
    return (known[0] if len(known) == 1 else geometric_mean(known)) if known else None


def _rounded(batch: float) -> float:
    """A whole batch where it is one but for rounding."""
    return float(round(batch)) if same_batch(batch, round(batch)) else batch


def chains_at(measured: Sequence[MeasuredSetting], batch_size: float | None) -> dict[int, MeasuredSetting]:
    """The measured chains of one batch size by draft length, shortest first; those without a speedup are left out.

    >>> chains_at([], 1.0)
    {}
    """
    rows: dict[int, MeasuredSetting] = {}
    for each in measured:
        if same_batch(each.batch_size, batch_size) and each.speedup is not None and not each.is_tree:
            rows.setdefault(each.num_speculative_tokens, each)
    return dict(sorted(rows.items()))


def same_way(measured: Sequence[MeasuredSetting], stats: SpecStats) -> tuple[MeasuredSetting, ...]:
    """The settings that draft in the way of the main one, by their names, and the plain ones.

    >>> named = [SpecStats("a", "b", label=f"k = {k} · {way}", num_speculative_tokens=k, tpot_ms=9.0 - k)
    ...          for k, way in ((2, "EAGLE"), (4, "EAGLE"), (3, "n-gram"))]
    >>> main = named[1].replace(parts=tuple(named), parts_are_settings=True)
    >>> [each.num_speculative_tokens for each in same_way(settings(main, 10.0), main)]
    [2, 4]
    """
    own = own_part(stats)
    if own is None:
        return tuple(measured)
    way = way_of(own.label)
    return tuple(each for each in measured if not each.num_speculative_tokens or way_of(each.stats.label) == way)


def best_by_batch(measured: Sequence[MeasuredSetting]) -> dict[float, MeasuredSetting]:
    """The fastest measured chain of each batch size, off included; batches where only one of the two ran are left out.

    >>> best_by_batch([])
    {}
    """
    chains = [
        each for each in measured if each.speedup is not None and each.batch_size is not None and not each.is_tree
    ]
    best: dict[float, MeasuredSetting] = {}
    for batch in sorted({each.batch_size for each in chains if each.batch_size is not None}):
        rows = [each for each in chains if each.batch_size == batch]  # rounded already
        if not any(each.num_speculative_tokens for each in rows):
            continue  # a plain run alone says nothing of speculation there
        off = MeasuredSetting(rows[0].stats.replace(speculation=False, label=""), batch, 0, 1.0)
        best[batch] = max((*rows, off), key=lambda each: (each.speedup or 0, -each.num_speculative_tokens))
    return best


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None
