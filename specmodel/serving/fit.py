"""Fitting the line of `AffinePass` to measured passes."""

from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.numbers import number_between
from specmodel.serving.passes import SHORTEST_MS, AffinePass, Points
from specmodel.serving.served_model import SMALLEST_BATCH


@dataclass(frozen=True)
class AffineFit:
    """An `AffinePass` fitted to points, and what it misses at each of them: `residual_ms` = measured − fitted."""

    line: AffinePass
    points: Points
    residual_ms: Floats

    @property
    def largest_error(self) -> float:
        """The largest |residual| ÷ measured time."""
        return float(np.max(np.abs(self.residual_ms) / self.points.ms))


def fit_affine(points: Points, batch_size: float = 1.0) -> AffineFit:
    """The line that fits measured passes best: least squares with no coefficient below 0, since none can be.

    `batch_size` turns the context of each sequence into the cached tokens of the batch. Where all points have one
    context, the cost of cached tokens cannot be told from the base and is 0. Overhead cannot be told from it either.

    >>> fitted = fit_affine(Points([1, 2, 4], [0, 0, 0], [10.5, 11.0, 12.0]))
    >>> round(fitted.line.base_ms, 6), round(fitted.line.per_token_ms, 6), round(fitted.largest_error, 6)
    (10.0, 0.5, 0.0)
    """
    from scipy.optimize import nnls

    number_between(batch_size, "batch_size", SMALLEST_BATCH)
    columns = [np.ones_like(points.ms), points.tokens, points.context_tokens * batch_size]
    known = [True, np.ptp(columns[1]) > 0, np.ptp(columns[2]) > 0]
    chosen = np.array([column for column, use in zip(columns, known, strict=True) if use]).T
    scale = chosen.max(axis=0)
    solved = nnls(chosen / scale, points.ms)[0] / scale
    found = iter(solved.tolist())
    base, per_token, per_cached = (next(found) if use else 0.0 for use in known)
    base = max(base, SHORTEST_MS)
    line = AffinePass(base_ms=base, per_token_ms=per_token, per_cached_token_ms=per_cached, overhead_ms=0.0)
    fitted = line(points.tokens / batch_size, batch_size, points.context_tokens)
    return AffineFit(line, points, points.ms - fitted)
