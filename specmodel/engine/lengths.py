"""Which draft length an engine should use, from one measurement: what is identified, what is extrapolated, what ties.

Up to the measured k a shorter draft is the same round stopped earlier: S_1 … S_k' is a prefix, so its tokens per
round are known (a real sweep stayed within 5 %). Beyond it nobody measured: the last conditional acceptance is carried
on. On that sweep this came out 7 to 10 % too long two positions further and 13 to 20 % four further, so the lower end
of the band falls by 5 % a position, below what the counts leave open already.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.engine.case import EngineCase
from specmodel.measured.intervals import LEVEL, Estimate, estimate

BEYOND = 4
TOO_LONG_PER_POSITION = 0.05


@dataclass(frozen=True)
class LengthChoice:
    """One draft length: tokens per decoding step, time of that step, speedup; `chance_best` among the identified ones.

    `ties` is True where the counts cannot tell it from the best one; `extrapolated` beyond the measured k.
    """

    num_speculative_tokens: int
    tokens_per_step: Estimate
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

    >>> from specmodel.measured.spec_stats import SpecStats
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
    rows = []
    for drafts in range(k + 1):
        length = estimate(float(lengths[drafts]), None if drawn is None else drawn[:, drafts], known.method)
        speedup = None if gains is None else length.scaled(float(gains[drafts]))
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
    worse_by = np.quantile(speeds[:, [best]] - speeds, (1 - LEVEL) / 2, axis=0)
    ties = {drafts for drafts in range(lengths.size) if drafts != best and worse_by[drafts] <= 0}
    return [float(value) for value in chance], ties


def _beyond(
    case: EngineCase, last: LengthChoice, survival: Floats, times: Floats | None, beyond: int
) -> list[LengthChoice]:
    """Draft lengths beyond the measured one: the last conditional acceptance carried on, with a widening band."""
    k, share, rows = survival.size, case.share_with_draft, []
    reached = survival[-2] if k > 1 else 1.0
    carried = survival[-1] / reached if reached > 0 else 0.0
    measured, still = last.tokens_per_step, survival[-1]
    value = measured.value or 1.0
    shortest, high = measured.low or value, measured.high or value  # a longer draft keeps what a shorter one does
    unsure = value - shortest
    for position in range(1, beyond + 1):
        still = still * carried
        value, high = value + share * still, high + share * still
        low = max(shortest, (value - unsure) * (1 - TOO_LONG_PER_POSITION * position))
        length = Estimate(value, min(low, value), high, method=measured.method)
        step = None if times is None else float(times[k + position])
        speedup = None if step is None or case.plain_ms is None else length.scaled(case.plain_ms / step)
        rows.append(LengthChoice(k + position, length, step, speedup, None, False, True))
    return rows
