"""What one pass of a model costs: the form that every source of it takes, and the sources that are measured.

A source is anything callable as `pass_ms(tokens_per_sequence, batch_size, context_tokens)` that gives milliseconds; the
three arguments may be numbers or arrays that broadcast. `MeasuredPass` interpolates points, `AffinePass` is a fitted
line, `specmodel.serving.roofline.RooflinePass` is computed from hardware and model.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.params import Declared, declarations, like, param
from specmodel.serving.hardware import Accelerator


class PassMs(Protocol):
    """Milliseconds of one pass over `tokens_per_sequence` new tokens of each of `batch_size` sequences.

    `context_tokens` are the tokens that each sequence already has in its cache.
    """

    def __call__(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Any:
        """The milliseconds; arrays broadcast."""


SHORTEST_MS, LONGEST_MS = 1e-6, 1e9


@dataclass(frozen=True, eq=False)
class Points:
    """Measured passes: `tokens` of the whole batch, `context_tokens` of each sequence, and ms; arrays of shape (n,).

    Passes of the same tokens and context are averaged: times of rounds are sums, and means add up.

    >>> Points([1, 1, 2], [0, 0, 0], [20, 22, 25]).ms.tolist()
    [21.0, 25.0]
    """

    tokens: Floats
    context_tokens: Floats
    ms: Floats

    def __init__(self, tokens: ArrayLike, context_tokens: ArrayLike, ms: ArrayLike):
        try:
            rows = np.array([tokens, context_tokens, ms], dtype=float).T
        except (ValueError, TypeError, OverflowError):
            rows = np.empty((0, 0))
        if rows.ndim != 2 or not len(rows):
            raise SpecmodelError(
                Message("a table of passes needs tokens, contexts and ms: as many numbers of each, at least one")
            )
        wrong = ~(np.isfinite(rows).all(axis=1) & (rows[:, 0] >= 1) & (rows[:, 1] >= 0) & (rows[:, 2] > 0))
        wrong |= rows[:, 2] > LONGEST_MS
        if wrong.any():
            row = int(np.argmax(wrong))
            values = {"row": row + 1, "tokens": rows[row, 0], "context": rows[row, 1], "ms": rows[row, 2]}
            message = (
                "row {row} of the passes (tokens {tokens:g}, context {context:g}, {ms:g} ms): tokens must be at least "
                "1, context at least 0, and ms above 0 and at most 1e9"
            )
            raise SpecmodelError(Message(message, values))
        keys, inverse = np.unique(rows[:, :2], axis=0, return_inverse=True)
        mean = np.bincount(inverse.reshape(-1), rows[:, 2]) / np.bincount(inverse.reshape(-1))
        for name, column in (("tokens", keys[:, 0]), ("context_tokens", keys[:, 1]), ("ms", mean)):
            object.__setattr__(self, name, np.ascontiguousarray(column))

    @property
    def contexts(self) -> Floats:
        """The contexts at which something was measured, rising."""
        return np.unique(self.context_tokens)

    def at(self, context_tokens: float) -> tuple[Floats, Floats]:
        """Tokens and ms of the passes at one context."""
        chosen = self.context_tokens == context_tokens
        return self.tokens[chosen], self.ms[chosen]


@dataclass(frozen=True)
class MeasuredPass:
    """A pass by interpolation between measured points, as they are: a table that is not monotone stays so.

    The tokens of the batch (tokens per sequence × sequences) decide; between two measured contexts the time is
    interpolated too, beyond them the nearest one counts. Below the smallest measured pass the time is that pass's;
    beyond the largest the line through the last two points goes on (or the last time, where that line falls), which is
    extrapolation. With `captured_sizes` a pass is
    padded to the next captured size, as engines do that replay captured graphs: the cost is flat in between.

    >>> measured = MeasuredPass(Points([1, 5, 9], [0, 0, 0], [10, 12, 16]))
    >>> float(measured(3, 1, 500)), float(measured(1, 12, 0))
    (11.0, 19.0)
    >>> float(MeasuredPass(measured.points, captured_sizes=(1, 5, 9))(2, 1, 0))
    12.0
    """

    points: Points
    captured_sizes: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "captured_sizes", tuple(self.captured_sizes))
        sizes = np.asarray(self.captured_sizes, dtype=float)
        if sizes.size and not (np.isfinite(sizes).all() and (sizes >= 1).all() and (np.diff(sizes) > 0).all()):
            message = "captured sizes must be numbers of at least 1 that rise; got {sizes}"
            raise SpecmodelError(Message(message, {"sizes": list(self.captured_sizes)}))

    @property
    def largest(self) -> float:
        """Tokens of the largest pass that is known at every measured context; beyond it the cost is extrapolated.

        A pass that is padded to a captured size beyond the measured ones is not known either.
        """
        most = min(float(self.points.at(context)[0].max()) for context in self.points.contexts)
        sizes = np.asarray(self.captured_sizes, dtype=float)
        if not (sizes > most).any():
            return most
        return float(max(sizes[sizes <= most], default=0.0))

    @cached_property
    def _curves(self) -> tuple[tuple[float, Floats, Floats], ...]:
        return tuple((float(context), *self.points.at(context)) for context in self.points.contexts)

    def __call__(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Any:
        """Milliseconds of the pass; arrays broadcast."""
        tokens, context = np.broadcast_arrays(
            np.asarray(tokens_per_sequence, dtype=float) * batch_size, np.asarray(context_tokens, dtype=float)
        )
        tokens = self._padded(tokens)
        times = np.array([_interpolated(tokens, *curve[1:]) for curve in self._curves])
        if len(times) == 1:
            return times[0]
        contexts = self.points.contexts
        above = np.clip(np.searchsorted(contexts, context), 1, len(contexts) - 1)
        share = np.clip((context - contexts[above - 1]) / (contexts[above] - contexts[above - 1]), 0, 1)
        low, high = (np.take_along_axis(times, index[None], axis=0)[0] for index in (above - 1, above))
        between: Floats = low * (1 - share) + high * share
        return between

    def of_one_token(self, batch_size: Any) -> Any:
        """Milliseconds of a pass over one token of each sequence: a step of a measured drafter."""
        return self(1, batch_size, 0)

    def _padded(self, tokens: Floats) -> Floats:
        if not self.captured_sizes:
            return tokens
        sizes = np.asarray(self.captured_sizes, dtype=float)
        index = np.searchsorted(sizes, tokens)
        return np.where(index < sizes.size, sizes[np.minimum(index, sizes.size - 1)], tokens)


def _interpolated(tokens: Floats, measured: Floats, ms: Floats) -> Floats:
    inside = np.interp(tokens, measured, ms)
    if measured.size < 2:
        return inside
    slope = max((ms[-1] - ms[-2]) / (measured[-1] - measured[-2]), 0.0)
    found: Floats = inside + np.maximum(tokens - measured[-1], 0) * slope
    return found


@dataclass(frozen=True)
class AffinePass(Declared):
    """A pass as a line: base + per token × tokens + per cached token × cached tokens + overhead, in ms.

    Tokens and cached tokens are those of the whole batch: B·q and B·S. The default is the published fit for
    Llama-3.1-8B on one H100 with vLLM (SpecDecode-Bench, arXiv 2601.11580, `predictor.py`).

    >>> round(float(AffinePass()(1, 1, 1024)), 3), round(float(AffinePass()(4, 16, 1024)), 3)
    (7.154, 9.081)
    """

    base_ms: float = param(
        "Base of a pass",
        "What a pass takes before its first token: reading the weights, launching the kernels.",
        default=5.886,
        low=0,
        high=LONGEST_MS,
        format=",.3f",
        unit="ms",
        key="fit_base",
    )
    per_token_ms: float = param(
        "Per token",
        "What each token of the batch adds to a pass.",
        default=0.02101,
        low=0,
        high=LONGEST_MS,
        format=",.5f",
        unit="ms",
        key="fit_token",
    )
    per_cached_token_ms: float = param(
        "Per cached token",
        "What each token that the sequences of the batch have in their caches adds to a pass.",
        default=3.926e-5,
        low=0,
        high=LONGEST_MS,
        format=",.3g",
        unit="ms",
        key="fit_cached",
    )
    overhead_ms: float = like(
        declarations(Accelerator)["step_overhead_ms"],
        help=N_("What every step takes beside the pass: scheduling, sampling, sending the tokens."),
        format=",.3f",
        key="fit_step",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base_ms + self.per_token_ms + self.overhead_ms < 1e-9:
            raise SpecmodelError(Message("a pass takes some time: base, time per token and overhead are all 0"))

    def __call__(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Any:
        """Milliseconds of the pass; arrays broadcast."""
        batch = np.asarray(batch_size, dtype=float)
        growing = self.per_token_ms * batch * tokens_per_sequence + self.per_cached_token_ms * batch * context_tokens
        return self.base_ms + self.overhead_ms + growing
