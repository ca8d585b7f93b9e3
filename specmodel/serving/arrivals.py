"""From a rate of arriving requests to the running batch, and so to latency and tokens per second.

An engine that runs b sequences together lets X(b) requests leave per second. In the long run as many leave as arrive,
so the batch settles where X(b) equals the rate: a fixed point, because X itself depends on the batch. All of it rests
on Little's law (Little 1961): mean number present = rate × mean latency, whatever the order of service.

Derived here: let L(b) be the latency in seconds of a request that shares the engine with b in total, itself included.
Little's law reads b = rate × L(b), so X(b) = b / L(b). L is piecewise linear in b, so everything asked of it (where
X(b) meets a rate, where two engines are equally fast) has its answers inside straight pieces, in closed form.
"""

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import SAME, numbers_between
from specmodel.base.params import declarations
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Load

# The quantities of the app's controls, wider: rates and times here follow from tables, and an output length is a mean.
_LOAD, _TIME = declarations(Load), declarations(Outcome)["tpot_ms"]
RATE = dataclasses.replace(_LOAD["request_rate"], name="rate", low=0, high=1e24)
_LEAST, _MOST = 1e-12, 1e24  # ms of an output token
_OUTPUT_TOKENS = dataclasses.replace(declarations(Scenario)["output_tokens"], low=1e-3, high=1e9, integer=False)
_PREFILL = dataclasses.replace(_LOAD["prefill_ms"], high=1e9)


@dataclass(frozen=True)
class Saturation:
    """The highest rate (requests per second) that an engine can serve, and the smallest batch that reaches it."""

    rate: float
    batch: int


@dataclass(frozen=True, eq=False)
class EngineTable:
    """An engine as requests see it: `tpot_ms[b − 1]` is the time per output token of a sequence when b run together.

    The batch sizes are 1 … B_max, every one of them; more requests than B_max wait. `tpot_ms` is the time of a round
    over the tokens a sequence gets out of it: tau in the long run, a little less for outputs of few rounds, because the
    last round of a request may end beyond its last token. Between batch sizes it is interpolated. `output_tokens` is
    the mean length of an output. `prefill_ms` is how long each new request holds the whole engine before its first
    round, while all decoding stands still.

    >>> engine = EngineTable([10, 12, 14, 16], output_tokens=100)
    >>> engine.max_batch_size, engine.saturation
    (4, Saturation(rate=2.5, batch=4))
    """

    tpot_ms: Floats
    output_tokens: float
    prefill_ms: float = 0.0

    def __init__(self, tpot_ms: ArrayLike, output_tokens: float, prefill_ms: float = 0.0):
        table = numbers_between(tpot_ms, "tpot_ms", _LEAST, _MOST, _TIME.label)
        if table.ndim != 1 or not table.size:
            message = "tpot_ms must hold one number for each batch size from 1; got an array of shape {shape}"
            raise SpecmodelError(Message(message, {"shape": list(table.shape)}))
        table.setflags(write=False)
        object.__setattr__(self, "tpot_ms", table)
        object.__setattr__(self, "output_tokens", _OUTPUT_TOKENS.check(output_tokens))
        object.__setattr__(self, "prefill_ms", _PREFILL.check(prefill_ms))

    @property
    def max_batch_size(self) -> int:
        """B_max: the most sequences that run together."""
        return int(self.tpot_ms.size)

    @cached_property
    def nodes(self) -> tuple[Floats, Floats]:
        """The ends of the straight pieces of L: the batches 0 … B_max and the latency in s at each, (B_max + 1,)."""
        batch = np.arange(self.max_batch_size + 1, dtype=float)
        present = np.maximum(batch, 1)
        latency = (
            present * self.prefill_ms + self.output_tokens * np.concatenate((self.tpot_ms[:1], self.tpot_ms))
        ) / 1000
        return batch, latency

    def latency_s(self, batch: ArrayLike) -> Floats:
        """Mean latency of a request in seconds when on average `batch` requests are in the engine. Same shape.

        A request of N tokens decodes for N × tpot(b), and stands still for the prefills of all that come while it is
        there: as many as leave in its time, b of them, its own included. P is the prefill in seconds:

            L(b) = N · tpot(b) / 1000 + b · P

        A mean below one is an engine that is idle for a part of the time and otherwise runs one request: L(b) = L(1).
        Beyond B_max the rest waits: L grows in proportion to b. Not in it is the wait for the round that runs when a
        request arrives, about half a round.

        >>> EngineTable([10, 12], output_tokens=100, prefill_ms=50).latency_s([0.5, 1, 2, 4]).tolist()
        [1.05, 1.05, 1.3, 2.6]
        """
        present = np.asarray(batch, dtype=float)
        waiting = np.maximum(present / self.max_batch_size, 1.0)
        latency: Floats = np.asarray(np.interp(present, *self.nodes) * waiting)
        return latency

    def throughput(self, batch: ArrayLike) -> Floats:
        """Requests that leave per second when `batch` run together (on average, below one). Same shape.

        Little's law, with L(b) of `latency_s`:

            X(b) = b / L(b) = 1000 · b / (N · tpot(b))   without prefill

        With a prefill of P seconds only the share 1 − rate · P of the time is left for decoding. So the rate solves
        rate = X₀(b) · (1 − rate · P), where X₀ is X without prefill; exactly, rate = X₀ / (1 + X₀ · P) = b / L(b).
        A mean batch below one gives b × X(1); beyond B_max the rest waits and X stays at X(B_max).

        >>> EngineTable([10, 12], output_tokens=100).throughput([0, 0.5, 1, 2, 9]).round(3).tolist()
        [0.0, 0.5, 1.0, 1.667, 1.667]
        """
        rate: Floats = np.asarray(np.asarray(batch, dtype=float) / self.latency_s(batch))
        return rate

    @cached_property
    def saturation(self) -> Saturation:
        """The highest rate that the engine can serve: the maximum of X, at a whole batch as X is monotone in between.

        >>> EngineTable([10, 12, 30], output_tokens=100).saturation.batch
        2
        """
        rates = self.throughput(self.nodes[0])
        batch = int(np.argmax(rates))
        return Saturation(float(rates[batch]), batch)


