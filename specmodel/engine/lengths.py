"""Which draft length an engine should use, from one measurement: what is identified, what is extrapolated, what ties.

Up to the measured k a shorter draft is the same round stopped earlier: S_1 … S_k' is a prefix, so its tokens per
round are known (a real sweep stayed within 5 %). Beyond it nobody measured: the last conditional acceptance is carried
on. On that sweep this came out 7 to 10 % too long two positions further and 13 to 20 % four further, so the lower end
of the band falls by 5 % a position, below what the counts leave open already.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specmodel.engine.case import EngineCase
from specmodel.measured.acceptance import LEVEL, METHODS
from specmodel.measured.intervals import Estimate
from specmodel.measured.spec_stats import SpecStats

Floats = NDArray[np.float64]
BEYOND = 4
TOO_LONG_PER_POSITION = 0.05
QUANTILES = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


@dataclass(frozen=True)
class LengthChoice:
    """One draft length: tokens per decoding step, time of that step, speedup; `chance_best` among the identified ones.

    `ties` is True where the counts cannot tell it from the best one; `extrapolated` beyond the measured k.
    """

    num_speculative_tokens: int
    length: Estimate
    round_ms: float | None
    speedup: Estimate | None
    chance_best: float | None
    ties: bool
    extrapolated: bool


def length_choices(case: EngineCase, beyond: int = BEYOND) -> tuple[LengthChoice, ...]:
    """Every draft length from 0 (off) to the measured k, and `beyond` more as an extrapolation.

        tokens per step at k' = 1 + d·(S_1 + … + S_k'),  d = share of the steps that carry a draft
        time of a step at k'  = plain + (measured − plain)·(drafted at k' ÷ drafted at k)
        speedup               = tokens per step × plain ÷ time of a step

    The time grows in a straight line with what is drafted: drafting one token after another, verification linear in the
    tokens (derived here; where a file has measured several k, `setting_choices` takes those instead). Without times
    there is no speedup. Ties: the 95 % interval of the paired difference to the best one holds 0.

    >>> stats = SpecStats("a", "log", num_speculative_tokens=3, num_rounds=100, num_draft_tokens=300,
    ...                   num_accepted_draft_tokens=180, accepted_per_position=(76, 59, 45), step_ms=12.5)
    >>> found = length_choices(EngineCase(stats, plain_ms_typed=9.8))
    >>> [round(each.speedup.value, 2) for each in found[:4]], found[4].extrapolated
    ([1.0, 1.61, 1.99, 2.2], True)
    """
    known = case.acceptance
    k, share = known.acceptance.num_speculative_tokens, case.share_with_draft
    survival = np.array(known.acceptance.per_position_acceptance)
    lengths = _tokens(survival, share)
    drawn = None if known.draws is None else _tokens(known.draws, share)
    times = _step_ms(case, k, beyond)
    gains = None if times is None or case.plain_ms is None else case.plain_ms / times[: k + 1]
    chance, ties = _compared(lengths, drawn, gains)
    method = METHODS[known.method]
    rows = []
    for drafts in range(k + 1):
        length = _estimate(float(lengths[drafts]), None if drawn is None else drawn[:, drafts], method)
        speedup = None if gains is None else _scaled(length, float(gains[drafts]))
        step = None if times is None else float(times[drafts])
        rows.append(LengthChoice(drafts, length, step, speedup, chance[drafts], drafts in ties, False))
    return (*rows, *_beyond(case, rows[-1], survival, times, beyond))


def best_choice(choices: Sequence[LengthChoice]) -> LengthChoice | None:
    """The identified draft length with the highest speedup, the shortest of equals; None without times.

    >>> best_choice([]) is None
    True
    """
    timed = [each for each in choices if each.speedup is not None and not each.extrapolated]
    return max(timed, key=lambda each: each.speedup.value or 0, default=None)  # type: ignore[union-attr]


def _tokens(survival: Floats, share: float) -> Floats:
    """Tokens per step at k' = 0 … k, for one curve of shape (k,) or many of shape (draws, k)."""
    sums: Floats = 1 + share * np.insert(np.cumsum(survival, axis=-1), 0, 0.0, axis=-1)
    return sums


def _step_ms(case: EngineCase, k: int, beyond: int) -> Floats | None:
    """Time of a step at k' = 0 … k + beyond; None where a time is missing."""
    if case.plain_ms is None or case.round_ms is None:
        return None
    per_position = case.stats.drafted_per_position
    known = per_position if per_position and len(per_position) == k and sum(per_position) else (1.0,) * k
    drafted = np.cumsum([0.0, *known, *known[-1:] * beyond])
    times: Floats = case.plain_ms + (case.round_ms - case.plain_ms) * drafted / drafted[k]
    return np.maximum(times, 1e-9)


def _compared(lengths: Floats, drawn: Floats | None, gains: Floats | None) -> tuple[list[float | None], set[int]]:
    """The chance of each k' to be the best, and those that cannot be told from the best."""
    nothing: list[float | None] = [None] * lengths.size
    if gains is None:
        return nothing, set()
    best = int(np.argmax(lengths * gains))
    if drawn is None:
        return nothing, set()
    speeds = drawn * gains
    chance = np.bincount(np.argmax(speeds, axis=1), minlength=lengths.size) / len(speeds)
    worse_by = np.quantile(speeds[:, [best]] - speeds, QUANTILES[0], axis=0)
    ties = {drafts for drafts in range(lengths.size) if drafts != best and worse_by[drafts] <= 0}
    return [float(value) for value in chance], ties


