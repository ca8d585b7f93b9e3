"""The answer for a load: does speculation pay at this batch, from which batch and rate on is it off, what is won."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message
from specmodel.base.params import quantity
from specmodel.model.outcome import Verdict
from specmodel.model.rounds import mean_rounds
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.arrivals import Crossing, EngineTable, FixedPoint, crossings, fixed_points, latency_curve
from specmodel.serving.by_batch import BatchTable, Serving, by_batch
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Load
from specmodel.serving.memory import Capacity, per_million_tokens
from specmodel.serving.schedule import Tier, short_schedule, switch_off


@dataclass(frozen=True)
class LoadOutcome:
    """What one batch and context come to with k drafts, beside the plain engine and the best k. Means of the model."""

    speedup: float = quantity(
        "Speedup here",
        "Time per output token without ÷ with speculation, at the same batch and context. Above 1 is faster.",
        unit="×",
        format=".2f",
    )
    best_k: int = quantity(
        "Best k here",
        "Draft tokens per round with the highest speedup at this batch and context; 0 means off.",
        format="d",
    )
    best_speedup: float = quantity(
        "Speedup with it", "Speedup with the best draft length, at this batch and context.", unit="×", format=".2f"
    )
    tpot_ms: float = quantity(
        "Time per output token",
        "Time of a round ÷ tokens per round: what one request waits for its next token.",
        unit="ms",
        format=",.2f",
    )
    plain_ms: float = quantity(
        "Plain step", "A decoding step of the engine without speculation, at this batch.", unit="ms", format=",.2f"
    )
    tokens_per_s: float = quantity(
        "Throughput", "Output tokens that the whole batch gets in a second.", unit="/s", format=",.0f"
    )
    cost_ratio: float = quantity(
        "Cost of a round",
        "Time of one round ÷ plain decoding step, both at this batch. Speculation pays when the tokens per round "
        "exceed it.",
        symbol="ρ",
        unit="×",
        format=".2f",
    )
    wasted_share: float = quantity(
        "Time spent on rejected drafts",
        "Share of a round that goes into drafting and checking tokens that are thrown away.",
        format=".0%",
    )


@dataclass(frozen=True)
class LoadAnswer:
    """One served model under load, at every batch size that fits: tables, schedule, and the engine by request rate.

    `most` and `plain_most` are the largest batches with and without speculation: the drafter takes memory too.
    """

    serving: Serving
    load: Load
    num_speculative_tokens: int
    output_tokens: float
    most: int
    plain_most: int

    @cached_property
    def table(self) -> BatchTable:
        """Speedup at every batch that fits beside the drafter, and every k from 0 to 64."""
        batches = np.arange(1, self.most + 1)
        return by_batch(self.serving, batches, self.load.context_tokens, MAX_SPECULATIVE_TOKENS)

    @cached_property
    def plain_times(self) -> Floats:
        """A plain step at every batch that fits without a drafter, in ms, shape (plain_most,)."""
        found = self.serving.plain_ms(np.arange(1, self.plain_most + 1), self.load.context_tokens)
        return found + np.zeros(self.plain_most)

    @cached_property
    def tiers(self) -> tuple[Tier, ...]:
        """The schedule by batch, off with its standing cost."""
        return short_schedule(self.table, self.load.tolerance)

    @cached_property
    def scheduled(self) -> Ints:
        """The draft length of the schedule at every batch of the table."""
        return np.concatenate([np.full(tier.last - tier.first + 1, tier.num_speculative_tokens) for tier in self.tiers])

    @cached_property
    def off(self) -> tuple[tuple[int, int], ...]:
        """Ranges of batches where the plain engine is faster than this draft length."""
        return switch_off(self.table, self.num_speculative_tokens) if self.num_speculative_tokens else ()

    @cached_property
    def off_at_best(self) -> tuple[tuple[int, int], ...]:
        """Ranges of batches where the plain engine is faster than any draft length."""
        return switch_off(self.table)

    @cached_property
    def outcome(self) -> LoadOutcome:
        """What the reader's batch comes to."""
        here, k = (self.load.batch_size, self.load.context_tokens), self.num_speculative_tokens
        lengths = np.arange(MAX_SPECULATIVE_TOKENS + 1)
        known = self.serving.known(lengths, self.load.batch_size)
        speeds = np.where(known, self.serving.speedup(lengths, *here), 0.0)
        best = int(np.argmax(speeds >= speeds.max() * (1 - 1e-12)))
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
        if outcome.speedup > 1:
            reason = "At batch {batch} a round emits {tau:.2f} tokens and costs only {rho:.2f} plain steps."
            return Verdict("pays", Message(reason, values))
        reason = "At batch {batch} a round emits {tau:.2f} tokens but costs {rho:.2f} plain steps."
        return Verdict("does_not_pay", Message(reason, values))

    @cached_property
    def plain_engine(self) -> EngineTable:
        """The engine without speculation as requests see it."""
        return EngineTable(self.plain_times, self.output_tokens, self.load.prefill_ms)

    def _overshoot(self, num_speculative_tokens: int) -> float:
        """How much longer an answer takes than its tokens ÷ tau rounds, because its last round runs past the end."""
        if not num_speculative_tokens:
            return 1.0
        acceptance, tokens = self.serving.acceptance(num_speculative_tokens), max(1, round(self.output_tokens))
        return mean_rounds(acceptance, tokens) * acceptance.mean_acceptance_length / tokens

    @cached_property
    def fixed_engine(self) -> EngineTable:
        """The engine with k drafts at every batch."""
        speeds = self.table.speedup[:, self.num_speculative_tokens]
        tpot = self.table.plain_ms / speeds * self._overshoot(self.num_speculative_tokens)
        return EngineTable(tpot, self.output_tokens, self.load.prefill_ms)

    @cached_property
    def scheduled_engine(self) -> EngineTable:
        """The engine that follows the schedule, standing cost of off included."""
        speeds = np.take_along_axis(self.table.loaded, self.scheduled[:, None], axis=1)[:, 0]
        longer = {int(k): self._overshoot(int(k)) for k in np.unique(self.scheduled)}
        factors = np.array([longer[int(k)] for k in self.scheduled])
        tpot = self.table.plain_ms / speeds * factors
        return EngineTable(tpot, self.output_tokens, self.load.prefill_ms)

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """The request rates at which k drafts have the latency of the plain engine."""
        return crossings(self.fixed_engine, self.plain_engine) if self.num_speculative_tokens else ()

    @cached_property
    def off_rates(self) -> tuple[tuple[float, float], ...]:
        """Ranges of request rates (from, to) where the plain engine is better; inf: up to its saturation.

        Better is a shorter latency at the smallest stable solution, or not to be saturated where k drafts are.
        """
        return _off_rates(self.fixed_engine, self.plain_engine, self.crossings) if self.num_speculative_tokens else ()

    def at_rate(self) -> tuple[tuple[FixedPoint, ...], tuple[FixedPoint, ...]]:
        """All fixed points at the reader's request rate: with k drafts, and without speculation."""
        rate = self.load.request_rate
        return fixed_points(self.fixed_engine, rate), fixed_points(self.plain_engine, rate)


