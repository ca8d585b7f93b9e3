"""How many draft tokens of a round are accepted: the distribution that theory, measurement and simulation share.

With a_i the chance that draft i is accepted given that all before it were, S_0 = 1 and S_j = a_1 ··· a_j, a round of
k drafts keeps J of them with P(J = j) = S_j − S_{j+1} for j < k and P(J = k) = S_k. Each round also yields one token
of the target itself (the bonus token), so it emits T = J + 1 tokens.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import numbers_between


@dataclass(frozen=True)
class Acceptance:
    """P(J = j), the distribution of accepted drafts in one round of k = len(per_position_acceptance) drafts.

    `per_position_acceptance` holds S_1 … S_k: the share of rounds in which position i was accepted. It is
    unconditional, so it never rises.

    >>> Acceptance.iid(0.5, 2).pmf.tolist()
    [0.5, 0.25, 0.25]
    """

    per_position_acceptance: tuple[float, ...]

    def __post_init__(self) -> None:
        survival = numbers_between(self.per_position_acceptance, "per_position_acceptance", 0, 1)
        if survival.ndim != 1 or np.any(np.diff(survival) > 1e-12):
            raise SpecmodelError(
                Message("per_position_acceptance may never rise; got {values}", {"values": survival.tolist()})
            )
        object.__setattr__(self, "per_position_acceptance", tuple(survival.tolist()))

    @classmethod
    def iid(cls, alpha: float, num_speculative_tokens: int) -> "Acceptance":
        """One alpha at every position: S_j = alpha^j (Leviathan et al. 2023, §3.1).

        >>> round(Acceptance.iid(0.8, 5).mean_acceptance_length, 3)
        3.689
        """
        return cls.from_conditional([alpha] * num_speculative_tokens)

    @classmethod
    def shaped(cls, alpha: float, num_speculative_tokens: int, shape: Sequence[float] = ()) -> "Acceptance":
        """alpha at position 1, alpha × shape[i] at position i + 2, the last factor beyond; at most 1. No shape: iid.

        >>> Acceptance.shaped(0.5, 3, [0.5]).conditional_acceptance
        (0.5, 0.25, 0.25)
        """
        if not shape:
            return cls.iid(alpha, num_speculative_tokens)
        return cls.from_conditional(np.minimum(alpha * factors(shape, num_speculative_tokens), 1.0).tolist())

    @classmethod
    def from_conditional(cls, conditional_acceptance: Iterable[float]) -> "Acceptance":
        """From a_1 … a_k, each given that all drafts before it were accepted: S_j = a_1 ··· a_j.

        >>> Acceptance.from_conditional([0.5, 0.5]).per_position_acceptance
        (0.5, 0.25)
        """
        return cls(
            tuple(np.cumprod(numbers_between(list(conditional_acceptance), "conditional_acceptance", 0, 1)).tolist())
        )

    @classmethod
    def from_per_position(cls, per_position_acceptance: Iterable[float]) -> "Acceptance":
        """From S_1 … S_k as vLLM and TensorRT-LLM print them: unconditional, never rising.

        >>> Acceptance.from_per_position([0.7, 0.5]).conditional_acceptance
        (0.7, 0.7142857142857143)
        """
        return cls(tuple(per_position_acceptance))

    @classmethod
    def from_histogram(cls, counts: Sequence[float]) -> "Acceptance":
        """From counts[j] = rounds that accepted exactly j drafts, j = 0 … k.

        >>> Acceptance.from_histogram([5, 3, 2]).per_position_acceptance
        (0.5, 0.2)
        """
        array = numbers_between(counts, "counts", 0)
        if array.ndim != 1 or not 0 < array.sum() < np.inf:
            raise SpecmodelError(
                Message("a histogram needs counts of at least one round; got {values}", {"values": array.tolist()})
            )
        survival = array[::-1].cumsum()[::-1] / array.sum()
        return cls(tuple(np.minimum(survival[1:], 1).tolist()))

    @classmethod
    def from_mean_acceptance_length(cls, tau: float, num_speculative_tokens: int) -> "Acceptance":
        """The one alpha at every position that gives tau tokens a round, found by bracketing 1 + a + … + a^k = tau.

        >>> Acceptance.from_mean_acceptance_length(1.75, 2).per_position_acceptance
        (0.5, 0.25)
        """
        k = num_speculative_tokens
        if not 1 <= tau <= (k + 1) * (1 + 1e-12):
            message = "{tau} tokens a round cannot come from {k} drafts: expected 1 to {most}"
            raise SpecmodelError(Message(message, {"tau": tau, "k": k, "most": k + 1}))
        if tau >= k + 1:
            return cls.iid(1.0, k)
        from scipy.optimize import brentq  # takes longer to load than a log to read, which needs none of it

        solved = brentq(lambda alpha: sum(alpha**j for j in range(k + 1)) - tau, 0.0, 1.0, xtol=1e-14) if tau > 1 else 0
        return cls.iid(round(float(solved), 13), k)

    @property
    def num_speculative_tokens(self) -> int:
        """k: drafts in a round."""
        return len(self.per_position_acceptance)

    @cached_property
    def pmf(self) -> Floats:
        """P(J = j) for j = 0 … k, shape (k + 1,)."""
        survival = np.concatenate(([1.0], self.per_position_acceptance, [0.0]))
        pmf = -np.diff(survival)
        pmf.setflags(write=False)
        return pmf

    @property
    def conditional_acceptance(self) -> tuple[float, ...]:
        """a_1 … a_k; nan at a position that is never reached.

        >>> Acceptance.from_per_position([0.5, 0.25]).conditional_acceptance
        (0.5, 0.5)
        """
        before = (1.0, *self.per_position_acceptance)
        return tuple(now / past if past else float("nan") for past, now in pairwise(before))

    @cached_property
    def mean_acceptance_length(self) -> float:
        """tau = S_0 + … + S_k: tokens per round, bonus token included (Leviathan et al. 2023, eq. 1 when iid).

        >>> Acceptance.iid(1, 5).mean_acceptance_length
        6.0
        """
        return 1.0 + sum(self.per_position_acceptance)

    @property
    def draft_acceptance_rate(self) -> float | None:
        """Accepted ÷ drafted = (tau − 1)/k; None when nothing is drafted. Not alpha.

        >>> round(Acceptance.iid(0.8, 5).draft_acceptance_rate, 3)
        0.538
        """
        drafts = self.num_speculative_tokens
        return sum(self.per_position_acceptance) / drafts if drafts else None

    @cached_property
    def variance(self) -> float:
        """Variance of the tokens a round emits, in tokens²: E[J²] = Σ (2j − 1)·S_j (derived by summation by parts).

        >>> Acceptance.iid(0.5, 1).variance
        0.25
        """
        survival = np.asarray(self.per_position_acceptance)
        second = float(np.sum((2 * np.arange(1, survival.size + 1) - 1) * survival))
        return max(second - float(survival.sum()) ** 2, 0.0)

    def truncate(self, num_speculative_tokens: int) -> "Acceptance":
        """The same drafter stopped after k' ≤ k drafts: the prefix S_1 … S_k'.

        >>> Acceptance.iid(0.5, 3).truncate(1).per_position_acceptance
        (0.5,)
        """
        if not 0 <= num_speculative_tokens <= self.num_speculative_tokens:
            raise SpecmodelError(
                Message(
                    "cannot cut a round of {have} drafts to {want}: longer rounds were not observed",
                    {"have": self.num_speculative_tokens, "want": num_speculative_tokens},
                )
            )
        return Acceptance(self.per_position_acceptance[:num_speculative_tokens])


def factors(shape: Sequence[float], num_speculative_tokens: int) -> Floats:
    """What each of the k positions multiplies alpha by: 1, then the shape, then its last factor again.

    >>> factors([0.9, 0.8], 4).tolist()
    [1.0, 0.9, 0.8, 0.8]
    """
    given = np.array([1.0, *shape])[:num_speculative_tokens]
    return np.pad(given, (0, num_speculative_tokens - given.size), mode="edge") if given.size else given


def mean_acceptance_lengths(alpha: ArrayLike, max_speculative_tokens: int, shape: Sequence[float] = ()) -> Floats:
    """tau for every alpha and every k = 0 … max: shape (*alpha.shape, max + 1). Exact, sums of products.

    >>> mean_acceptance_lengths(0.5, 2).tolist()
    [1.0, 1.5, 1.75]
    """
    first = np.asarray(alpha, dtype=float)[..., None]
    if not shape:
        return np.cumsum(first ** np.arange(max_speculative_tokens + 1), axis=-1)
    survival = np.cumprod(np.minimum(first * factors(shape, max_speculative_tokens), 1.0), axis=-1)
    return np.cumsum(np.concatenate((np.ones_like(first), survival), axis=-1), axis=-1)
