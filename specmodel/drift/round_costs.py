"""What a round of each draft length costs, and what it costs to change the draft length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import first_lowest, number_between, numbers_between, whole_number
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS, Scenario, costs_at

LEAST_MS, MOST_MS = 1e-6, 1e9
"""From a nanosecond to some days: sums over a workload neither overflow nor vanish."""


@dataclass(frozen=True)
class RoundCosts:
    """Milliseconds of a round by draft length: `round_ms[k]` for k = 0 … max, `round_ms[0]` a plain decoding step.

    `switching_ms` is paid at the start of each round whose k differs from that of the round before it, `resume_ms` on
    top of that when speculation was off before. The first round of a workload pays neither. Any list of times will do:
    from `round_costs(scenario, max_k)`, from `Serving.round_ms` at a batch, or measured.

    >>> RoundCosts([20, 23, 26], switching_ms=1.0).max_k
    2
    """

    round_ms: tuple[float, ...]
    switching_ms: float
    resume_ms: float

    def __init__(self, round_ms: ArrayLike, switching_ms: float = 0.0, resume_ms: float = 0.0) -> None:
        times = numbers_between(round_ms, "round_ms", LEAST_MS, MOST_MS)
        if times.ndim != 1 or not 2 <= times.size <= MAX_SPECULATIVE_TOKENS + 1:
            message = "round times have the shape {shape}: expected a list for k = 0 to at least 1 and at most {most}"
            raise SpecmodelError(Message(message, {"shape": times.shape, "most": MAX_SPECULATIVE_TOKENS}))
        object.__setattr__(self, "round_ms", tuple(times.tolist()))
        object.__setattr__(self, "switching_ms", number_between(switching_ms, "switching_ms", 0, MOST_MS))
        object.__setattr__(self, "resume_ms", number_between(resume_ms, "resume_ms", 0, MOST_MS))

    @property
    def max_k(self) -> int:
        """The longest draft that has a cost."""
        return len(self.round_ms) - 1

    @property
    def plain_ms(self) -> float:
        """A plain decoding step."""
        return self.round_ms[0]

    @property
    def rho(self) -> Floats:
        """Time of a round ÷ plain step for k = 0 … max, shape (max_k + 1,)."""
        return np.array(self.round_ms) / self.plain_ms


def round_costs(scenario: Scenario, max_k: int, switching_ms: float = 0.0, resume_ms: float = 0.0) -> RoundCosts:
    """Round times of a scenario's engine for k = 0 … `max_k`, and what changing the draft length costs.

    >>> round_costs(Scenario(), 2).round_ms
    (22.0, 25.0, 28.0)
    """
    longest = whole_number(max_k, "max_k", 1, MAX_SPECULATIVE_TOKENS)
    return RoundCosts(costs_at(scenario, np.arange(longest + 1)).round_ms, switching_ms, resume_ms)


def best_lengths(tau: Floats, round_ms: Sequence[float]) -> Ints:
    """The draft length with the least time per token, round_ms ÷ tau, for each row of tau; of equals the shortest.

    `tau` has shape (…, max + 1), by draft length. This is the argmax of tau/rho.

    >>> best_lengths(np.array([[1.0, 1.9], [1.0, 1.1]]), [20.0, 25.0]).tolist()
    [1, 0]
    """
    lengths: Ints = first_lowest(np.asarray(round_ms) / tau)
    return lengths