def zeros(values: Floats, scale: Floats) -> tuple[Floats, Ints, Ints]:
    """Where a function given at 0, 1, 2, … and linear in between is zero; and its sign just below and just above.

    Of a stretch that is zero throughout, the ends. Beyond the first and the last value the sign is 0. `scale` is the
    size of what the values are differences of: smaller shares of it than 1e-12 are rounding, and so zero.

    >>> [found.tolist() for found in zeros(np.array([1.0, -1.0]), np.array([1.0, 1.0]))]
    [[0.5], [1], [-1]]
    """
    sign = np.where(np.abs(values) <= SAME * scale, 0, np.sign(values)).astype(np.int64)
    around = np.concatenate(([0], sign, [0]))
    below, above = around[:-2], around[2:]
    at = np.flatnonzero((sign == 0) & ((below != 0) | (above != 0)))
    left = np.flatnonzero(sign[:-1] * sign[1:] < 0)
    between = left + values[left] / (values[left] - values[left + 1])
    place: Floats = np.concatenate((at, between))
    order = np.argsort(place)
    just_below, just_above = np.concatenate((below[at], sign[left])), np.concatenate((above[at], sign[left + 1]))
    return place[order], just_below[order], just_above[order]


@dataclass(frozen=True)
class FixedPoint:
    """A mean batch at which as many requests leave as arrive. `tpot_ms` is that of the table: decoding only.

    Stable: with a few requests more the engine serves more than arrive, with a few less not more, so it comes back.
    """

    batch: float
    latency_s: float
    tpot_ms: float
    stable: bool


def fixed_points(table: EngineTable, rate: float) -> tuple[FixedPoint, ...]:
    """All mean batches at which the engine serves exactly `rate` requests per second, smallest first.

    They solve rate = X(b), that is rate × L(b) = b: a straight line through zero meets a function made of straight
    pieces, so every solution is found, in closed form. There is none where the rate is beyond saturation. There are
    several where X falls somewhere: usually a stable one, then an unstable one beyond which the batch runs away to a
    slower stable one, or to the cap. Of a stretch on which X equals the rate, the ends (one, if it reaches the cap).

    >>> [round(point.batch, 3) for point in fixed_points(EngineTable([10, 12, 14], output_tokens=100), 1.5)]
    [1.714]
    >>> jump = EngineTable([10, 11, 24, 25], output_tokens=100)
    >>> [(round(point.batch, 2), point.stable) for point in fixed_points(jump, 1.5)]
    [(1.59, True), (2.37, False), (3.71, True)]
    >>> fixed_points(jump, 2)
    ()
    """
    rate = RATE.check(rate)
    nodes, latency = table.nodes
    batch, below, above = zeros(rate * latency - nodes, rate * latency + nodes)
    stable = (below >= 0) & (above < 0)
    tpot = np.interp(batch, nodes[1:], table.tpot_ms)
    columns = (batch, table.latency_s(batch), tpot, stable)
    return tuple(FixedPoint(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True, eq=False)
class LatencyCurve:
    """What each rate does to an engine; arrays of the shape of `rate`, nan where the engine is saturated."""

    rate: Floats
    batch: Floats
    latency_s: Floats
    tokens_per_s: Floats


def latency_curve(table: EngineTable, rates: ArrayLike) -> LatencyCurve:
    """Mean batch, latency in seconds and output tokens per second at every rate: the smallest stable `fixed_points`.

    That is where X first rises above the rate, in the straight piece of L that ends at the first whole batch which
    serves more. An engine that starts empty comes to rest there. Tokens per second = rate × output tokens.

    >>> curve = latency_curve(EngineTable([10, 12, 14], output_tokens=100), [0.5, 1.5, 3])
    >>> curve.latency_s.round(3).tolist(), curve.tokens_per_s.tolist()
    ([1.0, 1.143, nan], [50.0, 150.0, nan])
    """
    rate = numbers_between(rates, RATE.name, RATE.low, RATE.high, RATE.label)
    nodes, latency = table.nodes
    reached = np.maximum.accumulate(table.throughput(nodes))
    first_above = np.searchsorted(reached, rate * (1 + 2 * SAME), side="right")
    right = np.minimum(first_above, table.max_batch_size)
    missing, spare = rate * latency[right - 1] - nodes[right - 1], nodes[right] - rate * latency[right]
    served = first_above <= table.max_batch_size
    share = np.divide(missing, missing + spare, out=np.full(rate.shape, np.nan), where=served)
    batch = nodes[right - 1] + share
    return LatencyCurve(rate, batch, table.latency_s(batch), np.where(served, rate * table.output_tokens, np.nan))
