"""Which draft length an engine should use, from one measurement: value and band of each, chance to be best, regret.

Tokens per round at other lengths are told by the rules of `specmodel.model.other_lengths`, the cost of a round by
`specmodel.model.step_cost`; both leave a band, and both are drawn together with acceptance and times (`draws`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.engine.case import EngineCase
from specmodel.engine.draws import Transfer, length_draws
from specmodel.measured.intervals import LEVEL, Estimate, estimate
from specmodel.model.outcome import CLOSE

BEYOND = 4
HORIZON = 12
"""Lengths that far beyond the measured one may be the best, though only the first `BEYOND` are shown."""
RESOLVED = 0.003
"""Regrets that differ by less are the same: a thousand draws do not resolve it."""


@dataclass(frozen=True)
class LengthChoice:
    """One draft length: tokens per decoding step, time of that step, speedup, and how it compares to the others.

    `chance_best` is the share of the draws in which it is the fastest of all, longer ones than are shown included;
    `ties` is True where it may be as fast as the chosen one, up to 2 %; `regret` is what choosing it costs on average
    where another one is faster, as a share of speed; `gain` is what trying it may win over the chosen one, on average
    and with a loss counted as none, since one goes back then. `extrapolated` is True beyond the measured k, `measured`
    where this length ran itself.
    """

    num_speculative_tokens: int
    tokens_per_step: Estimate
    round_ms: float | None
    speedup: Estimate | None
    chance_best: float | None
    ties: bool
    extrapolated: bool
    regret: float | None = None
    measured: bool = False
    gain: float | None = None


def length_choices(case: EngineCase, beyond: int = BEYOND) -> tuple[LengthChoice, ...]:
    """Every draft length from 0 (off) to the measured k, and `beyond` more as an extrapolation.

        tokens per step at k' = 1 + d·(tau(k') − 1),  d = share of the steps that carry a draft
        time of a step at k'  = plain·(1 + f + (rho − 1 − f)·(drafted at k' ÷ drafted at k)),  0 ≤ f ≤ rho − 1
        speedup at k'         = measured speedup × (tokens at k' ÷ tokens at k) × (time at k ÷ time at k')

    One round tells only what fixed cost f and cost per draft are together, so f is drawn from none to all of it; the
    value takes the middle. Where drafting and verification were timed, the rest of the round is fixed. Off is 1 by
    definition. Without times there is no speedup.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> stats = SpecStats("a", "log", num_speculative_tokens=3, num_rounds=100, num_draft_tokens=300,
    ...                   num_accepted_draft_tokens=180, accepted_per_position=(76, 59, 45), step_ms=12.5)
    >>> found = length_choices(EngineCase(stats, plain_ms_typed=9.8))
    >>> [round(each.speedup.value, 2) for each in found[:4]], found[4].extrapolated
    ([1.0, 1.49, 1.98, 2.2], True)
    """
    known = case.acceptance
    k = known.acceptance.num_speculative_tokens
    asked = np.arange(k + max(beyond, HORIZON) + 1.0)
    transfer = Transfer.drawn(len(known.draws))
    tokens, drawn_tokens = length_draws(known, asked, case.share_with_draft, transfer)
    rho = _rho(case, k, asked, np.array(_fixed_share(case)).mean())
    speeds, drawn = _speeds(case, k, tokens, rho), None
    if speeds is not None and case.speedup_draws is not None:
        low, high = _fixed_share(case)
        costs = _rho(case, k, asked, low + transfer.fixed[:, None] * (high - low))
        drawn = _relative(case.speedup_draws[:, None], k, drawn_tokens, costs)
    rows = None if drawn is None else Compared.of(drawn, range(k + 1))
    return tuple(
        LengthChoice(
            drafts,
            estimate(float(tokens[drafts]), drawn_tokens[:, drafts], known.method),
            None if rho is None or case.plain_ms is None else float(case.plain_ms * rho[drafts]),
            None
            if speeds is None
            else estimate(float(speeds[drafts]), None if drawn is None else drawn[:, drafts], case.speedup_method),
            None if rows is None else float(rows.chance[drafts]),
            rows is not None and drafts in rows.ties,
            bool(drafts > k),
            None if rows is None else float(rows.regret[drafts]),
            drafts == k,
            None if rows is None else float(rows.gain[drafts]),
        )
        for drafts in range(k + beyond + 1)
    )


def best_choice(choices: Sequence[LengthChoice]) -> LengthChoice | None:
    """The identified draft length with the smallest regret, the shortest of equals; None without times.

    Of a sweep only lengths that ran are chosen. Where nothing was drawn, the one with the highest speedup.

    >>> best_choice([]) is None
    True
    """
    timed = [each for each in choices if each.speedup is not None and not each.extrapolated]
    if sum(each.measured for each in timed if each.num_speculative_tokens) > 1:
        timed = [each for each in timed if each.measured]
    if any(each.regret is None for each in timed):
        return max(timed, key=lambda each: each.speedup.value or 0, default=None)  # type: ignore[union-attr]
    return timed[_first_of_least([each.regret or 0.0 for each in timed])] if timed else None


def _first_of_least(regrets: Sequence[float]) -> int:
    """The first, so the shortest, of those whose regret is the least up to what the draws resolve."""
    least = min(regrets)
    return next(at for at, each in enumerate(regrets) if each <= least + RESOLVED)


def off_is_as_good(choices: Sequence[LengthChoice]) -> bool:
    """Whether off costs at most 2 % more, on average over what may be true, than the length with the least regret.

    >>> off_is_as_good([])
    False
    """
    best = best_choice(choices)
    if best is None or not choices or choices[0].num_speculative_tokens:
        return False
    if best.regret is None or choices[0].regret is None:
        return choices[0].ties
    return choices[0].regret - best.regret <= CLOSE


def _fixed_share(case: EngineCase) -> tuple[float, float]:
    """The least and the most of the cost beyond a plain step that may be fixed."""
    stats, whole, plain = case.stats, case.round_ms, case.plain_ms
    if case.loaded_off_ms is not None and whole and plain and whole > plain:
        known = float(np.clip((case.loaded_off_ms - plain) / (whole - plain), 0.0, 1.0))
        return known, known
    if stats.draft_ms is None or stats.verify_ms is None or not whole or not plain or whole <= plain:
        return 0.0, 1.0
    rest = whole - stats.draft_ms * case.share_with_draft - stats.verify_ms
    return float(np.clip(rest / (whole - plain), 0.0, 1.0)), 1.0


def _rho(case: EngineCase, k: int, asked: Floats, fixed: Floats) -> Floats | None:
    """Cost of a step at each length in plain steps, for each share of it that is fixed; None without times."""
    if case.rho is None:
        return None
    per_position = case.stats.drafted_per_position
    known = per_position if per_position and len(per_position) == k and sum(per_position) else (1.0,) * k
    drafted = np.cumsum([0.0, *known, *known[-1:] * (asked.size - 1 - k)])
    share = np.where(asked > 0, fixed + (1 - fixed) * drafted / drafted[k], 0.0)
    rho: Floats = np.maximum(1 + (case.rho - 1) * share, 1e-9)
    return rho


def _speeds(case: EngineCase, k: int, tokens: Floats, rho: Floats | None) -> Floats | None:
    if rho is None or case.decode_speedup is None:
        return None
    return _relative(np.array([case.decode_speedup]), k, tokens, rho)


def _relative(measured: Floats, k: int, tokens: Floats, rho: Floats | None) -> Floats:
    """Speedups at every length from those at k; off is 1."""
    assert rho is not None
    speeds: Floats = measured * (tokens / tokens[..., k : k + 1]) * (rho[..., k : k + 1] / rho)
    speeds[..., 0] = 1.0
    return speeds


@dataclass(frozen=True, eq=False)
class Compared:
    """Of each draft length (by its column): chance to be the fastest, regret, what trying it may gain over the chosen
    one; `ties` with the least of regret; `best` is the column chosen."""

    chance: Floats
    regret: Floats
    ties: frozenset[int]
    gain: Floats
    best: int

    @classmethod
    def of(cls, drawn: Floats, identified: Sequence[int]) -> "Compared":
        """From draws of shape (rows, lengths), of which only the columns `identified` may be chosen.

        >>> found = Compared.of(np.array([[1.0, 1.2], [1.0, 0.99]] * 50), [0, 1])
        >>> found.chance.tolist(), found.regret.round(3).tolist(), found.ties
        ([0.5, 0.5], [0.1, 0.005], frozenset({0}))
        """
        chance = np.bincount(np.argmax(drawn, axis=1), minlength=drawn.shape[1]) / len(drawn)
        regret = (drawn.max(axis=1, keepdims=True) / drawn - 1).mean(axis=0)
        best = _first_of_least([float(regret[column]) for column in identified])
        best = identified[best]
        ahead = np.quantile(drawn[:, [best]] / drawn, (1 - LEVEL) / 2, axis=0)
        ties = frozenset(each for each in identified if each != best and ahead[each] <= 1 + CLOSE)
        gain = np.maximum(drawn / drawn[:, [best]] - 1, 0.0).mean(axis=0)
        return cls(chance, regret, ties, gain, best)
