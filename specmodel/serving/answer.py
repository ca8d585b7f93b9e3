"""The answer for a load: does speculation pay at this batch, from which batch and rate on is it off, what is won."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_, Message
from specmodel.base.numbers import first_highest
from specmodel.model.outcome import Verdict
from specmodel.model.rounds import mean_rounds
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS, Scenario
from specmodel.serving.arrivals import EngineTable, FixedPoint, fixed_points
from specmodel.serving.by_batch import BatchTable, by_batch
from specmodel.serving.crossings import Crossing, crossings, off_rates
from specmodel.serving.load import Load
from specmodel.serving.load_outcome import LoadOutcome
from specmodel.serving.memory import Capacity, largest_batch
from specmodel.serving.schedule import Tier, short_schedule, switch_off
from specmodel.serving.served_model import Serving
from specmodel.serving.speed_band import SpeedBand, speed_band

Value = TypeVar("Value")
_UNSURE = N_(
    "At batch {batch} a round emits {tau:.2f} tokens and costs {rho:.2f} plain steps, but the costs are not known well "
    "enough to say whether that is faster: {low:.2f} to {high:.2f}×."
)


class Once(Generic[Value]):
    """A property that depends on neither batch nor request rate: computed once for all answers made by `at`."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, answer: "LoadAnswer", owner: type) -> Value:
        if self.name not in answer.once:
            answer.once[self.name] = self.compute(answer)
        value: Value = answer.once[self.name]
        return value


@dataclass(frozen=True)
class LoadAnswer:
    """One served model under load, at every batch size that fits: tables, schedule, and the engine by request rate.

    `most` and `plain_most` are the largest batches with and without speculation: the drafter takes memory too. `ends`
    are the served model at the ends of what its costs may be: `specmodel.serving.cost_band`.
    """

    serving: Serving
    load: Load
    num_speculative_tokens: int
    output_tokens: float
    most: int
    plain_most: int
    ends: tuple[Serving, ...] = ()
    once: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def at(self, batch_size: int, request_rate: float | None = None) -> "LoadAnswer":
        """The same engine at another batch, and at another request rate if given; keeps what does not depend on them.

        >>> from specmodel.serving.passes import AffinePass
        >>> one = LoadAnswer(Serving(AffinePass(), alpha=0.7), Load(batch_size=1), 3, 500, most=64, plain_most=64)
        >>> one.at(64).table is one.table, one.at(64).outcome.speedup < one.outcome.speedup
        (True, True)
        """
        rate = self.load.request_rate if request_rate is None else request_rate
        return replace(self, load=self.load.replace(batch_size=batch_size, request_rate=rate))

    @Once
    def table(self) -> BatchTable:
        """Speedup at every batch that fits beside the drafter, and every k from 0 to 64."""
        batches = np.arange(1, self.most + 1)
        return by_batch(self.serving, batches, self.load.context_tokens, MAX_SPECULATIVE_TOKENS)

    @Once
    def plain_times(self) -> Floats:
        """A plain step at every batch that fits without a drafter, in ms, shape (plain_most,)."""
        found = self.serving.plain_ms(np.arange(1, self.plain_most + 1), self.load.context_tokens)
        return found + np.zeros(self.plain_most)

    @Once
    def tiers(self) -> tuple[Tier, ...]:
        """The schedule by batch, off with its standing cost."""
        return short_schedule(self.table, self.load.tolerance)

    @Once
    def scheduled(self) -> Ints:
        """The draft length of the schedule at every batch of the table."""
        return np.concatenate([np.full(tier.last - tier.first + 1, tier.num_speculative_tokens) for tier in self.tiers])

    @Once
    def off(self) -> tuple[tuple[int, int], ...]:
        """Ranges of batches where the plain engine is faster than this draft length."""
        return switch_off(self.table, self.num_speculative_tokens) if self.num_speculative_tokens else ()

    @Once
    def off_at_best(self) -> tuple[tuple[int, int], ...]:
        """Ranges of batches where the plain engine is faster than any draft length."""
        return switch_off(self.table)

    @Once
    def band(self) -> SpeedBand:
        """The lowest and the highest speedup at every batch and draft length, by what the costs may be."""
        longest = max(self.num_speculative_tokens, int(self.table.best.max()), int(self.scheduled.max()), 1)
        return speed_band(self.table, self.ends, self.load.context_tokens, longest)

    @cached_property
    def speedup_range(self) -> tuple[float, float]:
        """The lowest and the highest speedup at the load's batch; twice the same where the costs have no band."""
        k, batch, context = self.num_speculative_tokens, self.load.batch_size, self.load.context_tokens
        speeds = sorted(float(each.speedup(k, batch, context)) for each in (self.serving, *self.ends))
        return speeds[0], speeds[-1]

    @cached_property
    def outcome(self) -> LoadOutcome:
        """What the load's batch comes to."""
        here, k = (self.load.batch_size, self.load.context_tokens), self.num_speculative_tokens
        lengths = np.arange(MAX_SPECULATIVE_TOKENS + 1)
        measured = self.serving.known(lengths, self.load.batch_size)
        speeds = np.where(measured, self.serving.speedup(lengths, *here), 0.0)
        best = int(first_highest(speeds))
        tpot, round_ms = float(self.serving.tpot_ms(k, *here)), float(self.serving.round_ms(k, *here))
        plain = float(self.serving.plain_ms(*here))
        return LoadOutcome(
            speedup=plain / tpot,
            best_k=best,
            best_speedup=float(speeds[best]),
            tpot_ms=tpot,
            plain_ms=plain,
            tokens_per_s=1000 * self.load.batch_size / tpot,
            cost_ratio=round_ms / plain,
            wasted_share=float(self.serving.wasted_ms(k, *here)) / round_ms,
        )

    @cached_property
    def verdict(self) -> Verdict:
        """Whether k drafts pay at this batch, and why; within the tolerance of the schedule it is too close to call."""
        outcome, k = self.outcome, self.num_speculative_tokens
        values = {
            "tau": float(self.serving.tau(k)),
            "rho": outcome.cost_ratio,
            "batch": self.load.batch_size,
            "share": self.load.tolerance,
        }
        if k == 0:
            return Verdict("off", Message("Nothing is drafted: every token costs one plain decoding step."))
        if abs(outcome.speedup - 1) <= self.load.tolerance:
            reason = (
                "At batch {batch} a round emits {tau:.2f} tokens and costs {rho:.2f} plain steps: within {share:.1%}, "
                "which no run of an engine tells apart."
            )
            return Verdict("too_close", Message(reason, values))
        low, high = self.speedup_range
        if low < 1 - self.load.tolerance and high > 1 + self.load.tolerance:
            return Verdict("too_close", Message(_UNSURE, {**values, "low": low, "high": high}))
        if outcome.speedup > 1:
            reason = "At batch {batch} a round emits {tau:.2f} tokens and costs only {rho:.2f} plain steps."
            return Verdict("pays", Message(reason, values))
        reason = "At batch {batch} a round emits {tau:.2f} tokens but costs {rho:.2f} plain steps."
        return Verdict("does_not_pay", Message(reason, values))

    @Once
    def plain_engine(self) -> EngineTable:
        """The engine without speculation as requests see it."""
        return EngineTable(self.plain_times, self.output_tokens, self.load.prefill_ms)

    def _overshoot(self, num_speculative_tokens: int) -> float:
        """How much longer an answer takes than its tokens ÷ tau rounds, because its last round runs past the end."""
        if not num_speculative_tokens:
            return 1.0
        acceptance, tokens = self.serving.acceptance(num_speculative_tokens), max(1, round(self.output_tokens))
        return mean_rounds(acceptance, tokens) * acceptance.mean_acceptance_length / tokens

    @Once
    def fixed_engine(self) -> EngineTable:
        """The engine with k drafts at every batch."""
        speeds = self.table.speedup[:, self.num_speculative_tokens]
        tpot = self.table.plain_ms / speeds * self._overshoot(self.num_speculative_tokens)
        return EngineTable(tpot, self.output_tokens, self.load.prefill_ms)

    @Once
    def scheduled_engine(self) -> EngineTable:
        """The engine that follows the schedule, standing cost of off included."""
        speeds = np.take_along_axis(self.table.loaded, self.scheduled[:, None], axis=1)[:, 0]
        longer = {int(k): self._overshoot(int(k)) for k in np.unique(self.scheduled)}
        factors = np.array([longer[int(k)] for k in self.scheduled])
        tpot = self.table.plain_ms / speeds * factors
        return EngineTable(tpot, self.output_tokens, self.load.prefill_ms)

    @Once
    def crossings(self) -> tuple[Crossing, ...]:
        """The request rates at which k drafts have the latency of the plain engine."""
        return crossings(self.fixed_engine, self.plain_engine) if self.num_speculative_tokens else ()

    @Once
    def off_rates(self) -> tuple[tuple[float, float], ...]:
        """Ranges of request rates (from, to) where the plain engine is better; inf: up to its saturation."""
        return off_rates(self.fixed_engine, self.plain_engine, self.crossings) if self.num_speculative_tokens else ()

    def at_rate(self) -> tuple[tuple[FixedPoint, ...], tuple[FixedPoint, ...]]:
        """All fixed points at the load's request rate: with k drafts, and without speculation."""
        rate = self.load.request_rate
        return fixed_points(self.fixed_engine, rate), fixed_points(self.plain_engine, rate)


