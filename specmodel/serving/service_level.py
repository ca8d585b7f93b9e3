"""How fast a replica may be loaded so that it keeps its service levels: time to first token, time per token, answer.

Derived here, from the engine table of `specmodel.serving.arrivals` (Poisson arrivals, sequences that share the engine,
prefill that stops all decoding) and the distribution of its batch (`specmodel.serving.stationary`). For a percentile q:

- Time per output token, of an answer of the mean length N: a sequence beside n − 1 others waits tpot(n), and finds n
  with chance n·P(n) / mean batch; the q-quantile of that. Its V = N·tpot(n) of decoding is stopped by prefills of
  others, and those of who comes meanwhile: a delay cycle of an M/D/1 queue with load u = rate·P, longer than V by
  u·V / (1 − u) on average, with variance rate·P²·V / (1 − u)³ (Takács 1962); the q-quantile of a gamma distribution
  of that mean and variance is added. A request's own mean batch varies less than n; short answers vary more.
- Time to first token: the wait for a place, the wait for the prefills before one's own, the round that runs, and the
  prefill. Places: all are taken with chance C, and then the wait is taken as exponential with rate X(B_max) − rate, as
  in M/M/c: w = ln(C / (1 − q)) / (X(B_max) − rate) where C > 1 − q. Prefills are a queue M/D/1 with load u = rate·P,
  whose wait has about the tail u·exp(−2(1 − u)·t/P) (heavy-traffic form, Kingman 1962). The quantiles are added, which
  is more than the quantile of the sum.
- Answer: time to first token, and the output tokens at the q-quantile of the time per token.

Beside an engine that is played event by event (tests/serving/test_service_level.py: four engines at 30, 60 and 80 % of
what saturates them) the time per token is 0.97 to 1.13 of what is played, and the time to first token 1.07 to 1.48 of
it; where prefill takes two thirds of the time the former is 0.84, too low.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from specmodel.base.numbers import SAME
from specmodel.serving.arrivals import EngineTable
from specmodel.serving.stationary import stationary_batch

STEPS = 24
SPARE = 1e-3
"""How near to saturation a rate may come: beyond it a queue takes hours to find its mean."""


@dataclass(frozen=True)
class Levels:
    """What has to be kept, each at the percentile; None is not asked. Times in ms."""

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    answer_ms: float | None = None
    percentile: float = 0.95


@dataclass(frozen=True)
class Reached:
    """What a replica reaches at a rate, each at the percentile, in ms."""

    rate: float
    ttft_ms: float
    tpot_ms: float
    answer_ms: float

    def breaks(self, levels: Levels) -> str:
        """The name of the level that it misses most, by its share; empty where it keeps them all.

        >>> Reached(1.0, 900.0, 30.0, 9000.0).breaks(Levels(ttft_ms=1000, tpot_ms=20))
        'tpot_ms'
        """
        asked = {name: getattr(levels, name) for name in ("ttft_ms", "tpot_ms", "answer_ms")}
        over = {name: getattr(self, name) / most for name, most in asked.items() if most is not None}
        worst = max(over, key=over.__getitem__, default="")
        return worst if worst and over[worst] > 1 + SAME else ""


def reached(
    engine: EngineTable, rate: float, percentile: float = 0.95, tokens_per_round: float = 1.0
) -> Reached | None:
    """What a replica reaches at a rate; None where its queue grows without end. A round emits so many tokens.

    >>> alone = reached(EngineTable([10, 10, 10, 10], output_tokens=100, prefill_ms=50), 1e-6)
    >>> round(alone.ttft_ms), round(alone.tpot_ms), round(alone.answer_ms)
    (60, 10, 1060)
    """
    found, prefill_s = stationary_batch(engine, rate), engine.prefill_ms / 1000
    busy = rate * prefill_s
    if found is None or busy >= 1:
        return None
    batch = np.arange(1, found.pmf.size)
    seen = np.cumsum(batch * found.pmf[1:])
    at = int(np.searchsorted(seen, percentile * seen[-1] * (1 - 1e-12)))
    decoding = float(engine.tpot_ms[at]) * engine.output_tokens
    tpot = (decoding + _stopped_ms(decoding, engine.prefill_ms, busy, percentile)) / engine.output_tokens
    spare = float(engine.throughput(engine.max_batch_size)) - rate
    places = 1000 * _tail(found.chance_to_wait, percentile) / spare
    prefills = engine.prefill_ms * _tail(busy, percentile) / (2 * (1 - busy))
    ttft = places + prefills + float(engine.tpot_ms[at]) * tokens_per_round + engine.prefill_ms
    return Reached(rate, ttft, tpot, ttft + engine.output_tokens * tpot)


def _stopped_ms(decoding_ms: float, prefill_ms: float, busy: float, percentile: float) -> float:
    """How long prefills stop so much decoding, at the percentile."""
    if not busy:
        return 0.0
    mean, variance = busy * decoding_ms / (1 - busy), busy * prefill_ms * decoding_ms / (1 - busy) ** 3
    return float(gammaincinv(mean**2 / variance, percentile)) * variance / mean


def _tail(chance: float, percentile: float) -> float:
    """How many mean times the percentile of a wait is that happens with a chance and is then exponential."""
    return math.log(chance / (1 - percentile)) if chance > 1 - percentile else 0.0


@dataclass(frozen=True)
class Most:
    """The largest rate of a replica that keeps its levels, in requests per second; 0 where it keeps them at none.

    `binds` names what a larger rate would miss: a level, or "saturation".
    """

    rate: float
    binds: str
    at: Reached | None


def largest_rate(engine: EngineTable, levels: Levels, tokens_per_round: float = 1.0) -> Most:
    """The largest rate at which every level is kept. All of them grow with the rate, so it is found by halving.

    >>> engine = EngineTable([10 + n for n in range(1, 33)], output_tokens=100)
    >>> round(largest_rate(engine, Levels()).rate, 2), largest_rate(engine, Levels(tpot_ms=20)).binds
    (7.61, 'tpot_ms')
    >>> largest_rate(engine, Levels(tpot_ms=5)).rate
    0.0
    """
    low, high = 0.0, min(engine.saturation.rate, float(engine.throughput(engine.max_batch_size))) * (1 - SPARE)
    kept, binds = _keeps(engine, high, levels, tokens_per_round)
    if not binds:
        return Most(high, "saturation", kept)
    least = reached(engine, high * 1e-6, levels.percentile, tokens_per_round)
    if least is None or least.breaks(levels):
        return Most(0.0, least.breaks(levels) if least is not None else "saturation", None)
    at: Reached | None = least
    for _ in range(STEPS):
        middle = (low + high) / 2
        found, missed = _keeps(engine, middle, levels, tokens_per_round)
        if missed:
            high, binds = middle, missed
        else:
            low, at = middle, found
    return Most(low, binds, at)


def _keeps(engine: EngineTable, rate: float, levels: Levels, tokens_per_round: float) -> tuple[Reached | None, str]:
    found = reached(engine, rate, levels.percentile, tokens_per_round)
    return found, "saturation" if found is None else found.breaks(levels)
