"""What a round of each draft length costs, and what it costs to change the draft length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import number_between, numbers, whole_number
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS, Scenario, costs_at

LEAST_MS, MOST_MS = 1e-6, 1e9
"""From a nanosecond to some days: sums over a workload neither overflow nor vanish."""
TIE = 1e-12
"""What is closer than this is the same, so that rounding does not decide between equals."""


@dataclass(frozen=True)
class Setting:
    """Milliseconds of a round by draft length: `round_ms[k]` for k = 0 … max, `round_ms[0]` a plain decoding step.

    `switching_ms` is paid at the start of each round whose k differs from that of the round before it, `resume_ms` on
    top of that when speculation was off before. The first round of a workload pays neither.

    >>> Setting((20.0, 23.0, 26.0), switching_ms=1.0).max_k
    2
    """

    round_ms: tuple[float, ...]
    switching_ms: float = 0.0
    resume_ms: float = 0.0

    def __post_init__(self) -> None:
        if not 2 <= len(self.round_ms) <= MAX_SPECULATIVE_TOKENS + 1:
            message = "there are {count} round times: expected those of k = 0 to at least 1 and at most {most}"
            raise SpecmodelError(Message(message, {"count": len(self.round_ms), "most": MAX_SPECULATIVE_TOKENS}))
        times = [number_between(ms, f"round_ms[{k}]", LEAST_MS, MOST_MS) for k, ms in enumerate(self.round_ms)]
        object.__setattr__(self, "round_ms", tuple(times))
        for name in ("switching_ms", "resume_ms"):
            object.__setattr__(self, name, number_between(getattr(self, name), name, 0, MOST_MS))

    @property
    def max_k(self) -> int:
        """The longest draft that has a cost."""
        return len(self.round_ms) - 1

    @property
    def plain_ms(self) -> float:
        """A plain decoding step."""
        return self.round_ms[0]


def setting_of(round_ms: ArrayLike, switching_ms: float = 0.0, resume_ms: float = 0.0) -> Setting:
    """A setting from any list or array of round times.

    >>> setting_of([20, 23]).round_ms
    (20.0, 23.0)
    """
    times = numbers(round_ms, "costs")
    if times.ndim != 1:
        message = "round times have {dimensions} dimensions: expected one list, by draft length from 0"
        raise SpecmodelError(Message(message, {"dimensions": times.ndim}))
    return Setting(tuple(times.tolist()), switching_ms, resume_ms)


def round_ms_of(scenario: Scenario, max_k: int) -> Floats:
    """Round times of a scenario's engine for k = 0 … `max_k`, shape (max_k + 1,).

    >>> round_ms_of(Scenario(), 2).tolist()
    [22.0, 25.0, 28.0]
    """
    longest = whole_number(max_k, "max_k", 0, MAX_SPECULATIVE_TOKENS)
    return np.asarray(costs_at(scenario, np.arange(longest + 1)).round_ms, dtype=float)


def best_lengths(tau: Floats, round_ms: Sequence[float]) -> Ints:
    """The draft length with the least time per token, round_ms ÷ tau, for each row of tau; of equals the shortest.

    `tau` has shape (…, max + 1), by draft length. This is the argmax of tau/rho.

    >>> best_lengths(np.array([[1.0, 1.9], [1.0, 1.1]]), [20.0, 25.0]).tolist()
    [1, 0]
    """
    per_token = np.asarray(round_ms) / tau
    least = per_token.min(axis=-1, keepdims=True)
    found: Ints = np.argmax(per_token <= least * (1 + TIE), axis=-1)
    return found
