"""How many sequences run at a random moment when requests arrive at random: the finer model behind `arrivals`.

The fixed points there put one mean in the place of a batch that varies. Here it varies: the number of requests in the
engine is a birth-and-death process, and its distribution says how often requests wait and how far off the mean is.
"""

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats, Ints
from specmodel.serving.arrivals import RATE, EngineTable, latency_curve

_SLOWEST = dataclasses.replace(RATE, low=1e-30)  # nothing arrives at a rate of 0, so nothing has a latency


@dataclass(frozen=True, eq=False)
class StationaryBatch:
    """How many sequences run at a random moment, when requests arrive at random. See `stationary_batch`.

    `pmf[n]` is the share of the time in which n = 0 … B_max sequences run; `mean_waiting` requests wait on average.
    `fixed_point_batch` is the smallest stable of the `fixed_points`.
    """

    rate: float
    pmf: Floats
    mean_waiting: float
    fixed_point_batch: float

    @property
    def mean_batch(self) -> float:
        """Mean number of sequences that run, idle times included."""
        return float(np.arange(self.pmf.size) @ self.pmf)

    @property
    def chance_to_wait(self) -> float:
        """Chance that a request finds all places taken: the share of the time in which they are (Poisson arrivals)."""
        return float(self.pmf[-1])

    @property
    def mean_latency_s(self) -> float:
        """Mean latency of a request in seconds, waiting included, by Little's law: number present / rate."""
        return (self.mean_batch + self.mean_waiting) / self.rate

    @property
    def mean_field_error(self) -> float:
        """Mean latency here over that of the fixed point: 1.04 is a fixed point that promises 4 % too little."""
        return (self.mean_batch + self.mean_waiting) / self.fixed_point_batch

    def quantile(self, probability: ArrayLike = (0.05, 0.5, 0.95)) -> Ints:
        """The smallest batch that is not exceeded for at least this share of the time. Same shape.

        >>> stationary_batch(EngineTable([10] * 50, output_tokens=100), 20).quantile().tolist()
        [13, 20, 28]
        """
        share = np.cumsum(self.pmf)
        found = np.searchsorted(share, np.asarray(probability) * share[-1] * (1 - 1e-12))
        return np.asarray(found, dtype=np.int64)


def stationary_batch(table: EngineTable, rate: float) -> StationaryBatch | None:
    """The distribution of the running batch at a rate of Poisson arrivals; None where the queue grows without end.

    All sequences that run share the engine equally, at a speed that depends on their number. For such a queue (a
    symmetric one) the number present has the same distribution whatever that of the output lengths (Kelly 1979,
    Reversibility and Stochastic Networks, §3.3):

        P(n) ∝ Π rate / X(i),   i = 1 … n,   X(n) = X(B_max) beyond the cap

    So the terms beyond the cap are a geometric series, and it needs rate < X(B_max). Two things are approximate. Those
    who wait do not share the engine, so where many wait the lengths do matter: the wait is exact for exponential ones
    and about half as long for equal ones (about (1 + cv²)/2 of it, Lee and Longton 1959, cv = standard deviation over
    mean of the lengths). And a prefill serves one request at a time.

    The fixed point puts the mean batch where this has a random one, and is too optimistic where the batch varies
    a lot. For a round time that is affine in the batch, tpot ∝ a + b, far from the cap and without prefill, this is a
    negative binomial distribution (derived here): with r = rate over the limit of X for large batches,

        mean = (a + 1) · r / (1 − r),   fixed point = a · r / (1 − r) from 1 on

    so the fixed point is one in a + 1 too low, whatever the rate. The smaller a is (many drafts for each sequence), the
    further off it is; near the cap waiting adds much more.

    >>> free = stationary_batch(EngineTable([10] * 99, output_tokens=100), 20)  # nobody slows anybody: Poisson
    >>> round(free.mean_batch, 6), round(free.mean_field_error, 6)
    (20.0, 1.0)
    >>> queue = stationary_batch(EngineTable([10], output_tokens=100), 0.8)  # one at a time: M/M/1
    >>> round(queue.chance_to_wait, 6), round(queue.mean_latency_s, 6)
    (0.8, 5.0)
    >>> stationary_batch(EngineTable([10], output_tokens=100), 1) is None
    True
    """
    rate = _SLOWEST.check(rate)
    nodes, latency = table.nodes
    load = rate * latency[1:] / nodes[1:]
    if load[-1] >= 1:
        return None
    logarithm = np.concatenate(([0.0], np.cumsum(np.log(load))))
    weight = np.exp(logarithm - logarithm.max())
    weight[-1] /= 1 - load[-1]
    pmf = weight / weight.sum()
    pmf.setflags(write=False)
    waiting = float(pmf[-1] * load[-1] / (1 - load[-1]))
    return StationaryBatch(rate, pmf, waiting, float(latency_curve(table, rate).batch))
