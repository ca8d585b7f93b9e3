"""Where speculation makes no difference to the latency, and the request rates at which the plain engine is better."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats
from specmodel.serving.arrivals import EngineTable, latency_curve, zeros


@dataclass(frozen=True)
class Crossing:
    """A batch at which an engine has the same latency with speculation as without, at the same rate.

    `faster_below` and `faster_above` say whether speculation is faster at slightly smaller and at slightly larger
    batches. `stable` is true where both engines serve more with a larger batch, so that smaller and larger mean the
    same for the rate.
    """

    batch: float
    rate: float
    latency_s: float
    faster_below: bool
    faster_above: bool
    stable: bool


def crossings(with_table: EngineTable, without_table: EngineTable) -> tuple[Crossing, ...]:
    """Every batch and rate at which speculation makes no difference to the latency, smallest batch first.

    By Little's law equal latency at an equal rate is an equal batch. So both engines serve the same with the same
    batch, X(b) = X'(b): L(b) = L'(b), which without a difference in prefill or length is tpot(b) = tpot'(b). The rate
    there is X(b). Of a stretch on which both are equal, its ends; batches beyond the smaller cap are not compared. A
    curve of latencies can also jump across the other one, where X falls; then they are equal nowhere.

    >>> plain, speculative = EngineTable([10, 10, 10], 100), EngineTable([6, 9, 12], 100)
    >>> [(round(each.batch, 3), round(each.rate, 3), each.faster_below) for each in crossings(speculative, plain)]
    [(2.333, 2.333, True)]
    """
    common = min(with_table.max_batch_size, without_table.max_batch_size) + 1
    ours, theirs = with_table.nodes[1][:common], without_table.nodes[1][:common]
    batch, below, above = zeros(ours - theirs, ours + theirs)
    stable = _rises(with_table, batch) & _rises(without_table, batch)
    columns = (batch, with_table.throughput(batch), with_table.latency_s(batch), below < 0, above < 0, stable)
    return tuple(Crossing(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


def _rises(table: EngineTable, batch: Floats) -> NDArray[np.bool_]:
    """Whether X rises on both sides of a batch; it is monotone up to the next whole batch."""
    lower, here, upper = map(table.throughput, (np.ceil(batch) - 1, batch, np.floor(batch) + 1))
    rises: NDArray[np.bool_] = (lower < here) & (here < upper)
    return rises


def off_rates(fixed: EngineTable, plain: EngineTable, crossed: Sequence[Crossing]) -> tuple[tuple[float, float], ...]:
    """Ranges of request rates (from, to) at which the plain engine is better; inf: up to its saturation.

    Better is a shorter latency at the smallest stable solution, or not to be saturated where the other engine is. Found
    by looking at many rates and at both sides of every crossing, then halving.

    >>> plain, speculative = EngineTable([10, 10, 10], 100), EngineTable([6, 9, 12], 100)
    >>> [round(low, 2) for low, high in off_rates(speculative, plain, crossings(speculative, plain))]
    [2.33]
    """
    top = plain.saturation.rate

    def off(rates: Floats) -> NDArray[np.bool_]:
        ours, theirs = (latency_curve(engine, rates).latency_s for engine in (fixed, plain))
        better: NDArray[np.bool_] = np.isfinite(theirs) & ~(ours <= theirs * (1 + 1e-9))
        return better

    beside = [crossing.rate * side for crossing in crossed for side in (1 - 1e-6, 1 + 1e-6)]
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
