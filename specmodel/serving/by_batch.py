"""Speculation under load: what a round costs beside other requests, the best draft length by batch, the schedule.

The cost of a pass comes as one callable, `pass_ms(tokens_per_sequence, batch_size, context_tokens)` (see
`specmodel.serving.passes`), so anybody can bring their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import first_highest, number_between, whole_number
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.passes import PassMs
from specmodel.serving.served_model import SMALLEST_BATCH, Serving

MOST_DRAFTS = 10_000
"""The longest draft that `best_k` tries."""


def best_k(
    pass_ms: PassMs,
    *,
    alpha: float,
    batch_size: float,
    context_tokens: float,
    draft_cost_ratio: float,
    max_k: int = MAX_SPECULATIVE_TOKENS,
) -> tuple[int, float]:
    """The draft length with the highest speedup at one batch and context, and that speedup; (0, 1.0) where off wins.

        speedup(k) = N(alpha, k) / (T(k + 1, B, S) / T(1, B, S) + c·k),  N = (1 − alpha^(k+1)) / (1 − alpha)

    with T from `pass_ms`, which is asked with plain numbers, and c = `draft_cost_ratio`, the cost of one draft step in
    plain target passes. Of equals the shortest wins. Source: Leviathan et al. 2023, Theorem 3.8, with the cost of the
    verification pass in place of one step. Raises `SpecmodelError` for values outside their domains or a pass that does
    not take a positive, finite time.

    >>> best_k(lambda q, batch, context: 20.0, alpha=0.75, batch_size=1, context_tokens=0, draft_cost_ratio=0.1)[0]
    5
    >>> best_k(lambda q, batch, context: 20.0 * q, alpha=0.75, batch_size=1, context_tokens=0, draft_cost_ratio=0.1)
    (0, 1.0)
    """
    number_between(alpha, "alpha", 0, 1)
    number_between(batch_size, "batch_size", SMALLEST_BATCH)
    number_between(context_tokens, "context_tokens", 0)
    number_between(draft_cost_ratio, "draft_cost_ratio", 0)
    max_k = whole_number(max_k, "max_k", 0, MOST_DRAFTS)
    plain = _time(pass_ms, 1, batch_size, context_tokens)
    best, found, tau = 0, 1.0, 1.0
    for k in range(1, max_k + 1):
        tau += alpha**k
        rho = _time(pass_ms, k + 1, batch_size, context_tokens) / plain + draft_cost_ratio * k
        if rho > 0 and tau / rho > found * (1 + 1e-12):
            best, found = k, tau / rho
    return best, found


def _time(pass_ms: PassMs, tokens: int, batch_size: float, context_tokens: float) -> float:
    ms = float(pass_ms(tokens, batch_size, context_tokens))
    if not 0 < ms < np.inf:
        message = "pass_ms({tokens}, {batch}, {context}) = {ms}: a pass takes a positive, finite time"
        values = {"tokens": tokens, "batch": batch_size, "context": context_tokens, "ms": ms}
        raise SpecmodelError(Message(message, values))
    return ms


@dataclass(frozen=True)
class BatchTable:
    """Speedup at every batch and draft length; `speedup[i, k]` for `batch_sizes[i]`, k = 0 … max; k = 0 is plain.

    `known[i, k]` is false where the pass is larger than any measured one: such a speedup is extrapolated and never
    counts as the best. A draft length that is not offered is nan, and not known either. `plain_ms` are the plain steps
    in ms. `standing_cost` is the share of the plain engine's speed that an engine loses which has speculation loaded
    but drafts nothing.
    """

    batch_sizes: Ints
    speedup: Floats
    known: NDArray[np.bool_]
    plain_ms: Floats
    standing_cost: float

    @cached_property
    def candidates(self) -> Floats:
        """The speedups that may be the best: 0 in place of extrapolated ones."""
        return np.where(self.known, self.speedup, 0.0)

    @cached_property
    def loaded(self) -> Floats:
        """The candidates where off (k = 0) is an engine with speculation loaded: speedup 1 − standing cost, not 1."""
        table = self.candidates.copy()
        table[:, 0] = 1 - self.standing_cost
        return table

    @cached_property
    def best(self) -> Ints:
        """The draft length with the highest speedup at each batch, the shortest of equals; 0 is the plain engine."""
        lengths: Ints = first_highest(self.candidates)
        return lengths

    @cached_property
    def best_loaded(self) -> Ints:
        """The same by `loaded`: off, where speculation stays loaded, costs something."""
        lengths: Ints = first_highest(self.loaded)
        return lengths

    def at_best(self) -> Floats:
        """The highest speedup at each batch, at least 1."""
        highest: Floats = self.candidates.max(axis=1)
        return highest


def by_batch(
    serving: Serving, batch_sizes: Sequence[int] | NDArray[Any], context_tokens: float, max_k: int = 16
) -> BatchTable:
    """Speedup at every batch size and every draft length up to `max_k`, at one context.

    >>> from specmodel.model.costs import DraftCost
    >>> flat = Serving(lambda q, b, s: 20.0, 0.75, DraftCost(ratio=0.1))
    >>> by_batch(flat, [1, 8], 0).best.tolist()
    [5, 5]
    """
    batches, lengths = np.asarray(batch_sizes), _offered(serving, max_k)
    grid = np.full((batches.size, _most(serving, max_k) + 1), np.nan)
    known = np.zeros(grid.shape, dtype=bool)
    grid[:, lengths] = serving.speedup(lengths[None, :], batches[:, None], context_tokens)
    known[:, lengths] = serving.known(lengths[None, :], batches[:, None])
    return BatchTable(batches, grid, known, serving.plain_ms(batches, context_tokens), serving.standing_cost)


def _most(serving: Serving, max_k: int) -> int:
    """The longest draft length that is asked for and offered; whatever is asked for, no longer than rounds can be."""
    return min(whole_number(max_k, "max_k", 0, max(serving.most_drafts, MAX_SPECULATIVE_TOKENS)), serving.most_drafts)


def _offered(serving: Serving, max_k: int) -> Ints:
    lengths: Ints = serving.lengths[serving.lengths <= _most(serving, max_k)]
    return lengths


@dataclass(frozen=True)
class LoadMap:
    """Best draft length and its speedup over batch × context: `best[c, b]`, `speedup[c, b]`; 0 and 1 where off wins."""

    batch_sizes: Floats
    context_tokens: Floats
    best: Ints
    speedup: Floats


def load_map(serving: Serving, batch_sizes: Any, context_tokens: Any, max_k: int = 16) -> LoadMap:
    """The best draft length at every batch and context.

    Long contexts make the cache the thing that is read: it is read once for all drafts of a sequence, so speculation
    can pay again where many short requests would have made it lose.

    >>> from specmodel.model.costs import DraftCost
    >>> flat = Serving(lambda q, b, s: 20.0, 0.75, DraftCost(ratio=0.1))
    >>> load_map(flat, [1, 2], [0, 9]).best.tolist()
    [[5, 5], [5, 5]]
    """
    batches, contexts = np.asarray(batch_sizes, dtype=float), np.asarray(context_tokens, dtype=float)
    lengths = _offered(serving, max_k)
    grid = serving.speedup(lengths, batches[None, :, None], contexts[:, None, None])
    grid = np.where(serving.known(lengths, batches[None, :, None]), grid, 0.0)
    return LoadMap(batches, contexts, lengths[first_highest(grid)], np.maximum(grid.max(axis=-1), 1.0))