def _off_rates(fixed: EngineTable, plain: EngineTable, crossed: Sequence[Crossing]) -> tuple[tuple[float, float], ...]:
    """Where the plain engine is better, by looking at many rates and at both sides of every crossing, then halving."""
    top = plain.saturation.rate

    def off(rates: Floats) -> NDArray[np.bool_]:
        ours, theirs = (latency_curve(engine, rates).latency_s for engine in (fixed, plain))
        better: NDArray[np.bool_] = np.isfinite(theirs) & ~(ours <= theirs * (1 + 1e-9))
        return better

    beside = [each.rate * side for each in crossed for side in (1 - 1e-6, 1 + 1e-6)]
    rates = np.unique([*np.linspace(top * 1e-4, top * (1 - 1e-9), 400), *(rate for rate in beside if 0 < rate < top)])
    states = off(rates)
    left = np.flatnonzero(states[1:] != states[:-1])
    low, high = rates[left], rates[left + 1]
    for _ in range(40):
        middle = (low + high) / 2
        same = off(middle) == states[left] if middle.size else np.zeros(0, bool)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    edges = [*([0.0] if states[0] else []), *high.tolist(), *([np.inf] if states[-1] else [])]
    return tuple(zip(edges[::2], edges[1::2], strict=True))


@dataclass(frozen=True)
class Bill:
    """A million output tokens at one batch: money, energy, and the share of both that rejected drafts take."""

    tokens_per_s: float
    money: float
    megajoules: float
    wasted_share: float


def bill(answer: LoadAnswer, hardware: Accelerator, num_speculative_tokens: int) -> Bill:
    """Price and power of all accelerators over the tokens of the batch, for a million tokens.

    Power is taken as constant, the same with and without speculation: an upper bound, since a chip that waits for
    memory draws less. Rejected drafts take the share of a round that `Serving.wasted_ms` gives them.

    >>> from specmodel.serving.passes import AffinePass
    >>> serving = Serving(AffinePass(), alpha=0.7)
    >>> answer = LoadAnswer(serving, Load(), 3, 500, most=64, plain_most=64)
    >>> round(bill(answer, Accelerator(), 0).money, 3)
    0.686
    """
    load, k = answer.load, num_speculative_tokens
    here = (load.batch_size, load.context_tokens)
    per_s = 1000 * load.batch_size / float(answer.serving.tpot_ms(k, *here))
    money = per_million_tokens(load.price_per_hour * hardware.count / 3600, per_s)
    joules = per_million_tokens(hardware.watts * hardware.count, per_s)
    wasted = float(answer.serving.wasted_ms(k, *here) / answer.serving.round_ms(k, *here))
    return Bill(per_s, money, joules / 1e6, wasted)


def largest_batch(room: Capacity | None, load: Load) -> int:
    """The largest batch: what memory holds, at most what the engine is set to; memory that is not known sets no limit.

    >>> largest_batch(None, Load()), largest_batch(Capacity(80e9, 16e9, 1e9), Load())
    (1024, 64)
    """
    fits = None if room is None else room.sequences
    return load.max_sequences if not fits else max(1, min(load.max_sequences, fits))
