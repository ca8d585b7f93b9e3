"""One engine's measurement with what it is compared to, and what follows for speed: rho, break-even, best k, P(slower).

Acceptance alone decides nothing: speed needs a second number, the time of a round beside that of a plain step. It comes
from a baseline file, from latencies typed in, or is asked for.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.engine.checked_numbers import SHORTEST_MS, CaseError, check_numbers
from specmodel.engine.comparable import Comparability, comparable
from specmodel.engine.draws import SpeedDraws, load_factors, timed_factors, untimed_factors
from specmodel.engine.repeat_draws import repeated_factors
from specmodel.measured.acceptance import MeasuredAcceptance, measured_acceptance
from specmodel.measured.intervals import Estimate, estimate
from specmodel.measured.spec_stats import MAX_POSITIONS, SpecStats

CLEARLY_BELOW_ONE = 0.9


@dataclass(frozen=True)
class EngineCase:
    """A measurement (`stats`), its baseline if there is one, and what was typed beside it; times in ms.

    `loaded_off_ms` is a step with the drafter loaded and nothing drafted: what it takes beyond a plain one is the fixed
    cost of speculation.

    >>> stats = SpecStats("a", "log", num_speculative_tokens=3, num_rounds=100, num_draft_tokens=300,
    ...                   num_accepted_draft_tokens=180, accepted_per_position=(76, 59, 45), step_ms=12.5)
    >>> case = EngineCase(stats, plain_ms_typed=9.8)
    >>> round(case.rho, 3), round(case.decode_speedup, 3)
    (1.276, 2.195)
    """

    stats: SpecStats
    baseline: SpecStats | None = None
    k_typed: int | None = None
    plain_ms_typed: float | None = None
    round_ms_typed: float | None = None
    loaded_off_ms: float | None = None

    def __post_init__(self) -> None:
        for stats in filter(None, (self.stats, self.baseline)):
            check_numbers(stats)
        if self.k_typed is not None and not (isinstance(self.k_typed, int) and 1 <= self.k_typed <= MAX_POSITIONS):
            text = "{value} is no draft length: expected a whole number from 1 to {most}"
            raise CaseError(Message(text, {"value": Verbatim(self.k_typed), "most": MAX_POSITIONS}))
        for name in ("plain_ms_typed", "round_ms_typed", "loaded_off_ms"):
            value = getattr(self, name)
            if value is not None and not SHORTEST_MS <= value < 1e7:
                raise CaseError(Message("{value} ms is no time of a step", {"value": value}))

    @property
    def num_speculative_tokens(self) -> int | None:
        """k: of the file, else as typed."""
        return self.stats.num_speculative_tokens or self.k_typed

    @cached_property
    def acceptance(self) -> MeasuredAcceptance:
        """The measured acceptance with its intervals; `StatsError` where the file does not hold enough."""
        return measured_acceptance(self._counted, self.num_speculative_tokens)

    @property
    def _counted(self) -> SpecStats:
        return _with_rounds(self.stats, self.k_typed)

    @cached_property
    def comparability(self) -> Comparability | None:
        """What the run and its baseline have in common; None without a baseline."""
        return None if self.baseline is None else comparable(self.stats, self.baseline)

    @property
    def plain_run(self) -> SpecStats | None:
        """The baseline, where it is one: a run at another load tells no time of a plain step of this one."""
        return self.baseline if self.comparability is not None and self.comparability.is_pair else None

    @property
    def plain_ms(self) -> float | None:
        """Time of one plain decoding step: typed, the baseline's, or one that was measured beside the rounds."""
        if self.plain_ms_typed is not None:
            return self.plain_ms_typed
        if self.plain_run is None:
            return self.stats.plain_ms
        return self.plain_run.step_ms or self.plain_run.tpot_ms

    @property
    def tokens_per_step(self) -> float | None:
        """Tokens per decoding step, steps without a draft included where the file knows them; else tau."""
        return self.stats.tokens_per_step or self._counted.mean_acceptance_length

    @property
    def round_ms(self) -> float | None:
        """Time of one decoding step with speculation: typed, measured, or TPOT × tokens per step."""
        if self.round_ms_typed is not None:
            return self.round_ms_typed
        if self.stats.step_ms:
            return self.stats.step_ms
        tokens = self.tokens_per_step
        return self.stats.tpot_ms * tokens if self.stats.tpot_ms and tokens else None

    @property
    def rho(self) -> float | None:
        """Cost of a step with speculation ÷ a plain step: speculation pays while tokens per step exceed it."""
        return self.round_ms / self.plain_ms if self.round_ms is not None and self.plain_ms else None

    @property
    def share_with_draft(self) -> float:
        """Share d of the decoding steps that carried a draft; 1 where unknown.

        Without a count of steps it follows from tokens per step = 1 + d·(tau − 1), but only below 0.9: the means that
        engines print scatter by some percent.
        """
        stats = self._counted
        if stats.num_steps and stats.num_rounds is not None:
            return min(stats.num_rounds / stats.num_steps, 1.0)
        tokens, tau = stats.tokens_per_step, stats.mean_acceptance_length
        share = max(tokens - 1, 0.0) / (tau - 1) if tokens and tau and tau > 1 else 1.0
        return share if share < CLEARLY_BELOW_ONE else 1.0

    @property
    def decode_speedup(self) -> float | None:
        """Decode speedup: time per output token of the baseline ÷ that with speculation, or tokens per step ÷ rho.

        Prefill is not in it: it does not shrink, so answers end later than this number says.
        """
        plain, spent = self.ms_per_token
        return plain / spent if plain and spent else None

    @property
    def ms_per_token(self) -> tuple[float | None, float | None]:
        """Time per output token, plain and with speculation, of like measurements: both as measured, or both by steps.

        >>> plain, fast = SpecStats("a", "b", tpot_ms=10.0, step_ms=9.0), SpecStats("a", "b", tpot_ms=5.0, step_ms=14.0)
        >>> EngineCase(fast, plain).ms_per_token
        (10.0, 5.0)
        """
        plain, spent = self.plain_run.tpot_ms if self.plain_run else None, self.stats.tpot_ms
        if plain and spent and not self._typed:
            return plain, spent
        tokens, whole = self.tokens_per_step, self.round_ms
        if whole is None or not tokens:
            return self.plain_ms, None if self.round_ms_typed else spent
        return self.plain_ms, whole / tokens

    @property
    def _typed(self) -> bool:
        return self.plain_ms_typed is not None or self.round_ms_typed is not None

    @cached_property
    def speedup(self) -> Estimate | None:
        """Decode speedup with its interval: over whole timed requests or windows where the files have them, else from
        the uncertainty of the acceptance and an assumed one of the times."""
        value, draws = self.decode_speedup, self.speedup_draws
        return None if value is None or draws is None else estimate(value, draws, self.speedup_method)

    @property
    def speedup_method(self) -> str:
        """How the interval of the speedup was made: a key of `INTERVAL_METHODS`."""
        return self._factors.method

    @property
    def times_vary(self) -> bool:
        """Whether the times carry a spread of their own; without it no chance is called sure."""
        return self._factors.timed

    @property
    def chance_slower(self) -> float | None:
        """P(speedup < 1) in the same draws; None without times."""
        return None if self.speedup_draws is None else float(np.mean(self.speedup_draws < 1))

    @cached_property
    def speedup_draws(self) -> Floats | None:
        """Decode speedups that other runs might have shown, shape (resamples,); None without times."""
        value = self.decode_speedup
        return None if value is None else value * self._factors.factors

    @cached_property
    def _factors(self) -> SpeedDraws:
        found, ratio = self._own_factors, self._load_ratio
        return found if ratio == 1 else replace(found, factors=found.factors * load_factors(ratio, len(found.factors)))

    @property
    def _load_ratio(self) -> float:
        """Load with ÷ without speculation where the times of both runs are compared and it differs; else 1."""
        pair = self.comparability
        if self.plain_run is None or self.plain_ms_typed is not None or pair is None or pair.offered_rate is not None:
            return 1.0
        loads = [pair.condition("requests_in_decode"), pair.condition("context_tokens")]
        return math.prod(max(each.with_speculation, 1.0) / max(each.without, 1.0) for each in loads if each is not None)

    @cached_property
    def _own_factors(self) -> SpeedDraws:
        if self.round_ms_typed is None:
            timed = timed_factors(self.stats, self.plain_run, self.plain_ms_typed is not None)
            if timed is not None:
                return timed
            repeated = None if self.plain_ms_typed is not None else repeated_factors(self.stats)
            if repeated is not None:
                return repeated
        draws = self.length_draws()
        return untimed_factors(None if draws is None else draws / (self.tokens_per_step or 1.0))

    @property
    def acceptance_or_none(self) -> MeasuredAcceptance | None:
        """The measured acceptance; None where the file does not hold enough."""
        try:
            return self.acceptance
        except SpecmodelError:
            return None

    @cached_property
    def tokens_per_step_estimate(self) -> Estimate | None:
        """Tokens per decoding step with the interval that the uncertainty of the acceptance gives them."""
        if self.tokens_per_step is None:
            return None
        method = self.acceptance_or_none.method if self.acceptance_or_none else "none"
        return estimate(self.tokens_per_step, self.length_draws(), method)

    def length_draws(self) -> Floats | None:
        """Tokens per step, all steps, that might have been counted; centred on what was."""
        known = self.acceptance_or_none
        if known is None or self.tokens_per_step is None:
            return None
        tau, share = known.acceptance.mean_acceptance_length, self.share_with_draft
        moved: Floats = self.tokens_per_step + share * (1 + known.draws.sum(axis=1) - tau)
        return np.maximum(moved, 1.0)


def _with_rounds(stats: SpecStats, k: int | None) -> SpecStats:
    """The counters with rounds = drafted ÷ k where only those are missing and k was typed."""
    k = stats.num_speculative_tokens or k
    if stats.num_rounds is not None or not k or not stats.num_draft_tokens or stats.units is not None:
        return stats
    return stats.replace(num_rounds=stats.num_draft_tokens / k, estimated=True)