def _estimate(value: float, drawn: Floats | None, method: str) -> Estimate:
    if drawn is None:
        return Estimate(value, None, None, LEVEL, method=method)
    low, high = np.quantile(drawn, QUANTILES)
    return Estimate(value, min(float(low), value), max(float(high), value), LEVEL, method=method)


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    low, high = estimate.low, estimate.high
    return Estimate(
        (estimate.value or 0) * factor,
        None if low is None else low * factor,
        None if high is None else high * factor,
        LEVEL,
        method=estimate.method,
    )


def _beyond(
    case: EngineCase, last: LengthChoice, survival: Floats, times: Floats | None, beyond: int
) -> list[LengthChoice]:
    """Draft lengths beyond the measured one: the last conditional acceptance carried on, with a widening band."""
    k, share, rows = survival.size, case.share_with_draft, []
    reached = survival[-2] if k > 1 else 1.0
    carried = survival[-1] / reached if reached > 0 else 0.0
    value, still = last.length.value or 1.0, survival[-1]
    shortest, high = last.length.low or value, last.length.high or value  # a longer draft keeps what a shorter one does
    unsure = value - shortest
    for position in range(1, beyond + 1):
        still = still * carried
        value, high = value + share * still, high + share * still
        low = max(shortest, (value - unsure) * (1 - TOO_LONG_PER_POSITION * position))
        length = Estimate(value, min(low, value), high, method=last.length.method)
        step = None if times is None else float(times[k + position])
        speedup = None if step is None or case.plain_ms is None else _scaled(length, case.plain_ms / step)
        rows.append(LengthChoice(k + position, length, step, speedup, None, False, True))
    return rows


@dataclass(frozen=True)
class Setting:
    """One measured setting of a sweep: its draft length, batch, and decode speedup over the plain run of that batch."""

    stats: SpecStats
    batch_size: float | None
    num_speculative_tokens: int
    speedup: float | None

    @property
    def is_tree(self) -> bool:
        """Whether it drafts trees: SGLang's benchmark says so by a top-k above 1, which stands in the label."""
        return "top-k" in self.stats.label


def settings(stats: SpecStats, plain_ms: float | None = None) -> tuple[Setting, ...]:
    """The settings of a file that measured several, each against the plain run of the same batch; off counts as 1.

    Where the file has no plain run of a batch, `plain_ms` (typed, or of another file) or the plain step measured beside
    the rounds takes its place. A setting that speculates with an unknown draft length is left out: it could only pass
    for off. Of several temperatures that of the file's main setting counts.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, batch_size=1.0)
    >>> fast = SpecStats("a", "b", num_speculative_tokens=3, tpot_ms=5.0, batch_size=1.0)
    >>> [each.speedup for each in settings(fast.replace(parts=(plain, fast), parts_are_settings=True))]
    [1.0, 2.0]
    """
    if not stats.parts_are_settings:
        return ()
    plain = {part.batch_size: tpot_ms(part) for part in stats.parts if not part.speculation}
    return tuple(
        Setting(
            part,
            part.batch_size,
            (part.num_speculative_tokens or 0) if part.speculation else 0,
            _ratio(plain.get(part.batch_size) or plain_ms or part.plain_ms, tpot_ms(part)),
        )
        for part in stats.parts
        if (part.num_speculative_tokens or not part.speculation) and part.temperature in (None, stats.temperature)
    )


def setting_choices(found: Sequence[Setting], batch_size: float | None) -> tuple[LengthChoice, ...]:
    """The measured chains of one batch size as draft lengths, off first: nothing is predicted. Empty without times.

    >>> plain = SpecStats("a", "b", speculation=False, step_ms=10.0, batch_size=1.0)
    >>> fast = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=10.0, batch_size=1.0)
    >>> measured = settings(fast.replace(parts=(plain, fast), parts_are_settings=True))
    >>> [(each.num_speculative_tokens, each.speedup.value) for each in setting_choices(measured, 1.0)]
    [(0, 1.0), (3, 2.0)]
    """
    rows: dict[int, Setting] = {}
    for each in found:
        if each.batch_size == batch_size and each.speedup is not None and not each.is_tree:
            rows.setdefault(each.num_speculative_tokens, each)
    if not any(rows):
        return ()
    off = () if 0 in rows else (LengthChoice(0, _exact(1.0), None, _exact(1.0), None, False, False),)
    return off + tuple(
        LengthChoice(
            k,
            _exact(each.stats.mean_acceptance_length if k else 1.0),
            each.stats.step_ms,
            _exact(each.speedup),
            None,
            False,
            False,
        )
        for k, each in sorted(rows.items())
    )


def _exact(value: float | None) -> Estimate:
    return Estimate(value, None, None, LEVEL, method=METHODS["none"])


def best_by_batch(found: Sequence[Setting]) -> dict[float, Setting]:
    """The fastest measured chain of each batch size, off included; batches without a plain run are left out.

    >>> best_by_batch([])
    {}
    """
    found = [each for each in found if each.speedup is not None and each.batch_size is not None and not each.is_tree]
    best: dict[float, Setting] = {}
    for batch in sorted({each.batch_size for each in found if each.batch_size is not None}):
        rows = [each for each in found if each.batch_size == batch]
        off = Setting(rows[0].stats.replace(speculation=False, label=""), batch, 0, 1.0)
        best[batch] = max((*rows, off), key=lambda each: (each.speedup or 0, -each.num_speculative_tokens))
    return best


def tpot_ms(stats: SpecStats) -> float | None:
    """Time per output token: as measured, or the time of a step ÷ tokens per step.

    >>> tpot_ms(SpecStats("a", "b", printed_length=2.0, step_ms=10.0))
    5.0
    """
    if stats.tpot_ms is not None:
        return stats.tpot_ms
    tokens = 1.0 if not stats.speculation else (stats.tokens_per_step or stats.mean_acceptance_length)
    return stats.step_ms / tokens if stats.step_ms is not None and tokens else None


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None