def answer_for(
    serving: Serving,
    load: Load,
    scenario: Scenario,
    plain_room: Capacity | None,
    drafted_room: Capacity | None,
    ends: tuple[Serving, ...] = (),
) -> LoadAnswer:
    """The answer for a scenario's draft length and output length, at the batches that fit without and with the drafter.

    Where passes were measured, no batch is larger than the largest of them: beyond it even the plain step is
    extrapolated. What depends on neither batch nor request rate is kept for the next question about the same engine.

    >>> from specmodel.serving.passes import AffinePass
    >>> serving, scenario = Serving(AffinePass(), alpha=0.7), Scenario(num_speculative_tokens=3)
    >>> small, large = (answer_for(serving, Load(batch_size=batch), scenario, None, None) for batch in (1, 64))
    >>> small.table is large.table, small.outcome.speedup > large.outcome.speedup
    (True, True)
    """
    plain_most = largest_batch(plain_room, load)
    if serving.largest_tokens is not None and np.isfinite(serving.largest_tokens):
        plain_most = max(1, min(plain_most, int(serving.largest_tokens)))
    most = min(largest_batch(drafted_room, load), plain_most)
    engine = load.replace(batch_size=1, request_rate=1)
    k, tokens = scenario.num_speculative_tokens, scenario.output_tokens
    return _kept(serving, engine, k, tokens, most, plain_most, ends).at(load.batch_size, load.request_rate)


_kept = lru_cache(maxsize=32)(LoadAnswer)
"""Answers that are kept for the next question about the same engine."""
