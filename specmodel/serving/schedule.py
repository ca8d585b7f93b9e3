"""A schedule: which draft length for which batch sizes, off included, with as few steps as lose next to nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import first_highest, number_between
from specmodel.serving.by_batch import BatchTable

TOLERANCE = 0.02
"""Speedups that differ by less than this share count as equal: no run of an engine tells them apart."""


WIDEST = 0.5
MOST_TIERS = 6
"""More tiers than a person wants to read, or to test."""


@dataclass(frozen=True)
class Tier:
    """One step of a schedule: batch sizes first … last, the draft length there, and the lowest speedup inside."""

    first: int
    last: int
    num_speculative_tokens: int
    lowest_speedup: float
    highest_speedup: float


def schedule(table: BatchTable, tolerance: float = TOLERANCE, *, loaded: bool = True) -> tuple[Tier, ...]:
    """The fewest tiers in which no batch loses more than `tolerance` of its best speedup.

    At each batch the draft lengths within `tolerance` of the best tie. A tier goes on as long as one draft length ties
    at all of its batches, which gives the fewest tiers there can be (greedy stabbing of intervals); inside it the one
    with the highest mean speedup is taken, the shortest of equals. Where two tiers meet, the boundary moves to the
    batch from which the next one's draft length is faster.

    k = 0 stands for off. With `loaded`, off means an engine that has speculation loaded but drafts nothing, and which
    loses the standing cost; without it, off means the plain engine, whose speedup is 1. `table` must hold every batch
    size from 1 on.

    >>> from specmodel.model.costs import DraftCost
    >>> from specmodel.serving.by_batch import by_batch
    >>> from specmodel.serving.served_model import Serving
    >>> growing = Serving(lambda q, b, s: 20.0 + 0.5 * np.maximum(q * b - 30, 0), 0.75, DraftCost(ratio=0.1))
    >>> [(tier.first, tier.last, tier.num_speculative_tokens) for tier in schedule(by_batch(growing, range(1, 65), 0))]
    [(1, 6, 4), (7, 8, 3), (9, 13, 2), (14, 28, 1), (29, 64, 0)]
    """
    _check(table, tolerance)
    speeds = table.loaded if loaded else table.candidates
    ties = speeds >= speeds.max(axis=1, keepdims=True) * (1 - tolerance)
    ends, common = [], np.ones(speeds.shape[1], dtype=bool)
    for row, able in enumerate(ties):
        if not (common & able).any():
            ends.append(row)
            common = np.ones_like(common)
        common &= able
    bounds = [0, *ends, len(ties)]
    lengths = [_length(speeds, ties, *bound) for bound in pairwise(bounds)]
    bounds = _moved(bounds, lengths, speeds)
    return tuple(
        _tier(table.batch_sizes, speeds, k, *bound) for k, bound in zip(lengths, pairwise(bounds), strict=True)
    )


def _check(table: BatchTable, tolerance: float) -> None:
    number_between(tolerance, "tolerance", 0, WIDEST)
    if not table.batch_sizes.size or (np.diff(table.batch_sizes) != 1).any():
        raise SpecmodelError(Message("a schedule needs a table of every batch size, without gaps"))


def _length(speeds: Floats, ties: NDArray[np.bool_], first: int, end: int) -> int:
    """The draft length of a tier: of those that tie everywhere in it the one with the highest mean speedup."""
    mean = np.where(ties[first:end].all(axis=0), speeds[first:end].mean(axis=0), -np.inf)
    return int(first_highest(mean))


def _moved(bounds: list[int], lengths: list[int], speeds: Floats) -> list[int]:
    """The boundaries between tiers, each moved towards smaller batches while the next tier's draft length is faster.

    `bounds` are rows of `speeds` (index = batch − 1): tier i has the rows bounds[i] to bounds[i + 1] − 1 and drafts
    lengths[i]. Each tier keeps at least one row. No batch loses more by a move than before it: its new length is faster
    than the old one, which was within the tolerance.
    """
    moved = list(bounds)
    for index, (before, after) in enumerate(pairwise(lengths), start=1):
        first, end = moved[index - 1] + 1, bounds[index]
        while end > first and speeds[end - 1, after] > speeds[end - 1, before]:
            end -= 1
        moved[index] = end
    return moved


def short_schedule(
    table: BatchTable, tolerance: float = TOLERANCE, most: int = MOST_TIERS, *, loaded: bool = True
) -> tuple[Tier, ...]:
    """The schedule with the given tolerance, or with the smallest wider one that needs no more than `most` tiers.

    Measured passes go up and down, and every step of them would become a tier: the tolerance grows by a quarter until
    there are few enough. `worst_regret` says what is lost.

    >>> from specmodel.serving.by_batch import by_batch
    >>> from specmodel.serving.served_model import Serving
    >>> steps = by_batch(Serving(lambda q, b, s: 20.0 + 5 * (q * b // 7), 0.8), range(1, 200), 0)
    >>> len(schedule(steps)) > 4, len(short_schedule(steps, most=4)) <= 4
    (True, True)
    """
    wide = tolerance
    tiers = schedule(table, wide, loaded=loaded)
    while len(tiers) > max(most, 1) and wide < WIDEST:
        wide = min(max(wide * 1.25, 0.005), WIDEST)
        tiers = schedule(table, wide, loaded=loaded)
    return tiers


def _tier(batches: Ints, speeds: Floats, k: int, first: int, end: int) -> Tier:
    inside = speeds[first:end, k]
    return Tier(int(batches[first]), int(batches[end - 1]), k, float(inside.min()), float(inside.max()))


def worst_regret(table: BatchTable, tiers: Sequence[Tier], *, loaded: bool = True) -> float:
    """The largest share of the best speedup that a schedule gives away at any batch.

    >>> from specmodel.serving.by_batch import by_batch
    >>> from specmodel.serving.served_model import Serving
    >>> flat = by_batch(Serving(lambda q, b, s: 20.0 + 0.0 * q * b, 0.75), range(1, 9), 0)
    >>> worst_regret(flat, schedule(flat)) <= TOLERANCE
    True
    """
    speeds = table.loaded if loaded else table.candidates
    chosen = np.concatenate([np.full(tier.last - tier.first + 1, tier.num_speculative_tokens) for tier in tiers])
    taken = np.take_along_axis(speeds, chosen[:, None], axis=1)[:, 0]
    return float(np.max(1 - taken / speeds.max(axis=1)))


def switch_off(table: BatchTable, num_speculative_tokens: int | None = None) -> tuple[tuple[int, int], ...]:
    """Ranges of batch sizes (first, last) where the plain engine is faster: at one draft length, or at every one.

    Several ranges are a gutter: for a mixture of experts speculation may lose between two loads at which it pays.

    >>> from specmodel.serving.by_batch import by_batch
    >>> from specmodel.serving.served_model import Serving
    >>> growing = Serving(lambda q, b, s: 20.0 + 0.5 * np.maximum(q * b - 30, 0), 0.75)
    >>> switch_off(by_batch(growing, range(1, 65), 0), 4)
    ((23, 64),)
    """
    k, columns = num_speculative_tokens, table.speedup.shape[1]
    if columns < 2 or not (k is None or 0 < k < columns):
        message = "the table has no draft length {k}: it has 1 to {most}"
        raise SpecmodelError(Message(message, {"k": str(k), "most": columns - 1}))
    speeds = table.candidates[:, 1:].max(axis=1) if k is None else table.speedup[:, k]
    slower = np.concatenate(([False], speeds <= 1 + 1e-12, [False]))
    edges = np.flatnonzero(slower[1:] != slower[:-1]).reshape(-1, 2)
    return tuple((int(table.batch_sizes[first]), int(table.batch_sizes[end - 1])) for first, end in edges)
