"""What a round of each draft length costs, and what it costs to change the draft length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.drift.phases import DriftError
from specmodel.messages import Message, Verbatim
from specmodel.scenario import MAX_SPECULATIVE_TOKENS, Scenario, costs_at

Floats = NDArray[np.float64]


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
            raise DriftError(Message(message, {"count": len(self.round_ms), "most": MAX_SPECULATIVE_TOKENS}))
        for k, ms in enumerate(self.round_ms):
            if not 0 < ms < np.inf:
                message = "a round of {k} drafts cannot take {ms} ms: expected a positive, finite time"
                raise DriftError(Message(message, {"k": k, "ms": ms}))
        for name, ms in (("switching_ms", self.switching_ms), ("resume_ms", self.resume_ms)):
            if not 0 <= ms < np.inf:
                message = "{name} = {ms} is no time: expected 0 ms or more"
                raise DriftError(Message(message, {"name": Verbatim(name), "ms": ms}))

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
    times = np.asarray(round_ms, dtype=float)
    if times.ndim != 1:
        message = "round times have {dimensions} dimensions: expected one list, by draft length from 0"
        raise DriftError(Message(message, {"dimensions": times.ndim}))
    return Setting(tuple(times.tolist()), float(switching_ms), float(resume_ms))


def round_ms_of(scenario: Scenario, max_k: int) -> Floats:
    """Round times of a scenario's engine for k = 0 … `max_k`, shape (max_k + 1,).

    >>> round_ms_of(Scenario(), 2).tolist()
    [22.0, 25.0, 28.0]
    """
    return np.asarray(costs_at(scenario, np.arange(max_k + 1)).round_ms, dtype=float)


def best_lengths(tau: Floats, round_ms: Sequence[float]) -> NDArray[np.int64]:
    """The draft length with the least time per token, round_ms ÷ tau, for each row of tau; of equals the shortest.

    `tau` has shape (…, max + 1), by draft length. This is the argmax of tau/rho.

    >>> best_lengths(np.array([[1.0, 1.9], [1.0, 1.1]]), [20.0, 25.0]).tolist()
    [1, 0]
    """
    per_token = np.asarray(round_ms) / tau
    least = per_token.min(axis=-1, keepdims=True)
    found: NDArray[np.int64] = np.argmax(per_token <= least * (1 + 1e-12), axis=-1)
    return found
